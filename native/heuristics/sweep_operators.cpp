#include "heuristics/sweep_operators.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "heuristics/first_layers.h"
#include "heuristics/relaxation.h"

namespace bugsieve {

namespace {

using Facts = std::vector<std::int32_t>;

// Below this, a product is not worth its auxiliary facts.
constexpr std::size_t kFewestPairs = 8;

// An operator of two preconditions achieves a fact.
struct Pair {
    std::int32_t fact;
    std::int64_t cost;
    std::int32_t first, second;
    std::int32_t op;
    auto operator<=>(const Pair&) const = default;
};

// Each fact of `left` with each of `right` achieves `fact` at the same cost. So its value is that
// cost plus the least of `left` plus the least of `right`: two minima instead of all the sums.
struct Product {
    std::int32_t fact;
    Facts left, right;
    std::vector<std::int32_t> operators;
};

class Factoring {
  public:
    Factoring(const Relaxation& relaxation, Interrupts& interrupts)
        : relaxation_(relaxation),
          interrupts_(interrupts),
          is_needed_(relaxation.effects.items.size(), true) {
        drop_dearer_effects();
        find_products();
        keep_products_that_replace_operators();
        result_.num_facts = relaxation.num_facts;
        add_products();
        add_other_operators();
    }

    SweepOperators in_order(std::span<const std::int32_t> facts) const;

  private:
    template <class Visit>
    void for_each_needed(std::size_t op, Visit visit) const {
        const auto& effects = relaxation_.effects;
        for (auto i = static_cast<std::size_t>(effects.starts[op]);
             i < static_cast<std::size_t>(effects.starts[op + 1]); ++i)
            if (is_needed_[i]) visit(effects.items[i]);
    }
    std::int64_t cost(std::int32_t op) const {
        return relaxation_.costs[static_cast<std::size_t>(op)];
    }

    void drop_dearer_effects();
    void find_products();
    void find_products(std::span<const Pair> pairs);
    void add_product(std::span<const Pair> pairs, const Facts& left, const Facts& right);
    void keep_products_that_replace_operators();
    void add_products();
    void add_other_operators();

