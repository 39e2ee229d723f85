"""The dynamics of the domains as plain Python, from their descriptions and not from the models.

Each function maps the values of a state to the outcomes of every action that is possible there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

State = dict[str, Any]
Outcomes = dict[str, list[State]]
Simulator = Callable[[State], Outcomes]


def line(
    length: int, max_speed: int, icy: set[int], *, two_way: bool, loss: bool, capacity: int
) -> Simulator:
    last = length - 1
    lowest = -max_speed if two_way else 0

    def drive(state: State, action: str, change: int) -> list[State]:
        place, speed = state["position"], state["speed"]
        there = place + speed
        if there > last:
            return [state | {"position": length}]
        if there < 0:
            return [state | {"position": -1}]
        arrived = state | {"position": there, "speed": speed + change}
        outcomes = [arrived]
        if place in icy and speed != 0:
            if action == "move":
                gained = speed + (1 if speed > 0 else -1)
                if -max_speed <= gained <= max_speed:
                    outcomes.append(state | {"position": there, "speed": gained})
            else:
                outcomes.append(state | {"position": there})
        if loss and state["load"] > 0:
            forward = speed > 0 or (speed == 0 and change > 0)
            onto = min(place + 1, last) if forward else max(place - 1, 0)
            name = f"packages_{onto}"
            lost = {name: state[name] + 1, "load": state["load"] - 1}
            outcomes.append(arrived | lost)
        return outcomes

    def simulate(state: State) -> Outcomes:
        place, speed, load = state["position"], state["speed"], state["load"]
        found: Outcomes = {}
        if not 0 <= place <= last:
            return found
        here = f"packages_{place}"
        if speed == 0 and state[here] > 0 and load < capacity and (two_way or place < last):
            found["pick_up"] = [state | {here: state[here] - 1, "load": load + 1}]
        if speed == 0 and load > 0 and (two_way or place == last):
            found["drop"] = [state | {here: state[here] + 1, "load": load - 1}]
        if state.get("parked", 0) == 0:
            if speed < max_speed:
                found["acc"] = drive(state, "acc", 1)
            if speed > lowest:
                found["dec"] = drive(state, "dec", -1)
            if speed != 0:
                found["move"] = drive(state, "move", 0)
            if "parked" in state and place == last and speed == 0:
                found["park"] = [state | {"parked": 1}]
        return found

    return simulate


def ball(dt: float, episodes: int) -> Simulator:
    gravity = -9.8067

    def fly(state: State, v: float) -> State:
        h = state["height"]
        if h <= -v * dt - gravity * dt * dt / 2:
            changed = {"height": 0.9 * h, "velocity": -0.9487 * v}
        else:
            changed = {
                "height": h + v * dt + gravity * dt * dt / 2,
                "velocity": v + gravity * dt,
            }
        return state | changed | {"episode": state["episode"] + 1}

    def simulate(state: State) -> Outcomes:
        if state["episode"] == episodes:
            return {}
        found = {"skip": [fly(state, state["velocity"])]}
        if 5 <= state["height"] <= 9 and state["velocity"] >= -96:
            found["push"] = [fly(state, state["velocity"] - 4)]
        return found

    return simulate


def pendulum(episodes: int) -> Simulator:
    def turn(state: State, torque: float) -> State:
        acceleration = 1.5 * 9.8607 * state["angle"] + 3 * torque
        velocity = state["angular_velocity"] + 0.1 * acceleration
        angle = state["angle"] + 0.1 * velocity
        return {"episode": state["episode"] + 1, "angle": angle, "angular_velocity": velocity}

    def simulate(state: State) -> Outcomes:
        if state["episode"] == episodes or abs(state["angle"]) > 0.785:
            return {}
        torques = {"rotate_left": -2, "skip": 0, "rotate_right": 2}
        return {action: [turn(state, torque)] for action, torque in torques.items()}

    return simulate


def cartpole(dt: float, episodes: int) -> Simulator:
    def push(state: State, force: float) -> State:
        turning = (9.8 * state["theta"] - force / 1.1) / (0.5 * (4 / 3 - 0.1 / 1.1))
        acceleration = force / 1.1 - 0.1 * 0.5 * turning / 1.1
        return {
            "episode": state["episode"] + 1,
            "x": state["x"] + dt * state["v"],
            "v": state["v"] + dt * acceleration,
            "theta": state["theta"] + dt * state["omega"],
            "omega": state["omega"] + dt * turning,
        }

    def simulate(state: State) -> Outcomes:
        if state["episode"] == episodes or abs(state["theta"]) > 0.21:
            return {}
        return {"left": [push(state, -10)], "right": [push(state, 10)]}

    return simulate


def follow_car(episodes: int) -> Simulator:
    def simulate(state: State) -> Outcomes:
        if state["episode"] == episodes or state["ego"] >= state["lead"]:
            return {}
        moved = {
            "episode": state["episode"] + 1,
            "lead": state["lead"] + 2.8,
            "ego": state["ego"] + 0.1 * state["speed"],
        }
        found = {}
        if state["speed"] + 0.1 <= 60:
            found["accelerate"] = [moved | {"speed": state["speed"] + 0.1}]
        if state["speed"] - 0.1 >= 0:
            found["brake"] = [moved | {"speed": state["speed"] - 0.1}]
        return found

    return simulate


def puzzle(rows: int, columns: int, max_cost: int) -> Simulator:
    def simulate(state: State) -> Outcomes:
        grid = {
            divmod(state[name] - 1, columns): name for name in state if name.startswith("tile_")
        }
        row, column = divmod(state["empty"] - 1, columns)
        sources = {
            "up": (row + 1, column),
            "down": (row - 1, column),
            "left": (row, column + 1),
            "right": (row, column - 1),
        }
        found: Outcomes = {}
        for action, source in sources.items():
            if source in grid:
                tile = grid[source]
                cost = tile.replace("tile", "cost")
                found[action] = [state | {tile: state["empty"], "empty": state[tile]}]
                if state[cost] < max_cost:
                    found[action].append(state | {cost: state[cost] + 1})
        return found

    return simulate


def blocks(number: int, max_cost: int, time_limit: int | None) -> Simulator:
    def moved(state: State, block: int, place: int, *, fell: bool) -> State:
        values = {f"on_{block}": place}
        values[f"height_{block}"] = state[f"height_{place}"] + 1 if place else 0
        changed = state | values
        if time_limit is not None:
            spent = state["time"] + 1 + state[f"cost_{block}"]
            changed["time"] = min(spent, time_limit)
        if fell:
            changed[f"cost_{block}"] += 1
        changed["on_table"] = sum(changed[f"on_{b}"] == 0 for b in range(1, number + 1))
        return changed

    def simulate(state: State) -> Outcomes:
        found: Outcomes = {}
        if time_limit is not None and state["time"] >= time_limit:
            return found
        under = {state[f"on_{b}"] for b in range(1, number + 1)}
        tops = [b for b in range(1, number + 1) if b not in under]
        for block in tops:
            for place in [0, *tops]:
                if place in (block, state[f"on_{block}"]):
                    continue
                outcomes = [moved(state, block, place, fell=False)]
                if place and state[f"cost_{block}"] < max_cost:
                    outcomes.append(moved(state, block, 0, fell=True))
                found[f"move_{block}_to_{place or 'table'}"] = outcomes
        return found

    return simulate
