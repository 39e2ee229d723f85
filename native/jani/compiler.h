// Turns expressions into programs of the register machine.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "jani/analysis.h"
#include "jani/description.h"
#include "jani/machine.h"

namespace bugsieve::jani {

// Programs share one list of instructions and one set of registers. Within a program no node is
// computed twice on any way through it. Nothing recurses, as expressions may be deep.
class Compiler {
  public:
    Compiler(const Description& model, const Analysis& analysis);

    // A program that ends in kTrue or kFalse: whether all conditions hold, tested in this order.
    std::uint32_t compile_test(std::span<const std::int32_t> conditions);
    // A program that ends in kTrue, after which value k is in the register `results[k]`.
    std::uint32_t compile_values(std::span<const std::int32_t> values,
                                 std::vector<std::uint32_t>& results);

    std::vector<Instruction> take_program() { return std::move(program_); }
    std::uint32_t num_registers() const { return num_registers_; }

  private:
    using Label = std::uint32_t;

    // Something left to do.
    struct Step {
        enum Kind {
            kCompute,   // node
            kEmit,      // node, whose operands are computed
            kCopy,      // node, which is computed, to `where`
            kRemember,  // node is now in `where`
            kJump,      // to label `where` if node is `sense`
            kJumpOn,    // the same for register `node`
            kGoTo,      // label `where`
            kBind,      // label `where`
            kOpen,      // what is computed from here on is known up to kClose only
            kClose,
        };
        Kind kind;
        std::int32_t node = 0;
        std::uint32_t where = 0;
        bool sense = false;
    };

    const Node& node(std::int32_t id) const { return model_.nodes[static_cast<std::size_t>(id)]; }
    bool is_lazy(std::int32_t id) const;
    bool is_computed(std::int32_t id) const { return register_of_.contains(id); }
    std::uint32_t register_of(std::int32_t id) const;

    void begin();
    void count_uses(std::span<const std::int32_t> roots);
    void work();
    void compute(std::int32_t id);
    void compute_choice(std::int32_t id);
    void compute_eagerly(std::int32_t id);
    void jump(std::int32_t id, bool sense, Label label);
    void jump_by_parts(std::int32_t id, bool sense, Label label);
    void jump_on_register(std::int32_t id, bool sense, Label label);
    void remember(std::int32_t id, std::uint32_t where);
    void close_scope();

    Label new_label();
    void bind(Label label) { label_places_[label] = program_.size(); }
    void emit(Code code, std::uint32_t target, std::uint32_t a = 0, std::uint32_t b = 0);
    void emit_jump(Code code, Label label, std::uint32_t a = 0, std::uint32_t b = 0);
    void resolve_labels();
    std::uint32_t new_register() { return next_register_++; }

    const Description& model_;
    const Analysis& analysis_;
    std::vector<Instruction> program_;
    std::uint32_t num_registers_;
    std::uint32_t next_register_ = 0;

    std::vector<Step> steps_;  // still to do, the next one last
    std::unordered_map<std::int32_t, std::uint32_t> register_of_;
    std::unordered_map<std::int32_t, std::uint32_t> uses_;  // in this program, per node
    std::vector<std::int32_t> remembered_;                  // nodes in the order of computation
    std::vector<std::size_t> scopes_;                       // sizes of remembered_
    std::vector<std::size_t> label_places_;
    std::vector<std::size_t> jumps_;  // instructions whose target is a label
};

}  // namespace bugsieve::jani
