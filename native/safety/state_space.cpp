#include "safety/state_space.h"

#include <algorithm>

namespace bugsieve {

namespace {

constexpr std::size_t kBlockBytes = 1 << 18;

}  // namespace

StateSpace::StateSpace(TransitionSystem& system, PolicyView* policy)
    : system_(system), policy_(policy), numbers_(system.words()) {}

StateId StateSpace::insert(const std::uint64_t* row) {
    const auto [id, is_new] = numbers_.insert(row);
    if (is_new) records_.push_back(nullptr);
    return id;
}

void StateSpace::expand(StateId id, Meter& meter) {
    meter.count_expansion();
    system_.expand(numbers_[id], expansion_);
    const auto& actions = expansion_.actions;
    std::size_t policys = actions.size();
    if (policy_ != nullptr && !actions.empty()) {
        const std::int32_t choice = policy_->action(numbers_[id]);
        const auto found = std::lower_bound(actions.begin(), actions.end(), choice);
        if (found != actions.end() && *found == choice)
            policys = static_cast<std::size_t>(found - actions.begin());
    }
    record_.clear();
    write(static_cast<std::uint32_t>(actions.size() << 1 | (policys < actions.size() ? 1 : 0)));
    if (policys < actions.size()) write_action(id, policys);
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (i != policys) write_action(id, i);
    records_[id] = keep(record_);
    ++expanded_;
}

void StateSpace::write_action(StateId id, std::size_t index) {
    const std::uint32_t begin = expansion_.offsets[index], end = expansion_.offsets[index + 1];
    write(static_cast<std::uint32_t>(expansion_.actions[index]));
    write(end - begin);
    for (std::uint32_t i = begin; i < end; ++i) {
        // Outcomes are mostly numbered close to the state they come from.
        const std::uint32_t ahead = insert(expansion_.outcomes.data() + i * numbers_.words()) - id;
        write(ahead << 1 ^ (0 - (ahead >> 31)));
    }
}

void StateSpace::write(std::uint32_t value) {
    for (; value >= 0x80; value >>= 7) record_.push_back(static_cast<std::uint8_t>(value | 0x80));
    record_.push_back(static_cast<std::uint8_t>(value));
}

const std::uint8_t* StateSpace::keep(std::span<const std::uint8_t> record) {
    if (block_used_ + record.size() > block_size_) {
        block_size_ = std::max(kBlockBytes, record.size());
        blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(block_size_));
        block_bytes_ += block_size_;
        block_used_ = 0;
    }
    std::uint8_t* at = blocks_.back().get() + block_used_;
    std::copy(record.begin(), record.end(), at);
    block_used_ += record.size();
    return at;
}

std::size_t StateSpace::bytes() const {
    return numbers_.bytes() + records_.capacity() * sizeof(records_[0]) + block_bytes_ +
           blocks_.capacity() * sizeof(blocks_[0]);
}

}  // namespace bugsieve
