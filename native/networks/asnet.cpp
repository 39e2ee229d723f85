#include "networks/asnet.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "networks/asnet_kernels.h"

namespace bugsieve {

namespace {

constexpr std::size_t kFactsTogether = 32;  // their pooled vectors stay in the cache
constexpr std::size_t kWorkOfElu = 8;       // in multiplications
constexpr std::int32_t kPadding = -1;       // an input that is not there

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }
std::int32_t number(std::size_t index) { return static_cast<std::int32_t>(index); }

void require(bool fits, const std::string& what) {
    if (!fits) throw std::invalid_argument(what);
}

bool is_rising(const std::vector<std::int32_t>& starts) {
    return !starts.empty() && starts.front() == 0 && std::ranges::is_sorted(starts);
}

// Puts rows of weights, one per output, into lines: per stripe of outputs, one line per input.
// `columns` says which column of the rows is which input.
void pack(const float* weights, std::size_t width, std::size_t outputs,
          const std::vector<std::int32_t>& columns, Line* lines) {
    for (std::size_t o = 0; o < outputs; ++o)
        for (std::size_t i = 0; i < columns.size(); ++i)
            if (columns[i] != kPadding)
                lines[o / kStripe * columns.size() + i].lanes[o % kStripe] =
                    weights[o * width + index(columns[i])];
}

void put(const std::vector<float>& numbers, Line* lines) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
        lines[k / kStripe].lanes[k % kStripe] = numbers[k];
}

// The columns of `count` vectors of the hidden size, which fill whole lines in memory.
std::vector<std::int32_t> vector_columns(std::size_t first, std::size_t count,
                                         std::size_t hidden) {
    const std::size_t padded = stripes(hidden) * kStripe;
    std::vector<std::int32_t> columns(count * padded, kPadding);
    for (std::size_t v = 0; v < count; ++v)
        for (std::size_t k = 0; k < hidden; ++k)
            columns[v * padded + k] = number(first + v * hidden + k);
    return columns;
}

void check_module(const AsnetModule& module, std::size_t inputs, std::size_t outputs) {
    require(module.inputs == inputs && module.outputs == outputs,
            "a module of " + std::to_string(module.inputs) + " inputs and " +
                std::to_string(module.outputs) + " outputs stands where one of " +
                std::to_string(inputs) + " and " + std::to_string(outputs) + " belongs");
}

}  // namespace

void AsnetStructure::check(const FdrTask& task) const {
    require(is_rising(fact_starts) && index(fact_starts.back()) == num_facts() &&
                goal.size() == num_facts(),
            "facts do not fit their predicates");
    require(is_rising(action_starts) && action_starts.size() == schemas.size() + 1,
            "actions do not fit their schemas");
    for (const Fact& place : places)
        require(place.variable < 0 || index(place.variable) < task.num_variables(),
                "a fact has a variable that the task has not");
    for (std::size_t s = 0; s < schemas.size(); ++s) {
        const Schema& schema = schemas[s];
        const std::size_t count = index(action_starts[s + 1] - action_starts[s]);
        require(schema.related.size() == count * schema.predicates.size(),
                "actions need one related fact per position");
        for (const std::int32_t predicate : schema.predicates)
            require(predicate >= 0 && index(predicate) < num_predicates(),
                    "a related atom has a predicate out of range");
        for (std::size_t k = 0; k < schema.related.size(); ++k) {
            const std::int32_t fact = schema.related[k];
            const std::size_t predicate = index(schema.predicates[k % schema.predicates.size()]);
            require(fact == number(num_facts()) ||
                        (fact >= fact_starts[predicate] && fact < fact_starts[predicate + 1]),
                    "a related fact has another predicate than its atom");
        }
    }
}

Asnet::Asnet(const AsnetStructure& structure, const AsnetWeights& weights,
             Instructions instructions)
    : instructions_(instructions),
      hidden_(weights.hidden),
      lines_(stripes(weights.hidden)),
      num_actions_(structure.num_actions()),
      places_(structure.places),
      no_biases_(lines_) {
    const std::size_t layers = weights.predicates.size();
    require(hidden_ > 0 && layers > 0 && weights.actions.size() == layers + 1,
            "a network needs a layer of facts, and one layer of actions more");
    for (const auto& modules : weights.actions)
        require(modules.size() == structure.schemas.size(), "each schema needs a module");
    for (const auto& modules : weights.predicates)
        require(modules.size() == structure.num_predicates(), "each predicate needs a module");
    connect(structure);
    fold_first_layer(structure, weights.actions[0]);
    for (std::size_t l = 0; l < layers; ++l) {
        fact_layers_.emplace_back();
        for (std::size_t p = 0; p < predicates_.size(); ++p)
            fact_layers_[l].push_back(
                fact_module(predicates_[p], weights.predicates[l][p], l > 0));
        action_layers_.push_back(action_layer(weights.actions[l + 1], l + 1 == layers));
    }
    count_work();
}

