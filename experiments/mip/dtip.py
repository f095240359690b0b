"""DTIP: decision trees as integer programs (Verwer and Zhang 2017), for regression with absolute error.

Variables, named as there (j: a branch node, l: a leaf node, h: a level, r: here a group of rows instead of a row):

    f_ij   1 if node j splits by feature i      c_j    threshold of node j
    d_hr   1 if r goes left at level h          p_l    prediction of leaf l      e_r   error of r

A row has one variable for each level, not for each leaf: where it goes left or right at every level decides its leaf.
With m(j, r) the number of levels above node j where r does not go the way to j,

    minimise  sum_r e_r
    one feature  sum_i f_ij = 1
    left         sum_i x_ir f_ij <= c_j - 1 + M_r (m(j, r) + 1 - d_hr)        h the level of j
    right        sum_i x_ir f_ij >= c_j - M'_r (m(j, r) + d_hr)
    over         p_l - y_r <= e_r + M_t m(l, r)
    under        y_r - p_l <= e_r + M_t m(l, r)

A row that comes to j goes left exactly where its value is below c_j, an integer. M_r is the largest value of the row
minus the smallest of all, M'_r the largest of all minus the smallest of the row, M_t the range of the target. Features
are 0 or 1 here: c_j is 1, and the transformation of values to small integers that the paper begins with has nothing
to do. Rows are grouped (`experiments.mip.sample`), with an e_r for every point of a group.

**What it is compared with.** The program has no penalty for leaves and fills a full tree of its depth; a node whose
feature is constant among its rows splits nothing. Every tree of at most that depth is therefore one of its trees, with
the same loss, and the other way round: its optimum is ours with regularization 0 and the same `max_depth`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np

from experiments.mip.found import Found
from experiments.mip.full_tree import ancestors, branch_nodes, leaf_nodes, level
from experiments.mip.program import new_program, run
from experiments.mip.sample import Sample, objective

LOWEST, HIGHEST = 0, 1  # of all values of all features
M_T = 1.0  # targets lie between 0 and 1


@dataclass(frozen=True)
class Ways:
    """The variables d_hr, and the number of levels where a row leaves the way to a node."""

    d: dict[tuple[int, int], Any]

    def missed(self, node: int, row: int) -> Any:
        """Return m(j, r): 0 if the row comes to the node, else at least 1."""
        return highspy.Highs.qsum(
            1 - self.d[level(above), row] if left else self.d[level(above), row] for above, left in ancestors(node)
        )


def solve_dtip(data: Sample, depth: int, limit: float) -> Found:
    """Find the tree of this depth with the least absolute error, in so many seconds at most."""
    if data.loss != "absolute_error":
        raise ValueError(f"DTIP minimises the absolute error, not {data.loss}: make the sample with absolute_error.")
    program = new_program()
    f = _build(program, data, depth)
    found = Found(columns=program.numVariables, constraints=program.numConstrs)
    answer = run(program, limit)
    if answer.values is None:
        return found.without_tree(answer)
    splits = {j: i for (i, j), chosen in f.items() if answer.values[chosen.index] > 0.5}
    return found.with_tree(answer, splits, objective(data, splits, depth, 0.0))


def _build(program: highspy.Highs, data: Sample, depth: int) -> dict[tuple[int, int], Any]:
    """Return the variables f_ij."""
    rows, features = data.features.shape
    f = {(i, j): program.addBinary(name=f"f[{i},{j}]") for i in range(features) for j in branch_nodes(depth)}
    c = {j: program.addIntegral(LOWEST + 1, HIGHEST, name=f"c[{j}]") for j in branch_nodes(depth)}
    ways = Ways({(h, r): program.addBinary(name=f"d[{h},{r}]") for h in range(depth) for r in range(rows)})
    p = {t: program.addVariable(0, 1, name=f"p[{t}]") for t in leaf_nodes(depth)}
    e = [program.addVariable(0, 1, obj=w / data.root_loss, name=f"e[{k}]") for k, w in enumerate(data.weight)]

    for j in branch_nodes(depth):
        program.addConstr(program.qsum(f[i, j] for i in range(features)) == 1, f"one_feature[{j}]")
        for r, x in enumerate(data.features):
            chosen = program.qsum(f[int(i), j] for i in np.flatnonzero(x))
            left, missed = ways.d[level(j), r], ways.missed(j, r)
            above, below = int(x.max()) - LOWEST, HIGHEST - int(x.min())
            program.addConstr(chosen <= c[j] - 1 + above * (missed + 1 - left), f"left[{j},{r}]")
            program.addConstr(chosen >= c[j] - below * (missed + left), f"right[{j},{r}]")
    for t in leaf_nodes(depth):
        for k, (r, y) in enumerate(zip(data.group, data.target, strict=True)):
            missed = ways.missed(t, int(r))
            program.addConstr(p[t] - float(y) <= e[k] + M_T * missed, f"over[{t},{k}]")
            program.addConstr(float(y) - p[t] <= e[k] + M_T * missed, f"under[{t},{k}]")
    return f
