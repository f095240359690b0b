"""Certificates of random small tables against brute force, and mutations of them: none is accepted that lies.

A small share runs as a test; all of it is a command: ``python -m tests.property.certificate_trials --instances 3000
--mutations 20000``.
"""

import argparse
import copy
import gzip
import json
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from optitree.certificate.certificate import write
from optitree.certificate.statement import of_groups, of_rows
from optitree.table.columns import BOOLEAN, Column
from optitree.table.reading import Table
from optitree.table.rows import Rows
from optitree.verify import Report, verify
from optitree.verify_table import Groups, stored_groups

from .instances import Instance, nested_instance, random_instance

Content = dict[str, Any]
CLEARLY = 1e-7  # beyond every tolerance


class Trial:
    """A table with its certificate, as it comes out of a file."""

    def __init__(self, seed: int, rows: int = 10, features: int = 4) -> None:
        rng = np.random.default_rng(seed)
        instance = (nested_instance if seed % 4 == 0 else random_instance)(rng, rows, features)
        if seed % 5 == 1:
            instance = replace(instance, problem=replace(instance.problem, max_leaves=int(rng.integers(1, 5))))
        self.instance = instance
        solution = instance.solve()
        self.constant = not solution.root_loss > 0
        if self.constant:
            return
        grouped = instance.groups()
        subject = of_groups(grouped) if seed % 3 == 0 else of_rows(rows_of(instance), grouped)
        certificate = write(subject, grouped, instance.problem, solution, 60)
        self.content: Content = json.loads(json.dumps(certificate.content))

    def verify(self, content: Content, values: np.ndarray | None = None) -> Report:
        table = {f"x{k}": column.tolist() for k, column in enumerate(self.instance.binary.T)}
        y = self.instance.y if values is None else values
        return verify(content, table, y.tolist(), self.instance.weight.tolist())


def rows_of(instance: Instance) -> Rows:
    columns = tuple(Column(BOOLEAN, column.astype(float)) for column in instance.binary.T)
    return Rows(Table(columns, len(instance.y)), instance.y, instance.weight)


def optimum(content: Content) -> Fraction | None:
    """Return the least objective of all trees on the groups of a certificate, by trying them; None if there is none."""
    groups = stored_groups(content["groups"], len(content["conditions"]))
    root = loss_of(groups, range(len(groups.rows)))
    penalty = Fraction(content["regularization"])
    least = min(content["min_samples_leaf"], sum(groups.rows))  # all rows may always be a leaf

    @cache
    def best(at: tuple[int, ...], depth: int, most: int | None) -> Fraction | None:
        found = None
        if sum(groups.rows[k] for k in at) >= least:
            found = penalty + loss_of(groups, at) / root
        if depth == 0 or most == 1:
            return found
        for f in range(groups.answers.shape[1]):
            sides = [tuple(k for k in at if bool(groups.answers[k, f]) is side) for side in (True, False)]
            if not all(sides):
                continue
            for share in [None] if most is None else range(1, most):
                rest = None if most is None else most - share
                a, b = best(sides[0], depth - 1, share), best(sides[1], depth - 1, rest)
                if a is not None and b is not None and (found is None or a + b < found):
                    found = a + b
        return found

    limit = content["max_depth"]
    features, many = groups.answers.shape[1], len(groups.rows)
    most = content["max_leaves"]
    depth = features if limit is None else min(limit, features)
    return best(tuple(range(many)), depth, None if most is None else min(most, many))


def loss_of(groups: Groups, at: Any) -> Fraction:
    w, s, q = (sum(values[k] for k in at) for values in (groups.weight, groups.sum, groups.square))
    return q - Fraction(s * s, w)


def cost_of(content: Content, tree: Any) -> Fraction:
    groups = stored_groups(content["groups"], len(content["conditions"]))
    root = loss_of(groups, range(len(groups.rows)))

    def cost(node: Any, at: list[int]) -> Fraction:
        if node is None:
            return Fraction(content["regularization"]) + loss_of(groups, at) / root
        yes = [k for k in at if groups.answers[k, node[0]]]
        return cost(node[1], yes) + cost(node[2], [k for k in at if k not in yes])

    return cost(tree, list(range(len(groups.rows))))


def holds(content: Content) -> bool:
    """Whether what a certificate claims is true, by brute force."""
    best = optimum(content)
    if best is None:
        return False
    if content["lower_bound"] > best + Fraction(1, 10**12):
        return False
    cost = cost_of(content, content["tree"])
    if abs(cost - Fraction(content["objective"])) > Fraction(1, 10**11) * (1 + abs(cost)):
        return False
    return content.get("optimal") is False or cost - best <= Fraction(1, 10**9)


