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
# What of the prices of a search is given up where a pass over all leaves takes too long: first so much of the root
# loss, then shares; and what of the time that is left such a pass may take.
_GIVEN_UP, _SHARES_LEFT = 0.018, (0.85, 0.7, 0.5, 0.3, 0.1)
_OF_TIME_FOR_A_BOUND, _PASSES_FOR_ALL = 0.5, 10
_SHARES_OF_TREE = (0.5, 0.35, 0.25, 0.15, 0.08)


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

    What is a little lower is tried first: a pass takes a fraction of the time. All of it is tried if there is time for
    many such passes, less if there was not even for one. If the search came to no prices, shares of the cost of its
    tree are tried: the lower, the sooner a pass is over.
    """
    shares: tuple[float, ...]
    if prices is None:
        start, shares = spread(costs, tree), _SHARES_OF_TREE
    else:
        start, shares = prices, (max(1 - _GIVEN_UP / float(prices.sum()), 0.5), *_SHARES_LEFT)
    for share in shares:
        begin = time.monotonic()
        found = _pass(costs, share * start, begin + _OF_TIME_FOR_A_BOUND * (deadline - begin))
        if found is not None:
            took = time.monotonic() - begin
            enough = prices is not None and time.monotonic() + _PASSES_FOR_ALL * took < deadline
            return (_pass(costs, start, deadline) if enough else None) or found
    return Proof()


def _pass(costs: Costs, net: Prices, deadline: float) -> Proof | None:
    prices = repaired(costs, net, deadline)
    return None if prices is None else _by_prices(prices)


def _by_prices(prices: list[int]) -> Proof:
    return Proof([{"where": [], "prices": prices}], bound=sum(prices) / PRICE_UNIT * (1 - 2 * ULP))


def depth_of(limit: int | None) -> float:
    """Return a limit on the depth as a number."""
    return math.inf if limit is None else limit