void Asnet::connect(const AsnetStructure& structure) {
    for (std::size_t p = 0; p < structure.num_predicates(); ++p) {
        const std::int32_t first = structure.fact_starts[p], end = structure.fact_starts[p + 1];
        predicates_.push_back({index(first), index(end - first), {}, 0, 0});
    }
    for (std::size_t s = 0; s < structure.schemas.size(); ++s) {
        const AsnetStructure::Schema& given = structure.schemas[s];
        const std::int32_t first = structure.action_starts[s];
        const std::size_t count = index(structure.action_starts[s + 1] - first);
        schemas_.push_back(
            {index(first), count, given.predicates.size(), {}, {}, {}, given.related, {}, {}});
        for (std::size_t m = 0; m < given.predicates.size(); ++m) {
            const std::size_t p = index(given.predicates[m]);
            schemas_[s].slots.push_back({p, predicates_[p].slots.size()});
            predicates_[p].slots.push_back(slot_of(s, m, predicates_[p]));
        }
    }
    place_shares();
}

Asnet::Slot Asnet::slot_of(std::size_t s, std::size_t position, const Predicate& predicate) const {
    const Schema& schema = schemas_[s];
    std::vector<std::vector<std::int32_t>> members(predicate.count);
    for (std::size_t a = 0; a < schema.count; ++a) {
        const std::size_t fact = index(schema.related[a * schema.positions + position]);
        if (fact != places_.size())
            members[fact - predicate.first].push_back(number(schema.first + a));
    }
    Slot slot{s, position, {0}, {}};
    for (const auto& list : members) {
        slot.members.insert(slot.members.end(), list.begin(), list.end());
        slot.offsets.push_back(number(slot.members.size()));
    }
    return slot;
}

// Says where actions will find what their related facts give.
void Asnet::place_shares() {
    for (Predicate& predicate : predicates_) {
        predicate.shares = share_vectors_;
        predicate.scores = score_lines_;
        share_vectors_ += predicate.count * predicate.slots.size();
        score_lines_ += predicate.count * stripes(predicate.slots.size());
    }
    for (Schema& schema : schemas_) {
        for (std::size_t k = 0; k < schema.related.size(); ++k) {
            const std::size_t position = k % schema.positions, fact = index(schema.related[k]);
            const auto [p, slot] = schema.slots[position];
            const Predicate& predicate = predicates_[p];
            const std::size_t slots = predicate.slots.size();
            const bool is_there = fact != places_.size();
            const std::size_t place = is_there ? fact - predicate.first : 0;
            schema.shares.push_back(number(is_there ? predicate.shares + place * slots + slot
                                                    : share_vectors_ + num_slots_ + position));
            schema.scores.push_back(
                number(is_there ? (predicate.scores + place * stripes(slots)) * kStripe + slot
                                : score_lines_ * kStripe + num_slots_ + position));
        }
        num_slots_ += schema.positions;
    }
}

Asnet::Buffers Asnet::make_buffers() const {
    std::size_t most = 0;
    for (const Predicate& predicate : predicates_) most = std::max(most, predicate.slots.size());
    Buffers made;
    made.truth.resize(places_.size() + 1);  // and one that is not there, which is never true
    made.facts.resize(places_.size() * lines_);
    made.actions.resize(num_actions_ * lines_);
    made.next_actions.resize(num_actions_ * lines_);
    made.pooled.resize((most + 1) * lines_ * kFactsTogether);
    made.shares.resize(
        std::max((share_vectors_ + num_slots_) * lines_, score_lines_ + stripes(num_slots_)));
    made.logits.resize(num_actions_);
    return made;
}

// The part of layer 0 that depends on the task alone: biases and goals. A fact that is not there
// is false.
void Asnet::fold_first_layer(const AsnetStructure& structure,
                             const std::vector<AsnetModule>& modules) {
    for (std::size_t s = 0; s < schemas_.size(); ++s) {
        Schema& schema = schemas_[s];
        const AsnetModule& module = modules[s];
        const std::size_t positions = schema.positions, width = 2 * positions + 1;
        check_module(module, width, hidden_);
        schema.truth_weights.resize((positions + 1) * lines_);
        for (std::size_t m = 0; m <= positions; ++m)
            for (std::size_t o = 0; o < hidden_; ++o)
                schema.truth_weights[m * lines_ + o / kStripe].lanes[o % kStripe] =
                    module.weights[o * width + (m < positions ? m : 2 * positions)];
        schema.constants.resize(schema.count * lines_);
        for (std::size_t a = 0; a < schema.count; ++a)
            for (std::size_t o = 0; o < hidden_; ++o) {
                float sum = module.biases[o];
                for (std::size_t m = 0; m < positions; ++m) {
                    const std::size_t fact = index(schema.related[a * positions + m]);
                    if (fact != structure.num_facts() && structure.goal[fact] != 0)
                        sum += module.weights[o * width + positions + m];
                }
                schema.constants[a * lines_ + o / kStripe].lanes[o % kStripe] = sum;
            }
    }
}