# --- Mutations: each changes a certificate, or the table it is checked against ---

Mutation = Callable[[Content, np.random.Generator], None]


def _price(content: Content, rng: np.random.Generator) -> None:
    prices = content["prices"][0]["prices"]
    k = int(rng.integers(len(prices)))
    prices[k] += int(rng.choice([1, -1]) * 2 ** int(rng.integers(20, 60)))


def _bound(content: Content, rng: np.random.Generator) -> None:
    content["lower_bound"] += float(rng.choice([-1, 1]) * 10.0 ** rng.integers(-12, 0))


def _objective(content: Content, rng: np.random.Generator) -> None:
    content["objective"] += float(rng.choice([-1, 1]) * 10.0 ** rng.integers(-9, 0))


def _claim(content: Content, rng: np.random.Generator) -> None:
    content["optimal"] = not content["optimal"]
    content["lower_bound"] *= float(rng.choice([1.0, 0.9]))


def _branching(content: Content, rng: np.random.Generator) -> None:
    entries = content["branchings"]
    if not entries:
        entries.append([[int(rng.integers(2 * len(content["conditions"])))], None, 0])
        content["prices"][0]["prices"] = [0] * len(content["prices"][0]["prices"])
        return
    k = int(rng.integers(len(entries)))
    match int(rng.integers(4)):
        case 0:
            del entries[k]
        case 1:
            entries[k][0] = [*entries[k][0], int(rng.integers(2 * len(content["conditions"])))]
        case 2:
            entries[k][1] = int(rng.integers(3))
        case _:
            entries.insert(0, entries.pop(k))


def _tree(content: Content, rng: np.random.Generator) -> None:
    f = int(rng.integers(len(content["conditions"])))
    tree = content["tree"]
    content["tree"] = [f, None, None] if tree is None else [f, tree[2], tree[1]] if rng.random() < 0.5 else tree[1]
    if rng.random() < 0.5:  # a careful liar says what the tree costs
        try:
            content["objective"] = float(cost_of(content, content["tree"]))
        except ZeroDivisionError:
            content["objective"] = 0.1


def _regularization(content: Content, rng: np.random.Generator) -> None:
    content["regularization"] = content["regularization"] * float(rng.choice([0.5, 0.99, 1.01, 2])) + 1e-6
    if rng.random() < 0.7:
        content["leaf_price"] = content["regularization"]
        content["objective"] = float(cost_of(content, content["tree"]))


def _limit(content: Content, rng: np.random.Generator) -> None:
    name = str(rng.choice(["max_depth", "max_leaves", "min_samples_leaf"]))
    values = [1, 2, 3, 4] if name == "min_samples_leaf" else [None, 1, 2, 3, 4]
    content[name] = values[rng.integers(len(values))]


def _digest(content: Content, rng: np.random.Generator) -> None:
    k = int(rng.integers(64))
    digit = "0123456789abcdef"[rng.integers(16)]
    content["digest"] = content["digest"][:k] + digit + content["digest"][k + 1 :]


def _sum(content: Content, rng: np.random.Generator) -> None:
    values = content["groups"][str(rng.choice(["rows", "weight", "sum", "square"]))]
    k = int(rng.integers(len(values)))
    values[k] += 1 + abs(values[k]) // int(rng.choice([2, 1000]))
    if rng.random() < 0.7:
        _renew_digest(content)


def _renew_digest(content: Content) -> None:
    groups = stored_groups(content["groups"], len(content["conditions"]))
    content["digest"] = groups.digest(content["conditions"])


def _key(content: Content, rng: np.random.Generator) -> None:
    name = str(rng.choice(sorted(content)))
    if rng.random() < 0.5:
        del content[name]
    else:
        content[name] = [None, "", -1, [], math.inf][rng.integers(5)]


ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2**53, 2**64, -(2**70), 10**40, 0.5, -0.0, 1e308, 5e-324, math.nan, math.inf,
    -math.inf, "", "0", "nan", "00", [], [[]], {}, {"a": 1}, [None], [0], [-1],
)  # fmt: skip


def _odd(content: Content, rng: np.random.Generator) -> None:
    """Put something else in the place of any value, however deep it is; mostly with a digest of what is there then."""
    at: Any = content
    while True:
        keys = sorted(at) if isinstance(at, dict) else range(len(at))
        key = keys[int(rng.integers(len(keys)))]
        if not isinstance(at[key], dict | list) or not at[key] or rng.random() < 0.2:
            break
        at = at[key]
    at[key] = copy.deepcopy(ODD[int(rng.integers(len(ODD)))])
    if rng.random() < 0.7:
        _renew_digest(content)


