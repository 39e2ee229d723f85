#include "basis/threads.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace bugsieve {

namespace {

constexpr std::chrono::milliseconds kWait{5};  // below the pause between checks of interrupts

// Items are taken one by one, as some may take longer and some threads get less of a core.
class Sharing {
  public:
    Sharing(std::size_t items, const ItemWork& work) : items_(items), work_(work) {}
    Sharing(const Sharing&) = delete;
    Sharing& operator=(const Sharing&) = delete;
    ~Sharing() {
        is_over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }

    void start_helpers(std::size_t count) {
        threads_.reserve(count);
        try {
            for (std::size_t worker = 1; worker <= count; ++worker)
                threads_.emplace_back([this, worker] { help(worker); });
        } catch (const std::system_error&) {  // no more threads: the others do it all
        }
    }

    void take_items(std::size_t worker, Interrupts& interrupts) {
        while (!is_over_) {
            const std::size_t item = next_++;
            if (item >= items_) return;
            interrupts.check();
            work_(worker, item, interrupts);
        }
    }

    // Until all helpers are done. Their items may be long, so interrupts are looked at here, too.
    void wait(Interrupts& interrupts) {
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, kWait, [this] { return ended_ == threads_.size(); })) {
            lock.unlock();  // the check may have to wait
            interrupts.check();
            lock.lock();
        }
        if (error_) std::rethrow_exception(error_);
    }

  private:
    void help(std::size_t worker) noexcept {
        std::exception_ptr error;
        try {
            Interrupts interrupts([this] { return is_over_.load(); });
            take_items(worker, interrupts);
        } catch (...) {
            error = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        // The first is the cause; it is there before it ends the others.
        if (error && !error_) error_ = std::move(error);
        if (error_) is_over_ = true;
        ++ended_;
        changed_.notify_one();
    }

    std::size_t items_;
    const ItemWork& work_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> is_over_ = false;
    std::vector<std::thread> threads_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t ended_ = 0;  // helpers
    std::exception_ptr error_;
};

}  // namespace

void share_items(std::size_t items, std::size_t workers, Interrupts& interrupts,
                 const ItemWork& work) {
    Sharing sharing(items, work);
    if (workers > 1) sharing.start_helpers(workers - 1);
    sharing.take_items(0, interrupts);
    sharing.wait(interrupts);
}

}  // namespace bugsieve