Asnet::Dense Asnet::fact_module(const Predicate& predicate, const AsnetModule& module,
                                bool has_own) const {
    const std::size_t vectors = predicate.slots.size() + (has_own ? 1 : 0);
    if (predicate.slots.empty()) return {};
    check_module(module, vectors * hidden_, hidden_);
    const std::vector<std::int32_t> columns = vector_columns(0, vectors, hidden_);
    Dense dense{columns.size(), lines_, std::vector<Line>(columns.size() * lines_),
                std::vector<Line>(lines_)};
    pack(module.weights.data(), module.inputs, hidden_, columns, dense.weights.data());
    put(module.biases, dense.biases.data());
    return dense;
}

Asnet::ActionLayer Asnet::action_layer(const std::vector<AsnetModule>& modules,
                                       bool is_last) const {
    ActionLayer layer;
    for (std::size_t s = 0; s < schemas_.size(); ++s) {
        const std::size_t first = schemas_[s].positions * hidden_;
        check_module(modules[s], first + hidden_, is_last ? 1 : hidden_);
        Dense own{lines_ * kStripe, lines_, {}, std::vector<Line>(lines_)};
        put(modules[s].biases, own.biases.data());
        if (is_last) {  // one vector, for a product with that of the action
            own.weights.resize(lines_);
            const auto begin = modules[s].weights.begin() + number(first);
            put({begin, begin + number(hidden_)}, own.weights.data());
        } else {
            own.weights.resize(own.inputs * lines_);
            pack(modules[s].weights.data(), modules[s].inputs, hidden_,
                 vector_columns(first, 1, hidden_), own.weights.data());
        }
        layer.own.push_back(std::move(own));
    }
    layer.missing = missing_shares(modules, is_last);
    for (const Predicate& predicate : predicates_)
        layer.shares.push_back(shares_of(predicate, modules, is_last));
    return layer;
}

// The results of a vector of -1, for each schema and position: vectors, or one number each.
std::vector<Line> Asnet::missing_shares(const std::vector<AsnetModule>& modules,
                                        bool is_last) const {
    const std::size_t outputs = is_last ? 1 : hidden_;
    std::vector<float> sums;
    for (std::size_t s = 0; s < schemas_.size(); ++s)
        for (std::size_t m = 0; m < schemas_[s].positions; ++m) {
            for (std::size_t o = 0; o < outputs; ++o) {
                const float* const weights =
                    modules[s].weights.data() + o * modules[s].inputs + m * hidden_;
                float sum = 0;
                for (std::size_t k = 0; k < hidden_; ++k) sum += weights[k] * -1.0F;
                sums.push_back(sum);
            }
            if (!is_last) sums.resize(stripes(sums.size()) * kStripe);
        }
    std::vector<Line> lines(stripes(sums.size()));
    put(sums, lines.data());
    return lines;
}

// One layer that gives for a fact what it contributes to its actions, slot by slot.
Asnet::Dense Asnet::shares_of(const Predicate& predicate, const std::vector<AsnetModule>& modules,
                              bool is_last) const {
    const std::size_t slots = predicate.slots.size(), inputs = lines_ * kStripe;
    const std::size_t wide = is_last ? stripes(slots) : slots * lines_;
    Dense dense{inputs, wide, std::vector<Line>(inputs * wide), std::vector<Line>(wide)};
    for (std::size_t k = 0; k < slots; ++k) {
        const AsnetModule& module = modules[predicate.slots[k].schema];
        const std::size_t first = predicate.slots[k].position * hidden_;
        if (!is_last) {
            const auto columns = vector_columns(first, 1, hidden_);
            pack(module.weights.data(), module.inputs, hidden_, columns,
                 dense.weights.data() + k * lines_ * inputs);
            continue;
        }
        for (std::size_t i = 0; i < hidden_; ++i)
            dense.weights[k / kStripe * inputs + i].lanes[k % kStripe] = module.weights[first + i];
    }
    return dense;
}

void Asnet::count_work() {
    const std::size_t width = lines_ * kStripe;
    for (std::size_t l = 0; l < action_layers_.size(); ++l) {
        for (std::size_t p = 0; p < predicates_.size(); ++p)
            work_ +=
                predicates_[p].count *
                (fact_layers_[l][p].weights.size() + action_layers_[l].shares[p].weights.size()) *
                kStripe;
        for (std::size_t s = 0; s < schemas_.size(); ++s)
            work_ += schemas_[s].count * action_layers_[l].own[s].weights.size() * kStripe;
        work_ += (places_.size() + num_actions_) * width * kWorkOfElu;
    }
    for (const Schema& schema : schemas_) work_ += schema.related.size() * width;
}

