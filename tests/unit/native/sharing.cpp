// Drives native/basis/threads.cpp; test_sharing.py compiles and runs it. Says what is wrong.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "basis/threads.h"

using namespace bugsieve;
using namespace std::chrono_literals;

namespace {

int failures = 0;

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s\n", what.c_str());
    ++failures;
}

void each_item_is_done_once(std::size_t items, std::size_t workers) {
    Interrupts interrupts([] { return false; });
    std::vector<int> done(items), of_worker(workers);
    share_items(items, workers, interrupts,
                [&](std::size_t worker, std::size_t item, Interrupts&) {
                    ++done[item];
                    ++of_worker[worker];  // no lock: a worker has one item at a time
                });
    int sum = 0;
    for (const int count : of_worker) sum += count;
    for (const int count : done) require(count == 1, "an item was done more or less than once");
    require(sum == static_cast<int>(items), "workers shared a number");
}

void workers_are_threads(std::size_t workers) {
    Interrupts interrupts([] { return false; });
    std::vector<std::thread::id> ids(workers);
    std::atomic<std::size_t> there = 0;
    // Nobody goes on before all are there: so there are as many threads as workers.
    share_items(workers, workers, interrupts, [&](std::size_t worker, std::size_t, Interrupts&) {
        ids[worker] = std::this_thread::get_id();
        for (++there; there < workers;) std::this_thread::yield();
    });
    require(std::set(ids.begin(), ids.end()).size() == workers, "workers shared a thread");
    require(ids[0] == std::this_thread::get_id(), "the caller is not worker 0");
}

void what_work_throws_reaches_the_caller(bool by_caller) {
    Interrupts interrupts([] { return false; });
    std::atomic<bool> is_thrown = false;
    std::atomic<int> later = 0;
    try {
        share_items(1 << 30, 3, interrupts, [&](std::size_t worker, std::size_t, Interrupts& its) {
            if ((worker == 0) == by_caller && !is_thrown.exchange(true))
                throw std::runtime_error("mine");
            if (is_thrown) ++later;
            std::this_thread::sleep_for(1ms);
            its.check();
        });
        require(false, "nothing was thrown");
    } catch (const std::runtime_error& error) {
        require(error.what() == std::string("mine"), "another error was thrown");
    }
    require(later < 1000, "others went on");
}

// The caller runs out of items at once; helpers are in long ones, and check in between.
void interrupts_reach_long_items() {
    std::atomic<bool> is_pressed = false;
    Interrupts interrupts([&] { return is_pressed.load(); });
    std::thread user([&] {
        std::this_thread::sleep_for(100ms);
        is_pressed = true;
    });
    const auto start = std::chrono::steady_clock::now();
    std::atomic<int> busy = 0;
    bool is_interrupted = false;
    try {
        share_items(3, 3, interrupts, [&](std::size_t worker, std::size_t, Interrupts& its) {
            for (++busy; worker == 0 && busy < 3;) std::this_thread::yield();
            while (worker != 0 && std::chrono::steady_clock::now() < start + 60s) its.check();
        });
    } catch (const Interrupted&) {
        is_interrupted = true;
    }
    user.join();
    require(is_interrupted, "the caller was not interrupted");
    require(std::chrono::steady_clock::now() < start + 30s, "helpers did not end");
}

}  // namespace

int main() {
    for (const std::size_t workers : {1, 2, 3, 7}) {
        for (const std::size_t items : {0, 1, 2, 3, 6, 7, 8, 1000})
            each_item_is_done_once(items, workers);
        workers_are_threads(workers);
    }
    for (const bool by_caller : {false, true}) what_work_throws_reaches_the_caller(by_caller);
    interrupts_reach_long_items();
    return failures == 0 ? 0 : 1;
}
