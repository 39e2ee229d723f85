// The algorithms that decide whether a state is (r-)safe.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "safety/meter.h"
#include "safety/values.h"

namespace bugsieve {

class Decider {
  public:
    virtual ~Decider() = default;

    // Improves the values until the start is decided; throws LimitReached if that takes too much.
    // The values remain right at every end.
    virtual void decide(StateId start, Meter& meter) = 0;
    virtual std::size_t bytes() const = 0;
};

constexpr std::array<std::string_view, 4> kDeciderNames{"tarjan", "lrtdp", "lao", "vi"};

bool is_decider(std::string_view name);
std::unique_ptr<Decider> make_decider(std::string_view name, Values& values);

std::unique_ptr<Decider> make_tarjan_safe(Values& values);
std::unique_ptr<Decider> make_lrtdp(Values& values);
std::unique_ptr<Decider> make_lao_star(Values& values);
std::unique_ptr<Decider> make_value_iteration(Values& values);

}  // namespace bugsieve
