// Networks as Python holds them.
#pragma once

#include <memory>

#include "networks/network.h"

namespace bugsieve {

// Networks are immutable and shared by the policies that use them.
struct SharedNetwork {
    std::shared_ptr<const Network> network;
};

}  // namespace bugsieve
