#include "safety/state_space.h"

#include <algorithm>
#include <exception>

namespace bugsieve {

namespace {

constexpr std::size_t kBlockBytes = 1 << 16;
constexpr std::int32_t kAnswer = 2;

}  // namespace

StateSpace::StateSpace(TransitionSystem& system, PolicyView* policy)
    : system_(system),
      policy_(policy),
      numbers_(system.words()),
      most_at_once_(policy == nullptr ? 1 : policy->preferred_batch()) {}

StateId StateSpace::keep(StateNumbers::Inserted inserted) {
    if (inserted.is_new && most_at_once_ > 1) waiting_.push(inserted.id);
    return inserted.id;
}

void StateSpace::expand(StateId id, Meter& meter) {
    meter.count_expansion();
    system_.expand(numbers_[id], expansion_);
    hashes_.clear();
    for (std::size_t at = 0; at < expansion_.outcomes.size(); at += numbers_.words())
        hashes_.push_back(numbers_.announce(expansion_.outcomes.data() + at));
    for (const std::uint32_t hash : hashes_) numbers_.approach(hash);
    const auto& actions = expansion_.actions;
    std::size_t policys = actions.size();
    if (policy_ != nullptr && !actions.empty()) {
        const std::int32_t choice = policys_choice(id);
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
    outcomes_ += expansion_.offsets.back();
}

std::int32_t StateSpace::policys_choice(StateId id) {
    if (most_at_once_ <= 1) return policy_->action(numbers_[id]);
    if (answers_.at(id) == 0) ask(id);
    return answers_[id] - kAnswer;
}

void StateSpace::ask(StateId id) {
    gather_batch(id);
    choices_.resize(batch_.size());
    try {
        policy_->actions(questions_.data(), batch_.size(), choices_.data());
    } catch (const Interrupted&) {
        throw;
    } catch (const std::exception&) {
        // Another state may be to blame, which perhaps is not needed: what counts is this one.
        batch_.resize(1);
        policy_->actions(questions_.data(), 1, choices_.data());
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        const bool is_action = choices_[i] >= 0 && choices_[i] < system_.num_actions();
        answers_.at(batch_[i]) = (is_action ? choices_[i] : -1) + kAnswer;
    }
}

// The state, and those of the waiting ones that were met last, as they are likely to be next.
void StateSpace::gather_batch(StateId id) {
    batch_.assign(1, id);
    while (batch_.size() < most_at_once_ && !waiting_.empty()) {
        const StateId other = waiting_.take();
        if (other != id && needs_answer(other)) batch_.push_back(other);
    }
    questions_.clear();
    for (const StateId each : batch_)
        questions_.insert(questions_.end(), numbers_[each], numbers_[each] + numbers_.words());
}

bool StateSpace::needs_answer(StateId id) {
    if (is_expanded(id) || answers_.get(id) != 0) return false;
    try {
        return system_.classify(numbers_[id]) == TransitionSystem::Kind::kOrdinary;
    } catch (const std::exception&) {
        return false;  // if the state matters, this comes again
    }
}

void StateSpace::write_action(StateId id, std::size_t index) {
    const std::uint32_t begin = expansion_.offsets[index], end = expansion_.offsets[index + 1];
    write(static_cast<std::uint32_t>(expansion_.actions[index]));
    write(end - begin);
    // Models mostly list last what goes wrong, and one lost outcome settles an action.
    for (std::uint32_t i = end; i-- > begin;) {
        // Outcomes are mostly numbered close to the state they come from.
        const std::uint64_t* row = expansion_.outcomes.data() + i * numbers_.words();
        const std::uint32_t ahead = keep(numbers_.insert(row, hashes_[i])) - id;
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
    return numbers_.bytes() + records_.bytes() + block_bytes_ +
           blocks_.capacity() * sizeof(blocks_[0]) + answers_.bytes() + waiting_.bytes();
}

}  // namespace bugsieve
