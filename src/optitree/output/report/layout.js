// Where boxes go. They are measured first, so no two of them can overlap: what ends a way takes a place of its own,
// a split stands in the middle of its children.

const gap = 10;

function lastOnes(tree, closed) {
  const shown = [], waiting = [0];
  while (waiting.length) {
    const at = waiting.pop(), node = tree.nodes[at];
    shown.push(at);
    if (!isLeaf(node) && !closed.has(at)) waiting.push(node.no, node.yes);
  }
  return shown;
}

// How wide boxes are: a prediction stays on one line, however long it is. Between two levels there is room for the answer.
function widths(tree) {
  const longest = Math.max(...tree.nodes.filter(isLeaf).map((node) => node.shown.length));
  return {
    down: { leaf: Math.max(124, 24 + 11.5 * longest), split: 150 },
    across: { leaf: Math.max(184, 92 + 10.2 * longest), split: 160, between: tree.nodes.some((node) => node.missing) ? 84 : 52 },
  };
}

// Which way the tree grows, by the room there is.
function growth(tree, closed, shown, depths, width) {
  const ends = shown.filter((at) => isLeaf(tree.nodes[at]) || closed.has(at)).length;
  const deep = Math.max(...shown.map((at) => depths[at])), { down, across } = widths(tree);
  if (ends * (down.leaf + gap) + gap <= width) return "down";
  return width < 640 || deep * (across.split + across.between) + across.leaf > width * 1.18 ? "outline" : "across";
}

function depthsOf(tree) {
  const depths = [0];
  tree.nodes.forEach((node, at) => {
    if (!isLeaf(node)) depths[node.yes] = depths[node.no] = depths[at] + 1;
  });
  return depths;
}

// Returns the size of the whole and, for each node shown, its left and top edge.
function place(way, tree, closed, shown, depths, size) {
  if (way === "outline") return placeOutline(shown, depths, size);
  const down = way === "down", places = {};
  const ends = (at) => isLeaf(tree.nodes[at]) || closed.has(at);
  const thick = (at) => (down ? size[at].width : size[at].height);
  const levels = [];
  for (const at of shown) levels[depths[at]] = Math.max(levels[depths[at]] || 0, down ? size[at].height : size[at].width);
  const between = down ? 34 : widths(tree).across.between;
  const starts = levels.map((_, k) => levels.slice(0, k).reduce((sum, each) => sum + each + between, 0));
  let next = 0;
  for (const at of shown) {
    if (!ends(at)) continue;
    places[at] = next + thick(at) / 2;
    next += thick(at) + gap;
  }
  for (const at of [...shown].reverse()) {
    if (!ends(at)) places[at] = (places[tree.nodes[at].yes] + places[tree.nodes[at].no]) / 2;
  }
  separate(shown, depths, places, thick);
  const boxes = {};
  for (const at of shown) {
    const across = places[at] - thick(at) / 2, along = starts[depths[at]];
    boxes[at] = { ...size[at], left: down ? across : along, top: down ? along : across };
  }
  return bounded(boxes);
}

// Splits may be wider than what is below them: boxes of one level that come too close are moved apart, with all below.
function separate(shown, depths, places, thick) {
  const levels = {};
  for (const at of shown) (levels[depths[at]] ||= []).push(at);
  for (const level of Object.values(levels)) {
    for (let k = 1; k < level.length; ++k) {
      const [a, b] = [level[k - 1], level[k]];
      const least = places[a] + (thick(a) + thick(b)) / 2 + gap;
      if (places[b] < least) {
        const move = least - places[b];
        const from = shown.indexOf(b);
        for (const at of shown.slice(from)) places[at] += move;
      }
    }
  }
}

function placeOutline(shown, depths, size) {
  const boxes = {};
  let top = 0;
  for (const at of shown) {
    boxes[at] = { ...size[at], left: depths[at] * 18, top };
    top += size[at].height + 6;
  }
  return bounded(boxes);
}

function bounded(boxes) {
  const all = Object.values(boxes), left = Math.min(...all.map((box) => box.left));
  for (const box of all) box.left -= left;
  return {
    boxes,
    width: Math.max(...all.map((box) => box.left + box.width)),
    height: Math.max(...all.map((box) => box.top + box.height)),
  };
}
