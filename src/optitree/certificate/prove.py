"""The proof: price lists and branchings that reach a goal, or as much of it as there is time for."""

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..verify import TOLERANCE
from ..verify_prices import PRICE_UNIT, ULP, Costs
from .branching import Branching
from .column_generation import ColumnGeneration, Oracle
from .price_lists import OutOfTimeError, Prices, leaves_of, repaired, spread

# Linear programs are for tables of so many groups, and get so many seconds, if they do not see before that they lead
# nowhere: the rest is for branchings.
_MOST_GROUPS = 2500
_SECONDS_OF_PROGRAMS = 60.0
# Leaves that these prices find too cheap are worth knowing from the start.
_RAISE = 1.05
# Shares of the prices of a search to begin with, and what of the time the first pass may take for each of them.
_SHARES = (1.0, 0.8, 0.6, 0.4, 0.0)
_SHALLOW = 4
_OF_TIME, _OF_TIME_IF_SHALLOW = 0.25, 0.1
# A pass over all leaves takes the longer the higher the prices, as a power of their share of those of a search. A low
# share comes first, or a lower one where that takes too much of the time; then as much as by its time there is time
# for, and in the end all but so much of the root loss. All of it is tried only where that was quick: there is time for
# so many such passes.
_FIRST_SHARE, _FIRST_SHARE_OF_TREE, _MOST_OF_TREE = 0.4, 0.08, 0.5
_OF_TIME_FOR_THE_FIRST, _OF_TIME_FOR_NEXT = 0.25, 0.6
_POWER, _LEAST_POWER, _LARGEST_STEP, _LEAST_STEP = 6.0, 3.0, 1.35, 1.04
_GIVEN_UP, _PASSES_FOR_ALL = 0.018, 10


@dataclass
class Proof:
    """Price lists and branchings as they are in a certificate."""

    prices: list[dict[str, Any]] = field(default_factory=list)
    branchings: list[Any] = field(default_factory=list)
    bound: float = 0.0  # what no tree costs less than, by the checker's own arithmetic


@dataclass(frozen=True)
class Aim:
    """What is to be proven: that no tree within a depth costs less than ``goal``, which is what ``tree`` costs.

    ``prices`` are those of a search, beyond the loss inside groups; None if it had none.
    """

    goal: float
    tree: Any
    depth: float
    prices: Prices | None


def prove(costs: Costs, aim: Aim, oracle: Oracle, deadline: float) -> Proof:
    """Prove an aim: by one price list if there is one, else by branching."""
    time_left = deadline - time.monotonic()
    net = spread(costs, aim.tree) if aim.prices is None else aim.prices
    generation = _generated(costs, aim, net, oracle, time.monotonic() + min(_SECONDS_OF_PROGRAMS, time_left / 4))
    net = generation.prices if generation.prices.any() else net
    at_most = _OF_TIME_IF_SHALLOW if aim.depth <= _SHALLOW and not generation.closed else _OF_TIME
    for share in _SHARES:  # as much as a pass can be completed for; branchings do the rest
        prices = repaired(costs, share * net, time.monotonic() + at_most * time_left)
        if prices is not None:
            break
    else:
        return Proof()
    proof = _by_prices(prices)
    if proof.bound >= aim.goal - TOLERANCE / 2:
        return proof
    branching = Branching(costs, prices, PRICE_UNIT, deadline)
    try:
        reached = branching.prove([], aim.depth, aim.goal - TOLERANCE / 2)
    except OutOfTimeError:
        return proof
    return Proof(proof.prices, [list(entry) for entry in branching.entries], reached)


def _generated(costs: Costs, aim: Aim, net: Prices, oracle: Oracle, deadline: float) -> ColumnGeneration:
    generation = ColumnGeneration(costs, leaves_of(costs, aim.tree), oracle, deadline)
    with suppress(OutOfTimeError):
        for start in (net, np.minimum(_RAISE * net, costs.price)):
            generation.start(start)
        if costs.price > 0 and len(net) <= _MOST_GROUPS:
            generation.run()
    return generation


def bound(costs: Costs, tree: Any, prices: Prices | None, deadline: float) -> Proof:
    """Prove the lower bound of a stopped search, or one that is a little lower, by its prices.

    If the search came to no prices, shares of the cost of its tree are tried.
    """
    start, share, most = spread(costs, tree), _FIRST_SHARE_OF_TREE, _MOST_OF_TREE
    if prices is not None:
        start, share, most = prices, _FIRST_SHARE, max(1 - _GIVEN_UP / float(prices.sum()), 0.5)
    best, last, power = Proof(), None, _POWER
    while share > 0.01:
        begin = time.monotonic()
        patience = _OF_TIME_FOR_THE_FIRST if last is None else 1.0
        found = _pass(costs, share * start, begin + patience * (deadline - begin))
        if found is None and last is None:
            share /= 3
            continue
        if found is None:
            break
        best, took = max(best, found, key=lambda proof: proof.bound), time.monotonic() - begin
        if last is not None and took > last[1]:
            power = max(math.log(took / last[1]) / math.log(share / last[0]), _LEAST_POWER)
        last = share, took
        following = _next_share(share, most, power, (deadline - time.monotonic()) / took)
        if following is None:
            break
        share = following
    return best


def _next_share(share: float, most: float, power: float, times: float) -> float | None:
    """Return the share that comes after one, if there is time for so many times what its pass took."""
    if share >= most:
        return 1.0 if share < 1 and most > _MOST_OF_TREE and times > _PASSES_FOR_ALL else None
    reach = share * (_OF_TIME_FOR_NEXT * times) ** (1 / power)
    reach = min(reach, most, _LARGEST_STEP * share)
    return reach if reach > _LEAST_STEP * share else None


def _pass(costs: Costs, net: Prices, deadline: float) -> Proof | None:
    prices = repaired(costs, net, deadline)
    return None if prices is None else _by_prices(prices)


def _by_prices(prices: list[int]) -> Proof:
    return Proof([{"where": [], "prices": prices}], bound=sum(prices) / PRICE_UNIT * (1 - 2 * ULP))


def depth_of(limit: int | None) -> float:
    """Return a limit on the depth as a number."""
    return math.inf if limit is None else limit
