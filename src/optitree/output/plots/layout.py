"""Where the boxes of a tree go, in points: leaves take a place each, a split is in the middle of its children."""

from dataclasses import dataclass

from ...solver.tree import Tree

MOST_LEAVES_DOWN = 7  # more are drawn from left to right, where a leaf takes a line
_SPLIT = 148.0, 192.0  # the least and the greatest width of a split: a leaf beside it is 1.5 places away
_ANSWER = 61.0  # the room for an answer between two levels


@dataclass(frozen=True)
class Box:
    """The middle and the size of a box."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """The boxes of all nodes, and the size of the whole."""

    boxes: tuple[Box, ...]
    width: float
    height: float
    down: bool


def lay_out(tree: Tree, longest: float = 0.0) -> Layout:
    """Return the layout: small trees grow down, large ones to the right.

    ``longest``: how wide the longest condition is, which splits make room for as far as they can.
    """
    down = tree.n_leaves <= MOST_LEAVES_DOWN
    places = _places(tree)
    depths = tree.depths.tolist()
    margin = 8.0
    wide = min(max(longest, _SPLIT[0]), _SPLIT[1])
    if down:
        split, leaf, across, along = (wide, 40.0), (112.0, 78.0), 126.0, 104.0
        boxes = [
            Box(
                margin + leaf[0] / 2 + across * place,
                margin + leaf[1] / 2 + along * depth,
                *_size(tree, at, split, leaf),
            )
            for at, (place, depth) in enumerate(zip(places, depths, strict=True))
        ]
    else:
        split, leaf, across = (wide, 28.0), (176.0, 26.0), 31.0
        along = _ANSWER + wide / 2 + max(wide, leaf[0]) / 2
        boxes = [
            Box(
                margin + leaf[0] / 2 + along * depth,
                margin + leaf[1] / 2 + across * place,
                *_size(tree, at, split, leaf),
            )
            for at, (place, depth) in enumerate(zip(places, depths, strict=True))
        ]
    left = min(box.x - box.width / 2 for box in boxes) - margin
    right = max(box.x + box.width / 2 for box in boxes) + margin
    bottom = max(box.y + box.height / 2 for box in boxes) + margin
    moved = tuple(Box(box.x - left, box.y, box.width, box.height) for box in boxes)
    return Layout(moved, right - left, bottom, down)


def _size(tree: Tree, at: int, split: tuple[float, float], leaf: tuple[float, float]) -> tuple[float, float]:
    return leaf if tree.nodes[at].is_leaf else split


def _places(tree: Tree) -> list[float]:
    """Return the place of every node across the tree: 0, 1, 2 ... for leaves."""
    places = [0.0] * len(tree)
    leaf = 0
    for at, node in enumerate(tree.nodes):
        if node.is_leaf:
            places[at] = leaf
            leaf += 1
    for at in reversed(range(len(tree))):
        node = tree.nodes[at]
        if not node.is_leaf:
            places[at] = (places[node.yes] + places[node.no]) / 2
    return places
