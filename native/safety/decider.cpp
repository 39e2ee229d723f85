#include "safety/decider.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace bugsieve {

bool is_decider(std::string_view name) {
    return std::ranges::find(kDeciderNames, name) != kDeciderNames.end();
}

std::unique_ptr<Decider> make_decider(std::string_view name, Values& values) {
    if (name == "tarjan") return make_tarjan_safe(values);
    if (name == "lrtdp") return make_lrtdp(values);
    if (name == "lao") return make_lao_star(values);
    if (name == "vi") return make_value_iteration(values);
    throw std::invalid_argument("unknown algorithm '" + std::string(name) + "'");
}

}  // namespace bugsieve
