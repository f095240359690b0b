"""ORT: optimal regression trees with constant leaves (Dunn 2018, after Bertsimas and Dunn 2017).

Variables, named as there (t: a leaf node, m: a branch node, i: here a group of rows instead of a row):

    d_m     1 if m splits              a_mj    1 if m splits by feature j         b_m   threshold of m
    z_it    1 if i is in leaf t        l_t     1 if leaf t has any row            L_i   loss of i
    beta_t  prediction of t            f_i     prediction for i                   C     number of splits

The program:

    minimise  (1 / root loss) sum_i L_i + alpha C
    loss         L_i >= (f_i - y_i)^2, or L_i >= |f_i - y_i|
    prediction   -M_f (1 - z_it) <= f_i - beta_t <= M_f (1 - z_it)
    right        a_m x_i >= b_m - (1 - z_it)                                               m right ancestor of t
    left         a_m (x_i + eps - eps_min) + eps_min <= b_m + (1 + eps_max)(1 - z_it)      m left ancestor of t
    one leaf     sum_t z_it = 1        used leaf  z_it <= l_t        size     sum_i z_it >= N_min l_t
    one feature  sum_j a_mj = d_m      threshold  0 <= b_m <= d_m    parent   d_m <= d_parent(m)
    complexity   C = sum_m d_m

Here features are 0 or 1, so every eps is 1, and N_min is 1. A tree of C splits has C + 1 leaves: with
alpha = regularization the program is ours but for one regularization, which is added to its objective. A split that
leaves a side empty is allowed and paid for; it is never needed.

**Where it differs from Dunn's runs.** With squared error the program has a convex quadratic constraint for every row.
Dunn gave it to Gurobi; HiGHS has no mixed-integer quadratic programs. `loss` is therefore replaced by tangents,
L_i >= (p - y_i)^2 + 2 (p - y_i)(f_i - p), first at a few predictions p, then, round after round, at the means of the
leaves of the tree that HiGHS has found. With absolute error `loss` is two linear constraints and one round is enough.
Dunn started Gurobi from a greedy tree; here HiGHS starts from nothing. Rows are grouped (`experiments.mip.sample`).

**Why rounds of tangents are exact.** A tangent lies below the parabola, so the optimum of a round, and HiGHS's bound
on it, are never above the optimum of ORT. The tree of a round, its leaves measured by us, is never below it. When the
two meet, the tree is optimal. They do meet: let a tree T have been found, with a leaf of mean p, and let the tangents
at p have been added for the groups i in it, w_i rows each. From then on T's leaf costs, whatever f it predicts,

    sum_i w_i L_i >= sum_i w_i (p - y_i)^2 + 2 (f - p) sum_i w_i (p - y_i) = sum_i w_i (p - y_i)^2,

since the last sum is 0 for the mean: all of its true loss. So each later round either ends with a tree not seen
before, or with a tree whose cost in the program is its true cost, which closes the gap; and there are finitely many
trees. A round that the time limit ends still leaves a valid bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from experiments.mip.found import Found
from experiments.mip.full_tree import Splits, ancestors, branch_nodes, leaf_nodes
from experiments.mip.program import begin_with, new_program, run
from experiments.mip.sample import Sample, leaf_means, objective

N_MIN = 1
EPS = 1.0  # eps, eps_min and eps_max: the smallest distance of two values of a feature, which are 0 and 1
M_F = 1.0  # predictions and targets lie between 0 and 1
FIRST_TANGENTS = 9


@dataclass(frozen=True)
class Variables:
    """The variables that are asked for after a solve, or constrained by later rounds."""

    a: dict[tuple[int, int], Any]
    b: dict[int, Any]
    f: list[Any]
    L: list[Any]


def solve_ort(data: Sample, depth: int, regularization: float, limit: float) -> Found:
    """Find the best tree with at most so many splits on a way, in so many seconds at most."""
    program = new_program()
    v = _build(program, data, depth, regularization)
    if data.loss == "absolute_error":
        for p, L in enumerate(v.L):
            f, y = v.f[data.group[p]], float(data.target[p])
            program.addConstr(f - y <= L, f"loss_over[{p}]")
            program.addConstr(y - f <= L, f"loss_under[{p}]")
    else:
        for at in np.linspace(0.0, 1.0, FIRST_TANGENTS):
            _add_tangents(program, v, data, np.full(len(v.L), at))
    return _rounds(program, v, data, depth, regularization, limit)


def _build(program: highspy.Highs, data: Sample, depth: int, regularization: float) -> Variables:
    """Everything but the constraint `loss`."""
    groups, features = data.features.shape
    branches, leaves = branch_nodes(depth), leaf_nodes(depth)
    d = {m: program.addBinary(name=f"d[{m}]") for m in branches}
    a = {(m, j): program.addBinary(name=f"a[{m},{j}]") for m in branches for j in range(features)}
    b = {m: program.addVariable(0, 1, name=f"b[{m}]") for m in branches}
    z = {(i, t): program.addBinary(name=f"z[{i},{t}]") for i in range(groups) for t in leaves}
    l_ = {t: program.addBinary(name=f"l[{t}]") for t in leaves}
    beta = {t: program.addVariable(0, 1, name=f"beta[{t}]") for t in leaves}
    f = [program.addVariable(0, 1, name=f"f[{i}]") for i in range(groups)]
    L = [program.addVariable(0, 1, obj=w / data.root_loss, name=f"L[{p}]") for p, w in enumerate(data.weight)]
    C = program.addVariable(0, len(branches), obj=regularization, name="C")
    program.changeObjectiveOffset(data.floor / data.root_loss + regularization)

    program.addConstr(program.qsum(d.values()) == C, "complexity")
    for m in branches:
        program.addConstr(program.qsum(a[m, j] for j in range(features)) == d[m], f"one_feature[{m}]")
        program.addConstr(b[m] <= d[m], f"threshold[{m}]")
        if m > 1:
            program.addConstr(d[m] <= d[m // 2], f"parent[{m}]")
    for t in leaves:
        program.addConstr(program.qsum(z[i, t] for i in range(groups)) >= N_MIN * l_[t], f"size[{t}]")
    for i, x in enumerate(data.features):
        program.addConstr(program.qsum(z[i, t] for t in leaves) == 1, f"one_leaf[{i}]")
        for t in leaves:
            program.addConstr(z[i, t] <= l_[t], f"used_leaf[{i},{t}]")
            program.addConstr(f[i] - beta[t] >= -M_F * (1 - z[i, t]), f"prediction_above[{i},{t}]")
            program.addConstr(f[i] - beta[t] <= M_F * (1 - z[i, t]), f"prediction_below[{i},{t}]")
            for m, left in ancestors(t):
                ax = program.qsum(a[m, int(j)] for j in np.flatnonzero(x))
                if left:
                    program.addConstr(ax + EPS <= b[m] + (1 + EPS) * (1 - z[i, t]), f"left[{i},{t},{m}]")
                else:
                    program.addConstr(ax >= b[m] - (1 - z[i, t]), f"right[{i},{t},{m}]")
    return Variables(a, b, f, L)


def _add_tangents(program: highspy.Highs, v: Variables, data: Sample, at: NDArray[np.float64]) -> None:
    """Add the tangent of each point's squared error at its own prediction."""
    for L, p, y, group in zip(v.L, at, data.target, data.group, strict=True):
        program.addConstr((p - y) ** 2 + 2 * (p - y) * (v.f[group] - p) <= L)


def _rounds(program: highspy.Highs, v: Variables, data: Sample, depth: int, penalty: float, limit: float) -> Found:
    """Solve, and where the loss is squared add tangents at the leaves found and solve again, until nothing is open."""
    found = Found(columns=program.numVariables, constraints=program.numConstrs)
    seen: list[Splits] = []
    while found.seconds < limit:
        answer = run(program, limit - found.seconds)
        if answer.values is None:
            return found.without_tree(answer)
        splits = read_off(v, answer.values)
        found = found.with_tree(answer, splits, objective(data, splits, depth, penalty))
        # A tree seen before is at its true cost in the program: what is left of the gap is HiGHS's tolerances.
        if found.status != "tolerance" or data.loss == "absolute_error" or splits in seen:
            break
        seen.append(splits)
        _add_tangents(program, v, data, leaf_means(data, splits, depth))
        begin_with(program, v.a.values(), answer.values)
    return found


def read_off(v: Variables, values: NDArray[np.float64]) -> Splits:
    """Return the splits. A node with a feature and the threshold 0 is none: every row is at or above it."""
    return {m: j for (m, j), a in v.a.items() if values[a.index] > 0.5 and values[v.b[m].index] > 0.5}
