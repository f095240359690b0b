"""Every optimal tree as the regularization falls, found by asking for the best tree where two known ones cross."""

import math
from collections.abc import Callable
from dataclasses import replace

from .solution import PathStep, Solution

# Trees that differ by less, in units of the root loss, cost the same. Above the tolerance of the search, 1e-12.
_TOLERANCE = 1e-11
# On the way down the regularization falls by this factor: what is above is finished before harder problems begin.
_FACTOR = 4.0
# From here the way down is one step: it may end at zero, which no factor reaches.
_NEAR_ZERO = 1e-4


def walk_down(
    solve_at: Callable[[float], Solution], min_regularization: float, max_leaves: int | None = None
) -> tuple[PathStep, ...]:
    """Return the optimal trees from one leaf down to a regularization, as far as they have at most so many leaves.

    The cost of the best tree is the least of the lines ``loss(T) + r leaves(T)``, a concave function of the
    regularization r. Hence a tree that is best at two regularizations is best between them. Two best trees cross at one
    r: if no tree is better there, none is between, and r is where one takes over from the other. A better one splits
    the segment in two; its leaves are strictly between theirs, so this ends.

    ``solve_at`` may be stopped by a limit. What is proven by then is returned: a step that may reach further than
    stated has the status of the search that was stopped.
    """
    most = math.inf if max_leaves is None else max_leaves
    top = max(1.0, min_regularization)  # where a second leaf costs no less than all the loss there is
    few = PathStep(solve_at(top), top, math.inf)
    steps: list[PathStep] = []  # whose intervals are known
    ahead: list[PathStep] = []  # trees of more leaves, the nearest last, each known to be best at one r
    status = few.solution.status
    while status == "optimal" and few.low > min_regularization:
        if not ahead:
            r = few.low / _FACTOR if few.low / _FACTOR > max(min_regularization, _NEAR_ZERO) else min_regularization
            found = solve_at(r)
            status = found.status
            if status == "optimal":
                ahead.append(PathStep(found, r, r))
            continue
        many = ahead[-1]
        if many.leaves <= few.leaves:  # the same tree
            few = replace(few, low=ahead.pop().low)
            continue
        r = (few.solution.relative_loss - many.solution.relative_loss) / (many.leaves - few.leaves)
        found = solve_at(r)
        status = found.status
        if status != "optimal":
            break
        gain = few.solution.cost(r) - found.cost(r)
        if gain > _TOLERANCE and few.leaves < found.tree.n_leaves < many.leaves:
            ahead.append(PathStep(found, r, r))
            continue
        steps.append(replace(few, low=r))
        few = replace(ahead.pop(), high=r)
        if few.leaves > most:
            return tuple(steps)
    unfinished = [replace(step, status=status) for step in (few, *reversed(ahead)) if step.leaves <= most]
    return (*steps, *unfinished)
