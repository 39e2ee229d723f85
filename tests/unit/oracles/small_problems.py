"""Random small problems of the domains with deciders, odd ones among them."""

from __future__ import annotations

from random import Random

SIGNS = ("positive", "negative")
DIRECTIONS = {"up": (1, 0), "down": (-1, 0), "left": (0, -1), "right": (0, 1)}
FLOORS = ((1, 4), (2, 2), (2, 3), (3, 2), (3, 3), (4, 1), (4, 2), (2, 4), (5, 1))


def _problem(domain: str, objects: dict[str, list[str]], init: list[str], goal: list[str]) -> str:
    typed = " ".join(f"{' '.join(names)} - {kind}" for kind, names in objects.items() if names)
    return (
        f"(define (problem small) (:domain {domain}) (:objects {typed})\n"
        f"(:init {' '.join(init)})\n(:goal (and {' '.join(goal)})))\n"
    )


def spanner_problem(seed: int) -> str:
    """Any map, nuts anywhere, some spanners worn out or carried from the start."""
    random = Random(seed)
    places = [f"l{i}" for i in range(random.randint(1, 5))]
    spanners = [f"s{i}" for i in range(random.randint(0, 4))]
    nuts = [f"n{i}" for i in range(random.randint(1, 3))]
    init = [f"(at bob {random.choice(places)})"]
    init += [f"(link {a} {b})" for a in places for b in places if a != b and random.random() < 0.3]
    for spanner in spanners:
        lies = random.random() < 0.8
        place = f"(at {spanner} {random.choice(places)})"
        init.append(place if lies else f"(carrying bob {spanner})")
        init += [f"(usable {spanner})"] * (random.random() < 0.85)
    for nut in nuts:
        init.append(f"(at {nut} {random.choice(places)})")
        init.append(f"({'loose' if random.random() < 0.85 else 'tightened'} {nut})")
    goal = [f"(tightened {nut})" for nut in random.sample(nuts, random.randint(1, len(nuts)))]
    objects = {"man": ["bob"], "spanner": spanners, "nut": nuts, "location": places}
    return _problem("spanner", objects, init, goal)


def blocks_problem(seed: int) -> str:
    """One or two hands of any sign, some blocks held or no longer solid, any goal."""
    random = Random(seed)
    blocks = [f"b{i}" for i in range(random.randint(1, 4))]
    hands = [f"h{i}" for i in range(random.randint(1, 2))]
    init = [f"(hand-{random.choice(SIGNS)} {hand})" for hand in hands]
    free, tops = list(hands), list[str]()
    for block in random.sample(blocks, len(blocks)):
        draw = random.random()
        if draw < 0.15 and free:
            init.append(f"(holding {free.pop()} {block})")
        else:
            under = random.choice(tops) if draw < 0.6 and tops else None
            init.append(f"(on {block} {under})" if under else f"(on-table {block})")
            tops = [top for top in tops if top != under] + [block]
        init.append(f"(block-{random.choice(SIGNS)} {block})")
        init += [f"(solid {block})"] * (random.random() < 0.8)
    init += [f"(clear {top})" for top in tops] + [f"(empty {hand})" for hand in free]
    goal = _towers(random, blocks) if random.random() < 0.8 else _nonsense(random, blocks)
    return _problem("matching-blocksworld", {"block": blocks, "hand": hands}, init, goal)


def _towers(random: Random, blocks: list[str]) -> list[str]:
    goal, tops = list[str](), list[str]()
    for block in random.sample(blocks, len(blocks)):
        if tops and random.random() < 0.7:
            under = random.choice(tops)
            tops.remove(under)
            goal.append(f"(on {block} {under})")
        elif random.random() < 0.4:
            goal.append(f"(on-table {block})")
        tops.append(block)
    goal += [f"(clear {top})" for top in tops if random.random() < 0.3]
    return goal or [f"(on-table {blocks[0]})"]


def _nonsense(random: Random, blocks: list[str]) -> list[str]:
    """Goals that may contradict each other."""
    pairs = [(random.choice(blocks), random.choice(blocks)) for _ in range(random.randint(1, 3))]
    return [*(f"(on {a} {b})" for a, b in pairs), f"(clear {random.choice(blocks)})"]


def floor_problem(seed: int) -> str:
    """A floor with holes and paint on it, up to three robots, one or two colours."""
    random = Random(seed)
    rows, columns = random.choice(FLOORS)
    tiles = [(row, column) for row in range(rows) for column in range(columns)]
    tiles = [tile for tile in tiles if random.random() < 0.9] or tiles[:1]
    robots = [f"r{i}" for i in range(min(len(tiles), random.randint(1, 3)))]
    colors = ["white"] if random.random() < 0.7 else ["white", "black"]
    init = [f"(available-color {color})" for color in colors]
    standing = dict(zip(robots, random.sample(tiles, len(robots)), strict=True))
    for robot, tile in standing.items():
        init.append(f"(robot-at {robot} {_tile(tile)})")
        init.append(f"(robot-has {robot} {random.choice(colors)})")
    for tile in tiles:
        if tile not in standing.values():
            draw = random.random()
            if draw < 0.9:
                init.append(f"(clear {_tile(tile)})")
            elif draw < 0.97:
                init.append(f"(painted {_tile(tile)} {random.choice(colors)})")
        for direction, (up, right) in DIRECTIONS.items():
            there = (tile[0] + up, tile[1] + right)
            if there in tiles:
                init.append(f"({direction} {_tile(there)} {_tile(tile)})")
    wanted = [tile for tile in tiles if random.random() < 0.6] or tiles[:1]
    goal = [f"(painted {_tile(tile)} {random.choice(colors)})" for tile in wanted]
    objects = {"tile": [_tile(tile) for tile in tiles], "robot": robots, "color": colors}
    return _problem("floortile", objects, init, goal)


def _tile(tile: tuple[int, int]) -> str:
    return f"t{tile[0]}-{tile[1]}"
