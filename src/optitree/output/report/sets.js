// Several trees: a slider along a path, or near-optimal trees side by side.

function pathPanel(choose) {
  const last = content.trees.length - 1;
  const words = make("p", { class: "small", id: "step" });
  const slider = make("input", { type: "range", id: "slider", min: 0, max: last, step: 1, value: content.chosen, "aria-label": "Number of leaves" });
  slider.addEventListener("input", () => choose(Number(slider.value)));
  const curve = lossCurve(content.trees, choose);
  const section = make("section", { id: "path" }, make("h2", {}, "From few leaves to many"), 
    make("div", { class: "path" }, make("div", {}, slider, words), curve.svg));
  function set(at) {
    const tree = content.trees[at], step = content.steps[at];
    slider.value = at;
    slider.setAttribute("aria-valuetext", plural(tree.leaves, "leaf", "leaves"));
    words.textContent = `${plural(tree.leaves, "leaf", "leaves")}, ${tree.score}: optimal at regularization ${step.regularization}${step.proven ? "" : " (perhaps wider)"}`;
    curve.show(at);
  }
  return { section, set };
}

// A tree in a few lines of text.
function sketch(tree) {
  const lines = [], waiting = [[0, 0, ""]];
  while (waiting.length && lines.length < 14) {
    const [at, depth, before] = waiting.pop(), node = tree.nodes[at], indent = "  ".repeat(depth);
    lines.push(indent + before + (isLeaf(node) ? node.shown : content.conditions[node.condition].text));
    if (!isLeaf(node)) waiting.push([node.no, depth + 1, "no: "], [node.yes, depth + 1, "yes: "]);
  }
  return lines.join("\n") + (waiting.length ? "\n…" : "");
}

function nearPanel(choose) {
  const thumbs = content.trees.map((tree, at) => make("button", { type: "button", "aria-pressed": "false", onclick: () => choose(at) },
    make("span", {}, make("b", {}, `${at + 1}`), ` · objective ${tree.objective.toFixed(4)} · ${plural(tree.leaves, "leaf", "leaves")}`), make("pre", {}, sketch(tree))));
  const more = content.count > content.trees.length ? `The best ${content.trees.length} of ${content.count.toLocaleString("en")}.` : "";
  const uses = content.use.map((use) => {
    const bar = make("i", {});
    bar.style.width = `${100 * use.share}%`;
    return make("tr", {}, make("td", {}, use.text), make("td", { class: "number" }, `${use.trees} of ${content.count}`), make("td", {}, make("div", { class: "share" }, bar)));
  });
  const section = make("section", { id: "near" }, make("h2", {}, "Trees side by side"), make("div", { class: "thumbs" }, thumbs), make("p", { class: "small" }, more));
  const use = make("section", { id: "use" }, make("h2", {}, "How often each condition is asked"), make("table", {},
    make("thead", {}, make("tr", {}, ["condition", "trees", "share"].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, uses)));
  const set = (at) => thumbs.forEach((thumb, k) => thumb.setAttribute("aria-pressed", String(k === at)));
  return { section, use, set };
}