    const Relaxation& relaxation_;
    Interrupts& interrupts_;
    std::vector<bool> is_needed_;  // of each effect
    std::vector<Product> products_;
    std::vector<std::size_t> uncovered_;  // needed effects of each operator beside the products
    SweepOperators result_;
};

// Of operators with the same preconditions, the cheapest that has an effect is enough for it.
void Factoring::drop_dearer_effects() {
    const auto& effects = relaxation_.effects;
    std::vector<std::int32_t> order(relaxation_.num_operators());
    std::iota(order.begin(), order.end(), 0);
    const auto needs = [&](std::int32_t op) {
        return relaxation_.preconditions[static_cast<std::size_t>(op)];
    };
    std::sort(order.begin(), order.end(), [&](std::int32_t x, std::int32_t y) {
        const auto way = std::lexicographical_compare_three_way(needs(x).begin(), needs(x).end(),
                                                                needs(y).begin(), needs(y).end());
        if (way != 0) return way < 0;
        return std::pair(cost(x), x) < std::pair(cost(y), y);
    });
    std::vector<std::int32_t> met(static_cast<std::size_t>(relaxation_.num_facts), kNoOperator);
    std::int32_t first = kNoOperator;  // of the operators with these preconditions
    for (const std::int32_t op : order) {
        interrupts_.check();
        if (first == kNoOperator || !std::ranges::equal(needs(op), needs(first))) first = op;
        const auto o = static_cast<std::size_t>(op);
        for (auto i = static_cast<std::size_t>(effects.starts[o]);
             i < static_cast<std::size_t>(effects.starts[o + 1]); ++i) {
            auto& last = met[static_cast<std::size_t>(effects.items[i])];
            is_needed_[i] = last != first;
            last = first;
        }
    }
}

void Factoring::find_products() {
    std::vector<Pair> pairs;
    for (std::size_t op = 0; op < relaxation_.num_operators(); ++op) {
        const auto needs = relaxation_.preconditions[op];
        if (needs.size() != 2) continue;
        const auto id = static_cast<std::int32_t>(op);
        for_each_needed(op, [&](std::int32_t fact) {
            pairs.push_back({fact, cost(id), needs[0], needs[1], id});
        });
    }
    std::sort(pairs.begin(), pairs.end());
    for (std::size_t begin = 0, end; begin < pairs.size(); begin = end) {
        for (end = begin; end < pairs.size() && pairs[end].fact == pairs[begin].fact &&
                          pairs[end].cost == pairs[begin].cost;)
            ++end;
        if (end - begin >= kFewestPairs)
            find_products(std::span(pairs).subspan(begin, end - begin));
    }
}

// The pairs, which share their fact and cost, are the edges of a graph on their preconditions; its
// components that are complete and bipartite are products.
void Factoring::find_products(std::span<const Pair> pairs) {
    std::map<std::int32_t, Facts> partners;
    for (const Pair& pair : pairs) {
        partners[pair.first].push_back(pair.second);
        partners[pair.second].push_back(pair.first);
    }
    for (auto& [fact, others] : partners) std::sort(others.begin(), others.end());
    const auto all_have = [&](const Facts& facts, const Facts& others) {
        return std::ranges::all_of(facts, [&](std::int32_t fact) {
            const auto found = partners.find(fact);
            return found != partners.end() && found->second == others;
        });
    };
    while (!partners.empty()) {
        interrupts_.check();
        const Facts right = partners.begin()->second;
        const auto opposite = partners.find(right.front());
        const Facts left = opposite == partners.end() ? Facts{} : opposite->second;
        if (left.empty() || !all_have(left, right) || !all_have(right, left)) {
            partners.erase(partners.begin());
            continue;
        }
        for (const std::int32_t fact : left) partners.erase(fact);
        for (const std::int32_t fact : right) partners.erase(fact);
        if (left.size() > 1 && right.size() > 1 && left.size() * right.size() >= kFewestPairs)
            add_product(pairs, left, right);
    }
}

void Factoring::add_product(std::span<const Pair> pairs, const Facts& left, const Facts& right) {
    const Pair& any = pairs.front();
    Product product{any.fact, left, right, {}};
    for (const std::int32_t l : left)
        for (const std::int32_t r : right)
            product.operators.push_back(
                std::lower_bound(pairs.begin(), pairs.end(),
                                 Pair{any.fact, any.cost, std::min(l, r), std::max(l, r), 0})
                    ->op);
    products_.push_back(std::move(product));
}

// An operator that has to stay for one effect may as well achieve the others.
void Factoring::keep_products_that_replace_operators() {
    uncovered_.resize(relaxation_.num_operators());
    for (std::size_t op = 0; op < uncovered_.size(); ++op)
        for_each_needed(op, [&](std::int32_t) { ++uncovered_[op]; });
    const auto uncovered = [&](std::int32_t op) -> std::size_t& {
        return uncovered_[static_cast<std::size_t>(op)];
    };
    for (const Product& product : products_)
        for (const std::int32_t op : product.operators) --uncovered(op);
    const auto is_useless = [&](const Product& product) {
        interrupts_.check();
        if (std::ranges::all_of(product.operators,
                                [&](std::int32_t op) { return uncovered(op) == 0; }))
            return false;
        for (const std::int32_t op : product.operators) ++uncovered(op);
        return true;
    };
    while (std::erase_if(products_, is_useless) > 0) {
    }
}

void Factoring::add_products() {
    // A fact may count among those that achieve it: that never lowers its value. So sets that
    // differ in their own fact alone become one.
    const auto with_own = [](const Product& product, Facts facts) {
        const auto place = std::lower_bound(facts.begin(), facts.end(), product.fact);
        if (place == facts.end() || *place != product.fact) facts.insert(place, product.fact);
        return facts;
    };
    std::map<Facts, std::size_t> uses;
    for (const Product& product : products_)
        for (const Facts* side : {&product.left, &product.right}) {
            ++uses[*side];
            ++uses[with_own(product, *side)];
        }
    std::map<Facts, std::int32_t> minima;
    const auto minimum = [&](const Product& product, const Facts& side) {
        Facts extended = with_own(product, side);
        const Facts& best = uses[extended] > uses[side] ? extended : side;
        const auto [entry, is_new] = minima.try_emplace(best, result_.num_facts);
        if (is_new) ++result_.num_facts;
        return entry->second;
    };
    struct Sum {
        std::int32_t priced_like;
        Facts achieved;
    };
    std::map<std::tuple<std::int32_t, std::int32_t, std::int64_t>, Sum> sums;
    for (const Product& product : products_) {
        const std::int32_t op = product.operators.front();
        const auto [l, r] =
            std::minmax({minimum(product, product.left), minimum(product, product.right)});
        auto& sum = sums.try_emplace({l, r, cost(op)}, Sum{op, {}}).first->second;
        sum.achieved.push_back(product.fact);
    }
    std::map<std::int32_t, Facts> minima_of;
    for (const auto& [facts, number] : minima)
        for (const std::int32_t fact : facts) minima_of[fact].push_back(number);
    for (const auto& [fact, numbers] : minima_of)
        result_.add(std::span(&fact, 1), numbers, SweepOperators::kFree);
    for (const auto& [key, sum] : sums)
        result_.add(Facts{std::get<0>(key), std::get<1>(key)}, sum.achieved, sum.priced_like);
}

void Factoring::add_other_operators() {
    Facts achieved;
    for (std::size_t op = 0; op < relaxation_.num_operators(); ++op) {
        interrupts_.check();
        achieved.clear();
        for_each_needed(op, [&](std::int32_t fact) { achieved.push_back(fact); });
        if (uncovered_[op] > 0)
            result_.add(relaxation_.preconditions[op], achieved, static_cast<std::int32_t>(op));
    }
}

SweepOperators Factoring::in_order(std::span<const std::int32_t> facts) const {
    SweepOperators sorted;
    sorted.num_facts = result_.num_facts;
    for (const std::size_t op :
         by_first_layer(result_.preconditions, result_.effects,
                        static_cast<std::size_t>(result_.num_facts), facts, interrupts_)) {
        sorted.add(result_.preconditions[op], result_.effects[op], result_.priced_like[op]);
    }
    return sorted;
}

}  // namespace

SweepOperators sweep_operators(const Relaxation& relaxation, std::span<const std::int32_t> facts,
                               Interrupts& interrupts) {
    return Factoring(relaxation, interrupts).in_order(facts);
}

}  // namespace bugsieve
