#include "search/search.h"

#include <algorithm>

namespace bugsieve {

std::string_view status_name(Status status) {
    switch (status) {
        case Status::kSolved:
            return "solved";
        case Status::kUnsolvable:
            return "unsolvable";
        case Status::kBound:
            return "bound";
        case Status::kGaveUp:
            return "gave-up";
        case Status::kExpansions:
            return "expansions";
        case Status::kTime:
            return "time";
        case Status::kMemory:
            return "memory";
    }
    return "";
}

std::vector<std::int32_t> Leaves::path(std::size_t leaf) const {
    std::vector<std::int32_t> operators;
    for (std::int32_t at = last_steps.at(leaf); at >= 0;) {
        const Step& step = steps[static_cast<std::size_t>(at)];
        operators.push_back(step.op);
        at = step.previous;
    }
    std::reverse(operators.begin(), operators.end());
    return operators;
}

}  // namespace bugsieve
