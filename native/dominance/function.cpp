#include "dominance/function.h"

#include <algorithm>

namespace bugsieve {

namespace {

constexpr std::int64_t kLeastFloor = 1000, kFloorPerCost = 20;

Distance dearest(const FdrTask& task) {
    return task.costs.empty() ? 0 : *std::ranges::max_element(task.costs);
}

// Numbers in a row, read with a check at every step: what was saved may be of another version.
class Reader {
  public:
    explicit Reader(std::span<const std::int32_t> words) : words_(words) {}

    std::int32_t next() { return take(1).front(); }
    std::span<const std::int32_t> take(std::size_t count) {
        if (count > words_.size()) throw std::invalid_argument("the saved function is cut");
        const auto taken = words_.first(count);
        words_ = words_.subspan(count);
        return taken;
    }
    bool is_at_end() const { return words_.empty(); }

  private:
    std::span<const std::int32_t> words_;
};

void append(std::vector<std::int32_t>& words, std::int64_t value) {
    words.push_back(static_cast<std::int32_t>(value & 0x7fffffff));
    words.push_back(static_cast<std::int32_t>(value >> 31));
}
std::int64_t next_long(Reader& reader) {
    const std::int64_t low = reader.next();
    return low + (std::int64_t{reader.next()} << 31);
}

}  // namespace

DominanceFunction::DominanceFunction(const FdrTask& task, const DominanceOptions& options,
                                     Interrupts& interrupts) {
    factorise(task, options, interrupts);
    WorkMeter walking(options.max_work, interrupts);
    walks_ = std::make_unique<FactorWalks>(*task_, options.tau, walking);
    if (walks_->was_cut()) cut_ |= kWalks;
    WorkMeter meter(options.max_work, interrupts);
    FixPointCounts counts;
    const std::int64_t floor =
        options.floor >= 0 ? options.floor : std::max(kLeastFloor, kFloorPerCost * dearest(task));
    try {
        tables_ =
            greatest_fix_point(*task_, *walks_, static_cast<Distance>(-floor), meter, counts);
    } catch (const WorkSpent&) {
        cut_ |= kFixPoint;
        tables_ = walk_bounds(*walks_, num_factors());
    }
    truncated_ = counts.truncated;
    work_ += walking.done() + meter.done();
}

void DominanceFunction::check(const FdrTask& task) {
    if (dearest(task) > kUsable / static_cast<Distance>(kFloorPerCost))
        throw NoDominanceError("an operator costs " + std::to_string(dearest(task)));
    split_into_labels(task);
}

void DominanceFunction::factorise(const FdrTask& task, const DominanceOptions& options,
                                  Interrupts& interrupts) {
    check(task);
    const std::vector<Label> labels = split_into_labels(task);
    WorkMeter unlimited(-1, interrupts);
    WorkMeter meter(options.max_work, interrupts);
    const auto start = [&] { task_ = std::make_unique<FactoredTask>(task, labels, unlimited); };
    start();
    try {
        task_->merge_dfp(options.merging, meter);
    } catch (const WorkSpent&) {
        cut_ |= kMerging;  // the merge under way may be half made
        const std::vector<Merge> merges = task_->merges();
        start();
        task_->merge_again(merges, unlimited);
    }
    if (options.max_bytes >= 0 && table_bytes() > static_cast<std::size_t>(options.max_bytes)) {
        cut_ |= kMemory;
        start();
        if (table_bytes() > static_cast<std::size_t>(options.max_bytes))
            throw NoDominanceError("its tables would take " + std::to_string(table_bytes() >> 20) +
                                   " MB");
    }
    work_ = meter.done() + unlimited.done();
    for (const Factor& factor : task_->factors())
        for (const Distance distance : factor.goal_distance)
            if (distance >= kUsable && distance < kFarAway)
                throw NoDominanceError("plans cost " + std::to_string(distance));
}

std::size_t DominanceFunction::table_bytes() const {
    std::size_t bytes = 0;
    for (const Factor& factor : task_->factors())
        bytes += 2 * sizeof(Distance) * factor.num_states() * factor.num_states();
    return bytes;
}

std::vector<std::int32_t> DominanceFunction::saved() const {
    std::vector<std::int32_t> words;
    words.push_back(static_cast<std::int32_t>(task_->merges().size()));
    for (const Merge& merge : task_->merges()) {
        words.push_back(merge.first);
        words.push_back(merge.second);
    }
    words.push_back(cut_);
    append(words, truncated_);
    append(words, work_);
    walks_->save(words);
    for (const auto& table : tables_)
        words.insert(words.end(), table.items().begin(), table.items().end());
    return words;
}

DominanceFunction::DominanceFunction(const FdrTask& task, std::span<const std::int32_t> saved,
                                     Interrupts& interrupts) {
    Reader reader(saved);
    std::vector<Merge> merges;
    const std::int32_t count = reader.next();
    for (std::int32_t i = 0; i < count; ++i) {
        const std::int32_t first = reader.next();
        merges.push_back({first, reader.next()});
    }
    WorkMeter meter(-1, interrupts);
    task_ = std::make_unique<FactoredTask>(task, split_into_labels(task), meter);
    task_->merge_again(merges, meter);
    cut_ = reader.next();
    truncated_ = next_long(reader);
    work_ = next_long(reader);
    walks_ = std::make_unique<FactorWalks>(*task_,
                                           [&](std::size_t words) { return reader.take(words); });
    for (const Factor& factor : task_->factors()) {
        tables_.emplace_back(factor.num_states(), 0);
        std::ranges::copy(reader.take(tables_.back().items().size()),
                          tables_.back().items().begin());
    }
    if (!reader.is_at_end()) throw std::invalid_argument("the saved function is too long");
}

}  // namespace bugsieve
