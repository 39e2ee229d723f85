#include "jani/edge_index.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace bugsieve::jani {

namespace {

constexpr std::size_t kSmallLeaf = 2;         // candidates that are quicker tested than told apart
constexpr std::size_t kMaxEntries = 1 << 19;  // candidates, tests and nodes of the whole tree
constexpr double kWorthwhile = 0.8;  // a branch must leave less than this share of the tests

// A set of edges with the tests that are still open, each edge's tests in one stretch.
struct OpenEdges {
    struct Item {
        std::uint32_t edge;
        std::uint32_t begin, end;
    };
    std::vector<Item> items;
    std::vector<RangeTest> tests;

    void add(std::uint32_t edge, std::span<const RangeTest> open, std::uint32_t answered) {
        const auto begin = static_cast<std::uint32_t>(tests.size());
        for (const RangeTest& test : open)
            if (test.variable != answered) tests.push_back(test);
        items.push_back({edge, begin, static_cast<std::uint32_t>(tests.size())});
    }
    std::span<const RangeTest> tests_of(const Item& item) const {
        return std::span(tests).subspan(item.begin, item.end - item.begin);
    }
};

constexpr std::uint32_t kNoVariable = std::numeric_limits<std::uint32_t>::max();

}  // namespace

class EdgeIndex::Builder {
  public:
    Builder(EdgeIndex& index, std::span<const Domain> domains)
        : index_(index), domains_(domains), shares_(domains.size()) {}

    void build(OpenEdges all) {
        index_.nodes_.push_back({});
        std::vector<std::pair<std::uint32_t, OpenEdges>> open;
        open.emplace_back(0, std::move(all));
        while (!open.empty()) {
            const auto [node, edges] = std::move(open.back());
            open.pop_back();
            const std::uint32_t variable = best_variable(edges);
            if (variable == kNoVariable || entries_ > kMaxEntries)
                make_leaf(node, edges);
            else
                branch(node, variable, edges, open);
        }
    }

  private:
    void make_leaf(std::uint32_t node, const OpenEdges& edges) {
        index_.nodes_[node] = {0, 0, 0, static_cast<std::uint32_t>(index_.candidates_.size()),
                               static_cast<std::uint32_t>(edges.items.size())};
        for (const OpenEdges::Item& item : edges.items) {
            const auto tests = edges.tests_of(item);
            const auto begin = static_cast<std::uint32_t>(index_.tests_.size());
            index_.tests_.insert(index_.tests_.end(), tests.begin(), tests.end());
            index_.candidates_.push_back(
                {item.edge, begin, static_cast<std::uint32_t>(index_.tests_.size())});
        }
        entries_ += edges.items.size() + edges.tests.size();
    }

    void branch(std::uint32_t node, std::uint32_t variable, const OpenEdges& edges,
                std::vector<std::pair<std::uint32_t, OpenEdges>>& open) {
        const Domain domain = domains_[variable];
        const auto first = static_cast<std::uint32_t>(index_.nodes_.size());
        const auto size = static_cast<std::uint32_t>(domain.size);
        index_.nodes_[node] = {size, variable, domain.lower, first, 0};
        index_.nodes_.resize(first + size);
        entries_ += size;
        for (std::uint32_t k = 0; k < size; ++k) {
            const std::int64_t value = domain.lower + static_cast<std::int64_t>(k);
            open.emplace_back(first + k, remaining(edges, variable, value));
            entries_ += open.back().second.items.size();
        }
    }

    static OpenEdges remaining(const OpenEdges& edges, std::uint32_t variable,
                               std::int64_t value) {
        OpenEdges result;
        for (const OpenEdges::Item& item : edges.items) {
            const auto tests = edges.tests_of(item);
            const bool fits = std::ranges::all_of(tests, [&](const RangeTest& test) {
                return test.variable != variable || (test.lower <= value && value <= test.upper);
            });
            if (fits) result.add(item.edge, tests, variable);
        }
        return result;
    }

    // The variable whose value leaves the fewest edges on average.
    std::uint32_t best_variable(const OpenEdges& edges) {
        if (edges.items.size() <= kSmallLeaf) return kNoVariable;
        touched_.clear();
        for (const RangeTest& test : edges.tests) {
            const Domain domain = domains_[test.variable];
            if (domain.size == 0) continue;
            if (shares_[test.variable] == 0) touched_.push_back(test.variable);
            const double kept = static_cast<double>(test.upper - test.lower + 1);
            // The little more makes a test that always holds count as seen.
            shares_[test.variable] += 1 - kept / static_cast<double>(domain.size) + 1e-9;
        }
        std::uint32_t best = kNoVariable;
        double gain = (1 - kWorthwhile) * static_cast<double>(edges.items.size());
        for (const std::uint32_t variable : touched_) {
            if (shares_[variable] > gain) {
                gain = shares_[variable];
                best = variable;
            }
            shares_[variable] = 0;
        }
        return best;
    }

    EdgeIndex& index_;
    std::span<const Domain> domains_;
    std::vector<double> shares_;  // edges that the average value of a variable rules out
    std::vector<std::uint32_t> touched_;
    std::size_t entries_ = 0;
};

EdgeIndex::EdgeIndex(const std::vector<std::vector<RangeTest>>& tests,
                     std::span<const Domain> domains) {
    OpenEdges all;
    for (std::uint32_t edge = 0; edge < tests.size(); ++edge)
        all.add(edge, tests[edge], kNoVariable);
    Builder(*this, domains).build(std::move(all));
}

}  // namespace bugsieve::jani
