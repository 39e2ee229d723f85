// Long work on many items, shared by threads that live no longer than the call.
#pragma once

#include <cstddef>
#include <functional>

#include "basis/budget.h"

namespace bugsieve {

// The work on an item. A worker has one item at a time and a number of its own, so that memory by
// worker needs no lock. The interrupts are for the worker to check in long items.
using ItemWork = std::function<void(std::size_t worker, std::size_t item, Interrupts& interrupts)>;

// Does the work once for each item below `items`, in any order. Worker 0 is the calling thread,
// which alone asks whether it is interrupted; each further worker, up to `workers` in all, is a
// thread of its own. Where the system gives no thread, there are fewer. When the caller is
// interrupted or work throws, workers end at their next check, and it reaches the caller.
void share_items(std::size_t items, std::size_t workers, Interrupts& interrupts,
                 const ItemWork& work);

}  // namespace bugsieve
