"""Two domains in which ties decide how much LM-cut says: lifts with costs, and stacks of orders.

Passengers change between slow lifts and a fast one, and only moves cost. Orders stand on stacks
while their products are made, and only a new stack costs.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

LIFTS = """(define (domain lifts)
(:requirements :typing :action-costs)
(:types lift floor passenger load)
(:predicates (waits ?p - passenger ?f - floor) (in ?p - passenger ?l - lift)
  (at ?l - lift ?f - floor) (holds ?l - lift ?n - load) (room ?l - lift ?n - load)
  (one-more ?a ?b - load) (way ?l - lift ?a ?b - floor))
(:functions (total-cost) - number (price ?l - lift ?a ?b - floor) - number)
(:action move :parameters (?l - lift ?a ?b - floor)
  :precondition (and (at ?l ?a) (way ?l ?a ?b))
  :effect (and (not (at ?l ?a)) (at ?l ?b) (increase (total-cost) (price ?l ?a ?b))))
(:action board :parameters (?p - passenger ?l - lift ?f - floor ?a ?b - load)
  :precondition (and (waits ?p ?f) (at ?l ?f) (holds ?l ?a) (one-more ?a ?b) (room ?l ?b))
  :effect (and (not (waits ?p ?f)) (in ?p ?l) (not (holds ?l ?a)) (holds ?l ?b)))
(:action leave :parameters (?p - passenger ?l - lift ?f - floor ?a ?b - load)
  :precondition (and (in ?p ?l) (at ?l ?f) (holds ?l ?b) (one-more ?a ?b))
  :effect (and (not (in ?p ?l)) (waits ?p ?f) (not (holds ?l ?b)) (holds ?l ?a))))
"""

STACKS = """(define (domain stacks)
(:requirements :typing :action-costs)
(:types order product count)
(:constants {orders} - order {products} - product)
(:predicates (waiting ?o - order) (started ?o - order) (shipped ?o - order)
  (made ?p - product) (missing ?p - product) (free ?n - count) (next ?a ?b - count))
(:functions (total-cost) - number)
(:action open-stack :parameters (?a ?b - count)
  :precondition (and (free ?a) (next ?a ?b))
  :effect (and (not (free ?a)) (free ?b) (increase (total-cost) 1)))
(:action start :parameters (?o - order ?a ?b - count)
  :precondition (and (waiting ?o) (free ?b) (next ?a ?b))
  :effect (and (not (waiting ?o)) (started ?o) (not (free ?b)) (free ?a)))
{actions})
"""
MAKE = """(:action make-{0} :parameters ()
  :precondition (and (missing {0}) {1})
  :effect (and (not (missing {0})) (made {0})))
"""
SHIP = """(:action ship-{0} :parameters (?a ?b - count)
  :precondition (and (started {0}) (free ?a) (next ?a ?b) {1})
  :effect (and (not (started {0})) (shipped {0}) (not (free ?a)) (free ?b)))
"""


def lifts(*, floors: int, stops: int, passengers: int, seed: int) -> tuple[str, str]:
    """Domain and problem; the fast lift stops at every so-manieth floor, two slow ones meet."""
    rng = random.Random(seed)
    reached = {
        "fast": range(0, floors, stops),
        "lower": range(floors // 2 + 1),
        "upper": range(floors // 2, floors),
    }
    init = [f"(one-more n{k} n{k + 1})" for k in range(3)]
    for lift, served in reached.items():
        init += [f"(at {lift} f{rng.choice(served)})", f"(holds {lift} n0)"]
        init += [f"(room {lift} n{k + 1})" for k in range(3 if lift == "fast" else 2)]
        for a, b in ((a, b) for a in served for b in served if a != b):
            price = 3 * abs(a - b) if lift == "fast" else 5 + abs(a - b)
            init += [f"(way {lift} f{a} f{b})", f"(= (price {lift} f{a} f{b}) {price})"]
    goal = []
    for passenger in range(passengers):
        start, end = rng.sample(range(floors), 2)
        init.append(f"(waits p{passenger} f{start})")
        goal.append(f"(waits p{passenger} f{end})")
    objects = f"{' '.join(reached)} - lift {_names('f', floors)} - floor "
    objects += f"{_names('p', passengers)} - passenger {_names('n', 4)} - load"
    return LIFTS, _problem("lifts", objects, init, goal)


def stacks(*, orders: int, products: int, seed: int) -> tuple[str, str]:
    """Domain and problem; each order has up to three products."""
    rng = random.Random(seed)
    wanted = [rng.sample(range(products), rng.randint(1, 3)) for _ in range(orders)]
    made = sorted({product for order in wanted for product in order})
    actions = [
        MAKE.format(f"p{p}", " ".join(f"(started o{o})" for o in range(orders) if p in wanted[o]))
        for p in made
    ]
    actions += [
        SHIP.format(f"o{o}", " ".join(f"(made p{p})" for p in order))
        for o, order in enumerate(wanted)
    ]
    domain = STACKS.format(
        orders=_names("o", orders),
        products=" ".join(f"p{p}" for p in made),
        actions="".join(actions),
    )
    init = ["(free n0)", *(f"(next n{k} n{k + 1})" for k in range(orders))]
    init += [f"(waiting o{o})" for o in range(orders)] + [f"(missing p{p})" for p in made]
    goal = [f"(shipped o{o})" for o in range(orders)]
    return domain, _problem("stacks", f"{_names('n', orders + 1)} - count", init, goal)


def _names(letter: str, count: int) -> str:
    return " ".join(f"{letter}{k}" for k in range(count))


def _problem(domain: str, objects: str, init: Iterable[str], goal: Iterable[str]) -> str:
    return (
        f"(define (problem {domain}-generated) (:domain {domain})\n(:objects {objects})\n"
        f"(:init (= (total-cost) 0) {' '.join(init)})\n(:goal (and {' '.join(goal)}))\n"
        "(:metric minimize (total-cost)))\n"
    )
