"""Valid SAS texts to spoil: small, and together they use every part of the format."""

from __future__ import annotations

LAMP = """\
begin_version
3
end_version
begin_metric
1
end_metric
3
begin_variable
var0
-1
2
Atom plugged()
NegatedAtom plugged()
end_variable
begin_variable
var1
-1
3
Atom off(lamp)
Atom on(lamp)
<none of those>
end_variable
begin_variable
var2
-1
2
Atom dark(room, lamp)
NegatedAtom dark(room, lamp)
end_variable
1
begin_mutex_group
2
1 1
2 0
end_mutex_group
begin_state
1
0
0
end_state
begin_goal
2
1 1
2 1
end_goal
3
begin_operator
plug lamp
1
1 0
1
0 0 1 0
2
end_operator
begin_operator
press lamp
1
0 0
2
1 2 0 1 -1 1
2 0 0 1 0 2 -1 1
3
end_operator
begin_operator
wait
0
0
0
end_operator
0
"""

NO_GOAL_TO_REACH = """\
begin_version
3
end_version
begin_metric
0
end_metric
1
begin_variable
var0
-1
2
Atom p()
NegatedAtom p()
end_variable
0
begin_state
1
end_state
begin_goal
1
0 0
end_goal
0
0
"""

TEXTS = (LAMP, NO_GOAL_TO_REACH)
