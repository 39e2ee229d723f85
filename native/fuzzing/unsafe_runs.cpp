#include "fuzzing/unsafe_runs.h"

#include <algorithm>

namespace bugsieve {

namespace {

// States that the lookaheads of all lanes may hold together; beyond, the oldest walk goes first.
constexpr std::size_t kMostSeen = std::size_t{1} << 22;
// States whose successors are looked up in one round.
constexpr std::size_t kMostRequests = std::size_t{1} << 16;
// Layers that a walk looks at in a row while others wait.
constexpr int kMostLayers = 256;
constexpr std::size_t kTurnsBetweenLooks = 256;  // at the clock

// The ending of a walk whose lookahead has seen all that the policy can reach.
WalkEnding exhausted_ending(PolicyGraph::Stuck stuck) {
    switch (stuck) {
        case PolicyGraph::Stuck::kNot:
            return WalkEnding::kExhausted;
        case PolicyGraph::Stuck::kDeadEnd:
            return WalkEnding::kDeadEnd;
        case PolicyGraph::Stuck::kNoAction:
            return WalkEnding::kNoAction;
        case PolicyGraph::Stuck::kIllegalAction:
            return WalkEnding::kIllegalAction;
    }
    return WalkEnding::kExhausted;
}

}  // namespace

UnsafeRuns::UnsafeRuns(TransitionSystem& system, PolicyView& policy, const WalkOptions& options)
    : system_(system), options_(options), graph_(system, policy), forget_at_(options.most_bytes) {}

WalkResults UnsafeRuns::run(std::span<const std::uint64_t> starts, const Draws& draws,
                            Interrupts& interrupts) {
    lanes_.clear();
    admitted_ = 0;
    results_ = WalkResults();
    results_.endings.resize(draws.size());
    results_.steps.resize(draws.size());
    found_.assign(draws.size(), {});
    try {
        for (admit(starts, draws); !lanes_.empty(); admit(starts, draws)) {
            if (graph_.bytes() > forget_at_) forget(interrupts);
            const std::size_t turns = request(interrupts);
            graph_.answer(interrupts);
            for (std::size_t turn = 0; turn < turns; ++turn) advance(*lanes_[turn], interrupts);
            std::erase_if(lanes_, [](const auto& lane) { return lane->is_done; });
        }
        collect_runs(starts, interrupts);
    } catch (...) {
        graph_.clear();  // some of its states may wait for an answer in vain
        throw;
    }
    return std::move(results_);
}

void UnsafeRuns::admit(std::span<const std::uint64_t> starts, const Draws& draws) {
    while (lanes_.size() < options_.lanes && admitted_ < draws.size()) {
        const std::size_t walk = admitted_++;
        auto lane = std::make_unique<Lane>(options_.lookahead, draws, walk);
        lane->state = graph_.insert(starts.data() + walk * words());
        lane->lookahead.start(lane->state);
        drop_anchor(*lane, 1);
        if (graph_.kind(lane->state) == PolicyGraph::Kind::kUnsafe)
            finish(*lane, WalkEnding::kUnsafe);
        else
            lanes_.push_back(std::move(lane));
    }
}

// Asks for what the oldest lanes need next, and says how many of them get it. When lookaheads
// grow large, walks wait for older ones, so that memory stays bounded.
std::size_t UnsafeRuns::request(Interrupts& interrupts) {
    std::size_t seen = 0, requests = 0, turns = 0;
    for (const auto& lane : lanes_) seen += lane->lookahead.size();
    const std::size_t most_turns = seen > kMostSeen ? 1 : lanes_.size();
    for (; turns < most_turns && requests < kMostRequests; ++turns) {
        Lookahead& lookahead = lanes_[turns]->lookahead;
        requests += lookahead.frontier_size();
        lookahead.request(graph_, interrupts);
    }
    return turns;
}

// As far as the graph is known, and at least by one layer.
void UnsafeRuns::advance(Lane& lane, Interrupts& interrupts) {
    for (int turn = 0; turn < kMostLayers; ++turn) {
        interrupts.check();
        decide(lane, lane.lookahead.add_layer(graph_, interrupts));
        if (lane.is_done || !lane.lookahead.request(graph_, interrupts)) return;
    }
}

// Algorithm 1, lines 3-7 and 18-19.
void UnsafeRuns::decide(Lane& lane, Lookahead::Found found) {
    if (found == Lookahead::Found::kNothingYet) return;
    if (found == Lookahead::Found::kExhausted)
        return finish(lane, exhausted_ending(lane.lookahead.stuck()));
    const std::uint64_t drawn_before = lane.draws.used;
    if (found == Lookahead::Found::kCandidates) lane.lookahead.choose(graph_, lane.draws);
    if (!follow_path(lane)) return finish(lane, WalkEnding::kStepLimit);
    if (graph_.kind(lane.state) == PolicyGraph::Kind::kUnsafe)
        return finish(lane, WalkEnding::kUnsafe);
    if (is_loop(lane, lane.draws.used > drawn_before)) return finish(lane, WalkEnding::kLoop);
    lane.lookahead.start(lane.state);
}

// False if the walk would become too long.
bool UnsafeRuns::follow_path(Lane& lane) {
    lane.lookahead.path(path_);
    if (lane.moves.size() + path_.size() > options_.most_steps) return false;
    for (auto step = path_.rbegin(); step != path_.rend(); ++step)
        lane.moves.push_back({graph_.action(step->from), step->outcome});
    lane.state = lane.lookahead.target();
    return true;
}

bool UnsafeRuns::is_loop(Lane& lane, bool drew) {
    if (drew) {
        drop_anchor(lane, 1);
        return false;
    }
    if (std::equal(lane.anchor.begin(), lane.anchor.end(), graph_.row(lane.state))) return true;
    if (++lane.since_anchor == lane.power) drop_anchor(lane, 2 * lane.power);
    return false;
}

void UnsafeRuns::drop_anchor(Lane& lane, std::uint64_t power) {
    const std::uint64_t* row = graph_.row(lane.state);
    lane.anchor.assign(row, row + words());
    lane.power = power;
    lane.since_anchor = 0;
}

void UnsafeRuns::finish(Lane& lane, WalkEnding ending) {
    lane.is_done = true;
    results_.endings[lane.walk] = static_cast<std::uint8_t>(ending);
    results_.steps[lane.walk] = static_cast<std::int64_t>(lane.moves.size());
    if (ending == WalkEnding::kUnsafe) found_[lane.walk] = std::move(lane.moves);
}

// Keeps what the walks on their way refer to; the rest will be asked again when it is needed.
void UnsafeRuns::forget(Interrupts& interrupts) {
    const StateNumbers old = graph_.take_states();
    const auto number = [&](StateId id) {
        const StateId fresh = graph_.insert(old[id]);
        if (fresh % kTurnsBetweenLooks == 0) interrupts.check();
        return fresh;
    };
    for (const auto& lane : lanes_) {
        lane->state = number(lane->state);
        lane->lookahead.renumber(number);
    }
    forget_at_ = std::max(options_.most_bytes, 2 * graph_.bytes());
    ++forgotten_;
}

void UnsafeRuns::collect_runs(std::span<const std::uint64_t> starts, Interrupts& interrupts) {
    results_.offsets.push_back(0);
    for (std::size_t walk = 0; walk < found_.size(); ++walk) {
        if (results_.endings[walk] == static_cast<std::uint8_t>(WalkEnding::kUnsafe))
            replay(starts.data() + walk * words(), found_[walk], interrupts);
        results_.offsets.push_back(static_cast<std::int64_t>(results_.actions.size()));
    }
    found_.clear();
}

void UnsafeRuns::replay(const std::uint64_t* start, const std::vector<Move>& moves,
                        Interrupts& interrupts) {
    state_.assign(start, start + words());
    for (const Move& move : moves) {
        results_.states.insert(results_.states.end(), state_.begin(), state_.end());
        results_.actions.push_back(move.action);
        if (results_.actions.size() % kTurnsBetweenLooks == 0) interrupts.check();
        system_.outcomes(state_.data(), move.action, outcomes_);
        const std::uint64_t* chosen = outcomes_.data() + move.outcome * words();
        state_.assign(chosen, chosen + words());
    }
    results_.states.insert(results_.states.end(), state_.begin(), state_.end());
    results_.actions.push_back(-1);
}

}  // namespace bugsieve