const float* Asnet::run(StateView state, const std::uint8_t* applicable, Buffers& buffers) const {
    run_first(state, applicable, buffers);
    for (std::size_t l = 0; l < action_layers_.size(); ++l) {
        const bool is_last = l + 1 == action_layers_.size();
        run_facts(l, buffers);
        run_shares(action_layers_[l], is_last, buffers);
        if (is_last)
            run_scores(action_layers_[l], buffers);
        else
            run_actions(action_layers_[l], buffers);
    }
    return buffers.logits.data();
}

const AsnetKernels& Asnet::kernels() const {
    return instructions_ == Instructions::kBest ? best_kernels() : baseline_kernels();
}

void Asnet::run_first(StateView state, const std::uint8_t* applicable, Buffers& buffers) const {
    for (std::size_t f = 0; f < places_.size(); ++f)
        buffers.truth[f] = places_[f].variable < 0 || holds(state, places_[f]) ? 1.0F : 0.0F;
    for (const Schema& schema : schemas_)
        kernels().first({lines_, schema.count, schema.positions, schema.constants.data(),
                         schema.truth_weights.data(), schema.related.data(), buffers.truth.data(),
                         applicable + schema.first,
                         buffers.actions.data() + schema.first * lines_});
}

void Asnet::run_facts(std::size_t layer, Buffers& buffers) const {
    for (std::size_t p = 0; p < predicates_.size(); ++p) {
        const Predicate& predicate = predicates_[p];
        if (predicate.slots.empty()) continue;
        const Dense& dense = fact_layers_[layer][p];
        const std::size_t slots = predicate.slots.size();
        const std::size_t width = dense.inputs / kStripe;
        for (std::size_t begin = 0; begin < predicate.count; begin += kFactsTogether) {
            const std::size_t count = std::min(kFactsTogether, predicate.count - begin);
            for (std::size_t k = 0; k < slots; ++k)
                kernels().pool({lines_, count, predicate.slots[k].offsets.data() + begin,
                                predicate.slots[k].members.data(), buffers.actions.data(),
                                buffers.pooled.data() + k * lines_, width});
            Line* const own = buffers.facts.data() + (predicate.first + begin) * lines_;
            for (std::size_t f = 0; layer > 0 && f < count; ++f)
                std::copy_n(own + f * lines_, lines_,
                            buffers.pooled.data() + f * width + slots * lines_);
            kernels().dense({dense.inputs, lines_, dense.weights.data(), dense.biases.data(),
                             buffers.pooled.data(), own, width, lines_, count, false});
            kernels().elu(own, count * lines_);
        }
    }
}

void Asnet::run_shares(const ActionLayer& layer, bool is_last, Buffers& buffers) const {
    for (std::size_t p = 0; p < predicates_.size(); ++p) {
        const Predicate& predicate = predicates_[p];
        const Dense& dense = layer.shares[p];
        const std::size_t first = is_last ? predicate.scores : predicate.shares * lines_;
        kernels().dense({dense.inputs, dense.stripes, dense.weights.data(), dense.biases.data(),
                         buffers.facts.data() + predicate.first * lines_,
                         buffers.shares.data() + first, lines_, dense.stripes, predicate.count,
                         false});
    }
    std::ranges::copy(layer.missing,
                      buffers.shares.data() + (is_last ? score_lines_ : share_vectors_ * lines_));
}

void Asnet::run_actions(const ActionLayer& layer, Buffers& buffers) const {
    for (std::size_t s = 0; s < schemas_.size(); ++s) {
        const Schema& schema = schemas_[s];
        const Dense& own = layer.own[s];
        Line* const out = buffers.next_actions.data() + schema.first * lines_;
        kernels().dense({own.inputs, own.stripes, own.weights.data(), no_biases_.data(),
                         buffers.actions.data() + schema.first * lines_, out, lines_, lines_,
                         schema.count, false});
        kernels().join({lines_, schema.count, schema.positions, own.biases.data(),
                        buffers.shares.data(), schema.shares.data(), out});
    }
    std::swap(buffers.actions, buffers.next_actions);
}

void Asnet::run_scores(const ActionLayer& layer, Buffers& buffers) const {
    for (std::size_t s = 0; s < schemas_.size(); ++s) {
        const Schema& schema = schemas_[s];
        kernels().score({lines_, schema.count, schema.positions, layer.own[s].biases[0].lanes[0],
                         buffers.shares.data()->lanes, schema.scores.data(),
                         buffers.actions.data() + schema.first * lines_,
                         layer.own[s].weights.data(), buffers.logits.data() + schema.first});
    }
}

}  // namespace bugsieve
