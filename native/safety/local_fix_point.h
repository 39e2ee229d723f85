// The Bellman fix-point on the states that a start needs, with work in proportion to the
// transitions among them (and to the radius), however the losses spread.
//
// Every examined state has a marked action, the first of the best, and watches its outcomes. When
// the value of a state rises, those that watch it are backed up again, at once. States to which no
// marked action leads any more are not examined. When nothing is left to do, the examined states
// rely on each other only, and their values are final.
#pragma once

#include "safety/meter.h"
#include "safety/values.h"

namespace bugsieve {

// As Decider::decide promises.
void decide_by_local_fix_point(Values& values, StateId start, Meter& meter);

}  // namespace bugsieve
