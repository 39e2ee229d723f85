"""Moving values into variables of their own keeps what is known about the task."""

from __future__ import annotations

from bugsieve.tasks.grounded.encoding import CaseTask, encode
from bugsieve.tasks.grounded.sas_text import NO_ATOM, NOT_DERIVED, SasVariable


def test_mutex_groups_stay_true_when_values_move() -> None:
    """The goal "not p" moves p; in its old place, "none of those" then takes two facts to say."""
    place = SasVariable("var0", NOT_DERIVED, ["Atom p()", "Atom q()", NO_ATOM])
    light = SasVariable("var1", NOT_DERIVED, ["Atom r()", "NegatedAtom r()"])
    task = CaseTask(
        metric=0,
        variables=[place, light],
        dropped=frozenset(),
        mutexes=[[(0, 1), (0, 2), (1, 0)]],
        initial=[2, 1],
        goal={0: 0b110},
        operators=[],
    )
    encoded = encode(task)
    for group in encoded.mutexes:
        assert sum(encoded.initial[variable] == value for variable, value in group) <= 1
    names = [{encoded.variables[v].values[value] for v, value in g} for g in encoded.mutexes]
    assert names == [{"Atom q()", "Atom r()"}, {"Atom p()", "Atom q()"}]
