#include "safety/exploration.h"

#include "safety/state_space.h"

namespace bugsieve {

Exploration explore(TransitionSystem& system, std::span<const std::uint64_t> rows, Meter& meter) {
    StateSpace space(system, nullptr);
    for (std::size_t at = 0; at < rows.size(); at += system.words())
        space.insert(rows.data() + at);
    Exploration found;
    for (StateId state = 0; state < space.size(); ++state) {
        meter.poll([&] { return space.bytes(); });
        ActionCursor cursor = space.actions(state, meter);
        found.choices += cursor.actions_left();
    }
    found.states = space.size();
    found.outcomes = space.outcomes();
    found.bytes = space.bytes();
    return found;
}

}  // namespace bugsieve