MUTATIONS: tuple[Mutation, ...] = (
    _price, _price, _bound, _objective, _claim, _branching, _tree, _regularization, _limit, _digest, _sum, _key, _odd,
    _odd,
)  # fmt: skip


def check_instance(seed: int) -> str | None:
    """Return what is wrong with the certificate of a random table, or with the verdicts on lies about it."""
    trial = Trial(seed)
    if trial.constant:
        return None
    best = optimum(trial.content)
    verdict = trial.verify(trial.content)
    if best is None or not verdict.accepted or verdict.lower_bound > best:
        return f"{seed}: {verdict}"
    if not trial.content["optimal"] and trial.content["max_leaves"] is None:
        return f"{seed}: the certificate is of a bound only"
    worse = trial.content | {"lower_bound": float(best) + CLEARLY}
    if trial.verify(worse).accepted:
        return f"{seed}: a bound above the optimum was accepted"
    for tree in (None, *([f, None, None] for f in range(len(trial.content["conditions"])))):
        try:
            cost = cost_of(trial.content, tree)
        except ZeroDivisionError:
            cost = best + 1
        lie = trial.content | {"tree": tree, "objective": float(cost), "optimal": True}
        if cost > best + Fraction(CLEARLY) and trial.verify(lie).accepted:
            return f"{seed}: a worse tree was accepted as optimal"
    return None


def mutate(trial: Trial, rng: np.random.Generator) -> tuple[str, Report, Content]:
    """Return what was done, and the verdict on the result."""
    content = copy.deepcopy(trial.content)
    which = int(rng.integers(len(MUTATIONS) + 3))
    if which < len(MUTATIONS):
        try:
            MUTATIONS[which](content, rng)
        except Exception:  # no groups are left to renew a digest of
            content["digest"] = ""
        with_table = rng.random() < 0.5
        verdict = trial.verify(content) if with_table else verify(content)
        return MUTATIONS[which].__name__, verdict, content
    if which == len(MUTATIONS):  # a value of the data
        values = trial.instance.y.copy()
        values[rng.integers(len(values))] += float(rng.choice([1.0, -0.1, 1e-3])) * (1 + np.ptp(values))
        return "_data", trial.verify(content, values), content | {"lower_bound": math.inf}
    if which == len(MUTATIONS) + 1:  # another table: its answers are the other way round
        table = {f"x{k}": (~column).tolist() for k, column in enumerate(trial.instance.binary.T)}
        content["lower_bound"] = math.inf if _differs(trial.instance.binary) else content["lower_bound"]
        given = trial.content, table, trial.instance.y.tolist(), trial.instance.weight.tolist()
        return "_table", verify(*given), content
    with tempfile.TemporaryDirectory() as folder:
        packed = gzip.compress(json.dumps(content).encode())
        Path(folder, "proof.json").write_bytes(packed[: int(rng.integers(len(packed)))])
        return "_truncated", verify(Path(folder, "proof.json")), content | {"lower_bound": math.inf}


def _differs(binary: np.ndarray) -> bool:
    return sorted(map(bytes, binary)) != sorted(map(bytes, ~binary))


def check_mutations(seed: int, count: int) -> tuple[Counter[str], list[str]]:
    """Mutate the certificate of one table; return how often which verdict came, and lies that were accepted."""
    trial, rng = Trial(seed, rows=8, features=4), np.random.default_rng(seed)
    counts: Counter[str] = Counter()
    wrong = []
    for _ in range(0 if trial.constant else count):
        name, verdict, content = mutate(trial, rng)
        true = verdict.accepted and (holds(content) if math.isfinite(content["lower_bound"]) else False)
        counts["accepted, true" if true else "accepted, false" if verdict.accepted else "rejected"] += 1
        if verdict.accepted and not true:
            wrong.append(f"{seed} {name}: {verdict}")
    return counts, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=3000)
    parser.add_argument("--mutations", type=int, default=20000)
    options = parser.parse_args()
    wrong = [problem for seed in range(options.instances) if (problem := check_instance(seed))]
    print(f"{options.instances} tables, {len(wrong)} with a wrong verdict")
    counts: Counter[str] = Counter()
    seed = 0
    while sum(counts.values()) < options.mutations:
        more, lies = check_mutations(seed, 50)
        counts, seed = counts + more, seed + 1
        wrong += lies
    print(f"{sum(counts.values())} mutations of {seed} certificates: {dict(counts)}")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
