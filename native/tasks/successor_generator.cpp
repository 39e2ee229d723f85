#include "tasks/successor_generator.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace bugsieve {

// Operators order[begin..end) that agree on their first `depth` preconditions; the position of
// their node is to be written to nodes_[link].
struct DecisionTree::Range {
    std::size_t begin, end, depth, link;
};

DecisionTree::DecisionTree(const FdrTask& task) : num_operators_(task.num_operators()) {
    build(task);
    nodes_.shrink_to_fit();
}

namespace {

// Variables in the order in which the tree tests them: those that most operators test come first,
// so that a state leaves most of the tree aside early.
std::vector<std::int32_t> test_order(const FdrTask& task) {
    std::vector<std::size_t> tests(task.num_variables(), 0);
    for (const Fact& fact : task.preconditions.items)
        ++tests[static_cast<std::size_t>(fact.variable)];
    std::vector<std::int32_t> order(task.num_variables());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return tests[static_cast<std::size_t>(a)] > tests[static_cast<std::size_t>(b)];
    });
    return order;
}

// The preconditions with each variable replaced by its place in `order`, sorted by it.
Lists<Fact> ranked_preconditions(const FdrTask& task, const std::vector<std::int32_t>& order) {
    std::vector<std::int32_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    Lists<Fact> ranked;
    for (std::size_t op = 0; op < task.num_operators(); ++op) {
        for (const Fact& fact : task.preconditions[op])
            ranked.items.push_back({rank[static_cast<std::size_t>(fact.variable)], fact.value});
        std::sort(ranked.items.begin() + ranked.starts.back(), ranked.items.end());
        ranked.close();
    }
    return ranked;
}

}  // namespace

void DecisionTree::build(const FdrTask& task) {
    const std::vector<std::int32_t> variables = test_order(task);
    const Lists<Fact> preconditions = ranked_preconditions(task, variables);
    std::vector<std::int32_t> order(num_operators_);
    std::iota(order.begin(), order.end(), 0);
    const auto precondition = [&](std::int32_t op) {
        return preconditions[static_cast<std::size_t>(op)];
    };
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        const auto pre_a = precondition(a), pre_b = precondition(b);
        return std::lexicographical_compare(pre_a.begin(), pre_a.end(), pre_b.begin(),
                                            pre_b.end());
    });

    nodes_.push_back(0);  // nodes_[0] links to the root; position 0 doubles as "no node"
    std::vector<Range> open;
    if (num_operators_ > 0) open.push_back({0, num_operators_, 0, 0});
    while (!open.empty()) {
        const Range range = open.back();
        open.pop_back();
        const std::size_t position = nodes_.size();
        nodes_[range.link] = static_cast<std::int32_t>(position);

        // Sorting has put the operators without further preconditions first.
        std::size_t split = range.begin;
        while (split < range.end && precondition(order[split]).size() == range.depth) ++split;
        if (split > range.begin) {
            nodes_.insert(nodes_.end(),
                          {kLeaf, 0, static_cast<std::int32_t>(split - range.begin)});
            nodes_.insert(nodes_.end(), order.begin() + static_cast<std::ptrdiff_t>(range.begin),
                          order.begin() + static_cast<std::ptrdiff_t>(split));
            if (split < range.end) open.push_back({split, range.end, range.depth, position + 1});
            continue;
        }
        const std::int32_t rank = precondition(order[split])[range.depth].variable;
        const std::int32_t variable = variables[static_cast<std::size_t>(rank)];
        std::vector<std::int32_t> values;
        std::vector<std::size_t> starts;
        std::size_t at = range.begin;
        for (; at < range.end; ++at) {
            const Fact fact = precondition(order[at])[range.depth];
            if (fact.variable != rank) break;
            if (values.empty() || values.back() != fact.value) {
                values.push_back(fact.value);
                starts.push_back(at);
            }
        }
        starts.push_back(at);
        const auto size =
            static_cast<std::size_t>(task.domain_size(static_cast<std::size_t>(variable)));
        const bool table = size <= 2 * values.size();
        nodes_.insert(nodes_.end(), {table ? kTable : kSwitch, 0, variable,
                                     static_cast<std::int32_t>(table ? size : values.size())});
        const std::size_t body = nodes_.size();
        if (table) {
            nodes_.resize(body + size, 0);
        } else {
            nodes_.insert(nodes_.end(), values.begin(), values.end());
            nodes_.resize(body + 2 * values.size(), 0);
        }
        if (at < range.end) open.push_back({at, range.end, range.depth, position + 1});
        for (std::size_t k = values.size(); k-- > 0;) {
            const std::size_t link =
                table ? body + static_cast<std::size_t>(values[k]) : body + values.size() + k;
            open.push_back({starts[k], starts[k + 1], range.depth + 1, link});
        }
    }
}

void DecisionTree::append_applicable(StateView state, std::vector<std::int32_t>& operators) const {
    const std::size_t from = operators.size();
    thread_local std::vector<std::int32_t> stack;
    stack.clear();
    if (nodes_[0] != 0) stack.push_back(nodes_[0]);
    while (!stack.empty()) {
        const std::int32_t* node = nodes_.data() + stack.back();
        stack.pop_back();
        while (true) {
            std::int32_t child = 0;
            if (node[0] == kLeaf) {
                operators.insert(operators.end(), node + 3, node + 3 + node[2]);
            } else {
                const std::int32_t value = state[static_cast<std::size_t>(node[2])];
                if (node[0] == kTable) {
                    child = node[4 + value];
                } else {
                    const std::int32_t count = node[3];
                    const std::int32_t* values = node + 4;
                    const auto* found = std::lower_bound(values, values + count, value);
                    if (found != values + count && *found == value) child = found[count];
                }
            }
            if (child != 0) {
                if (node[1] != 0) stack.push_back(node[1]);
                node = nodes_.data() + child;
            } else if (node[1] != 0) {
                node = nodes_.data() + node[1];
            } else {
                break;
            }
        }
    }
    sort_ascending(operators, from);
}

void DecisionTree::sort_ascending(std::vector<std::int32_t>& operators, std::size_t from) const {
    const std::size_t count = operators.size() - from;
    const std::size_t words = num_operators_ / 64 + 1;
    if (count * static_cast<std::size_t>(std::bit_width(count)) < 2 * words) {
        std::sort(operators.begin() + static_cast<std::ptrdiff_t>(from), operators.end());
        return;
    }
    thread_local std::vector<std::uint64_t> marks;
    marks.assign(words, 0);
    for (std::size_t i = from; i < operators.size(); ++i) {
        const auto op = static_cast<std::size_t>(operators[i]);
        marks[op / 64] |= std::uint64_t{1} << (op % 64);
    }
    std::size_t at = from;
    for (std::size_t word = 0; word < words; ++word)
        for (std::uint64_t bits = marks[word]; bits != 0; bits &= bits - 1)
            operators[at++] = static_cast<std::int32_t>(
                64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace bugsieve
