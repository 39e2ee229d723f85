#include "jani/compiler.h"

#include <algorithm>
#include <stdexcept>

namespace bugsieve::jani {

namespace {

// Choices between parts that can fail are compiled once per way that leads to them.
constexpr std::size_t kMaxInstructions = 1 << 22;

Code code_of(Op op) { return static_cast<Code>(op); }

bool is_comparison(Op op) { return op >= Op::kIntEqual && op <= Op::kRealAtMost; }

Code jump_code(Op comparison, bool sense) {
    const auto base =
        static_cast<std::uint32_t>(sense ? Code::kJumpIfIntEqual : Code::kJumpUnlessIntEqual);
    const auto offset =
        static_cast<std::uint32_t>(comparison) - static_cast<std::uint32_t>(Op::kIntEqual);
    return static_cast<Code>(base + offset);
}

}  // namespace

Compiler::Compiler(const Description& model, const Analysis& analysis)
    : model_(model),
      analysis_(analysis),
      num_registers_(
          static_cast<std::uint32_t>(model.variables.size() + model.constants.size() + 1)) {}

std::uint32_t Compiler::compile_test(std::span<const std::int32_t> conditions) {
    begin();
    count_uses(conditions);
    const auto entry = static_cast<std::uint32_t>(program_.size());
    const Label reject = new_label();
    for (const std::int32_t condition : conditions) {
        steps_.push_back({Step::kJump, condition, reject, false});
        work();
    }
    emit(Code::kAccept, 0);
    bind(reject);
    emit(Code::kReject, 0);
    resolve_labels();
    return entry;
}

std::uint32_t Compiler::compile_values(std::span<const std::int32_t> values,
                                       std::vector<std::uint32_t>& results) {
    begin();
    count_uses(values);
    const auto entry = static_cast<std::uint32_t>(program_.size());
    results.clear();
    for (const std::int32_t value : values) {
        steps_.push_back({Step::kCompute, value});
        work();
        results.push_back(register_of(value));
    }
    emit(Code::kAccept, 0);
    resolve_labels();
    return entry;
}

void Compiler::begin() {
    next_register_ = static_cast<std::uint32_t>(model_.variables.size() + model_.constants.size());
    register_of_.clear();
    uses_.clear();
    remembered_.clear();
    scopes_.clear();
    label_places_.clear();
    jumps_.clear();
}

void Compiler::count_uses(std::span<const std::int32_t> roots) {
    std::vector<std::int32_t> open;
    const auto use = [&](std::int32_t id) {
        if (++uses_[id] == 1) open.push_back(id);
    };
    for (const std::int32_t root : roots) use(root);
    while (!open.empty()) {
        const Node& n = node(open.back());
        open.pop_back();
        for (int k = 0; k < arity(n.op); ++k) use(n.operands[k]);
    }
}

void Compiler::work() {
    while (!steps_.empty()) {
        const Step step = steps_.back();
        steps_.pop_back();
        switch (step.kind) {
            case Step::kCompute:
                compute(step.node);
                break;
            case Step::kEmit:
                compute_eagerly(step.node);
                break;
            case Step::kCopy:
                emit(Code::kMove, step.where, register_of(step.node));
                break;
            case Step::kRemember:
                remember(step.node, step.where);
                break;
            case Step::kJump:
                jump(step.node, step.sense, step.where);
                break;
            case Step::kJumpOn:
                jump_on_register(step.node, step.sense, step.where);
                break;
            case Step::kGoTo:
                emit_jump(Code::kJump, step.where);
                break;
            case Step::kBind:
                bind(step.where);
                break;
            case Step::kOpen:
                scopes_.push_back(remembered_.size());
                break;
            case Step::kClose:
                close_scope();
                break;
        }
    }
}

// Operands that cannot fail are cheaper to compute than to jump over, and known ever after.
bool Compiler::is_lazy(std::int32_t id) const {
    const Node& n = node(id);
    if (!is_conditional(n.op)) return false;
    for (int k = 1; k < arity(n.op); ++k)
        if (analysis_.can_fail[static_cast<std::size_t>(n.operands[k])]) return true;
    return false;
}

std::uint32_t Compiler::register_of(std::int32_t id) const {
    const Node& n = node(id);
    if (n.op == Op::kVariable) return static_cast<std::uint32_t>(n.operands[0]);
    if (n.op == Op::kConstant)
        return static_cast<std::uint32_t>(model_.variables.size()) +
               static_cast<std::uint32_t>(n.operands[0]);
    return register_of_.at(id);
}

void Compiler::compute(std::int32_t id) {
    const Node& n = node(id);
    if (arity(n.op) == 0 || is_computed(id)) return;
    if (is_lazy(id)) {
        compute_choice(id);
        return;
    }
    steps_.push_back({Step::kEmit, id});
    for (int k = arity(n.op) - 1; k >= 0; --k) steps_.push_back({Step::kCompute, n.operands[k]});
}

void Compiler::compute_eagerly(std::int32_t id) {
    if (is_computed(id)) return;
    const Node& n = node(id);
    const std::uint32_t to = new_register();
    if (n.op == Op::kIfThenElse) {
        emit(Code::kMove, to, register_of(n.operands[2]));
        emit(Code::kMoveIf, to, register_of(n.operands[0]), register_of(n.operands[1]));
    } else {
        emit(code_of(n.op), to, register_of(n.operands[0]),
             arity(n.op) > 1 ? register_of(n.operands[1]) : 0);
    }
    remember(id, to);
}

// Steps are pushed in reverse.
void Compiler::compute_choice(std::int32_t id) {
    const Node& n = node(id);
    const std::uint32_t to = new_register();
    const Label end = new_label();
    const auto push_branch = [&](std::int32_t branch) {
        steps_.push_back({Step::kClose});
        steps_.push_back({Step::kCopy, branch, to});
        steps_.push_back({Step::kCompute, branch});
        steps_.push_back({Step::kOpen});
    };
    steps_.push_back({Step::kRemember, id, to});
    steps_.push_back({Step::kBind, 0, end});
    if (n.op == Op::kIfThenElse) {
        const Label otherwise = new_label();
        push_branch(n.operands[2]);
        steps_.push_back({Step::kBind, 0, otherwise});
        steps_.push_back({Step::kGoTo, 0, end});
        push_branch(n.operands[1]);
        steps_.push_back({Step::kJumpOn, n.operands[0], otherwise, false});
    } else {
        push_branch(n.operands[1]);
        steps_.push_back({Step::kJumpOn, n.operands[0], end, n.op == Op::kOr});
        steps_.push_back({Step::kCopy, n.operands[0], to});
    }
    steps_.push_back({Step::kCompute, n.operands[0]});
}

void Compiler::jump(std::int32_t id, bool sense, Label label) {
    const Node& n = node(id);
    if (n.op == Op::kNot) {
        steps_.push_back({Step::kJump, n.operands[0], label, !sense});
    } else if (is_comparison(n.op) && !is_computed(id) && uses_[id] == 1) {
        steps_.push_back({Step::kJumpOn, id, label, sense});
        steps_.push_back({Step::kCompute, n.operands[1]});
        steps_.push_back({Step::kCompute, n.operands[0]});
    } else if (is_conditional(n.op) && !is_computed(id) && uses_[id] == 1) {
        jump_by_parts(id, sense, label);
    } else {
        steps_.push_back({Step::kJumpOn, id, label, sense});
        steps_.push_back({Step::kCompute, id});
    }
}

void Compiler::jump_by_parts(std::int32_t id, bool sense, Label label) {
    const Node& n = node(id);
    if (n.op == Op::kIfThenElse) {
        const Label otherwise = new_label(), end = new_label();
        steps_.push_back({Step::kBind, 0, end});
        steps_.push_back({Step::kClose});
        steps_.push_back({Step::kJump, n.operands[2], label, sense});
        steps_.push_back({Step::kOpen});
        steps_.push_back({Step::kBind, 0, otherwise});
        steps_.push_back({Step::kGoTo, 0, end});
        steps_.push_back({Step::kClose});
        steps_.push_back({Step::kJump, n.operands[1], label, sense});
        steps_.push_back({Step::kOpen});
        steps_.push_back({Step::kJumpOn, n.operands[0], otherwise, false});
        steps_.push_back({Step::kCompute, n.operands[0]});
    } else if ((n.op == Op::kOr) == sense) {  // either operand decides, so both jump
        steps_.push_back({Step::kJump, n.operands[1], label, sense});
        steps_.push_back({Step::kJump, n.operands[0], label, sense});
    } else {  // the first operand can rule the jump out, and then the second is not looked at
        const Label skip = new_label();
        steps_.push_back({Step::kBind, 0, skip});
        steps_.push_back({Step::kClose});
        steps_.push_back({Step::kJump, n.operands[1], label, sense});
        steps_.push_back({Step::kJump, n.operands[0], skip, !sense});
        steps_.push_back({Step::kOpen});
    }
}

void Compiler::jump_on_register(std::int32_t id, bool sense, Label label) {
    const Node& n = node(id);
    if (is_comparison(n.op) && !is_computed(id))
        emit_jump(jump_code(n.op, sense), label, register_of(n.operands[0]),
                  register_of(n.operands[1]));
    else
        emit_jump(sense ? Code::kJumpIf : Code::kJumpUnless, label, register_of(id));
}

void Compiler::remember(std::int32_t id, std::uint32_t where) {
    register_of_.emplace(id, where);
    remembered_.push_back(id);
}

void Compiler::close_scope() {
    const std::size_t size = scopes_.back();
    scopes_.pop_back();
    for (; remembered_.size() > size; remembered_.pop_back())
        register_of_.erase(remembered_.back());
}

Compiler::Label Compiler::new_label() {
    label_places_.push_back(0);
    return static_cast<Label>(label_places_.size() - 1);
}

void Compiler::emit(Code code, std::uint32_t target, std::uint32_t a, std::uint32_t b) {
    if (program_.size() >= kMaxInstructions)
        throw std::length_error("the expressions of the model are too large");
    program_.push_back({code, target, a, b});
    num_registers_ = std::max(num_registers_, next_register_);
}

void Compiler::emit_jump(Code code, Label label, std::uint32_t a, std::uint32_t b) {
    jumps_.push_back(program_.size());
    emit(code, label, a, b);
}

void Compiler::resolve_labels() {
    for (const std::size_t jump : jumps_)
        program_[jump].target = static_cast<std::uint32_t>(label_places_[program_[jump].target]);
}

}  // namespace bugsieve::jani
