// The tree as a picture: boxes that can be collapsed, zoomed and walked through by keys.

function treePanel() {
  const view = make("div", { class: "view" });
  const stage = make("div", { class: "stage" });
  view.append(stage);
  let tree, closed = new Set(), zoom = null, current = 0, marked = [], boxes = {};

  const zoomBy = (factor) => { zoom = Math.min(3, Math.max(0.3, (zoom ?? scaleToFit()) * factor)); scale(); };
  const fit = () => { zoom = null; scale(); };
  const all = (wanted) => { closed = new Set(wanted ? [] : tree.nodes.flatMap((node, at) => (isLeaf(node) || at === 0 ? [] : [at]))); show(); };
  const button = (text, label, action) => make("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
  const section = make("section", { id: "tree" },
    make("div", { class: "bar" }, make("h2", {}, "The tree"),
      button("−", "Zoom out", () => zoomBy(1 / 1.2)), button("+", "Zoom in", () => zoomBy(1.2)), button("Fit", "Fit to the page", fit),
      button("Collapse", "Collapse all below the first question", () => all(false)), button("Expand", "Expand all", () => all(true))),
    view,
    make("p", { class: "small" }, "Click a question to collapse it. Keys: arrows walk, Enter collapses, + − 0 zoom."));

  let plan = { width: 1, height: 1 };
  const scaleToFit = () => Math.min(1, Math.max(0.55, (view.clientWidth - 8) / plan.width));
  function scale() {
    const factor = zoom ?? scaleToFit();
    const canvas = stage.firstChild;
    canvas.style.transform = `scale(${factor})`;
    stage.style.width = `${plan.width * factor}px`;
    stage.style.height = `${plan.height * factor}px`;
  }

  function box(at, answer, depth, shade, way) {
    const node = tree.nodes[at], leaf = isLeaf(node), ends = leaf || closed.has(at);
    const label = leaf ? `${answer} predict ${node.shown}, ${detailOf(node)}` : `${answer} ${content.conditions[node.condition].text}, ${rowsOf(node)}`;
    const inside = leaf
      ? [make("div", {}, make("span", { class: "answer" }, answer), make("span", { class: "value" }, node.shown), make("div", { class: "detail" }, detailOf(node))), histogram(node.bins, shade(node.value), 60, 26)]
      : [make("span", { class: "answer" }, answer), make("span", { class: "what" }, way === "outline" ? content.conditions[node.condition].text : shortened(content.conditions[node.condition].text, 52)), make("div", { class: "detail" }, rowsOf(node))];
    return make("div", {
      class: `node ${leaf ? "leaf" : "split"}${!leaf && ends ? " closed" : ""}`, role: "treeitem", "data-node": at,
      "aria-level": depth + 1, "aria-expanded": leaf ? null : String(!ends), title: label.trim(),
      tabindex: at === current ? 0 : -1, onclick: () => { current = at; toggle(at); }, onfocus: () => { current = at; },
    }, inside);
  }

  function show() {
    const depths = depthsOf(tree), shown = lastOnes(tree, closed), shade = shades(tree);
    const way = growth(tree, closed, shown, depths, view.clientWidth);
    if (!shown.includes(current)) current = 0;
    const answers = { 0: "" };
    tree.nodes.forEach((node) => { if (!isLeaf(node)) { answers[node.yes] = "yes"; answers[node.no] = node.missing ? "no, missing" : "no"; } });
    const canvas = make("div", { class: `canvas ${way}`, role: "tree", "aria-label": "The tree" });
    stage.replaceChildren(canvas);
    const elements = {}, size = {}, wide = widths(tree);
    for (const at of shown) {
      elements[at] = box(at, answers[at], depths[at], shade, way);
      const width = way === "outline" ? Math.max(150, Math.min(560, view.clientWidth - depths[at] * 18 - 6)) : wide[way][isLeaf(tree.nodes[at]) ? "leaf" : "split"];
      elements[at].style.width = `${width}px`;
      canvas.append(elements[at]);
    }
    for (const at of shown) size[at] = { width: elements[at].offsetWidth, height: elements[at].offsetHeight };
    plan = place(way, tree, closed, shown, depths, size);
    boxes = plan.boxes;
    for (const at of shown) {
      elements[at].style.left = `${boxes[at].left}px`;
      elements[at].style.top = `${boxes[at].top}px`;
    }
    canvas.style.width = `${plan.width}px`;
    canvas.style.height = `${plan.height}px`;
    drawEdges(canvas, way, shown, answers);
    mark(marked);
    scale();
  }

  function drawEdges(canvas, way, shown, answers) {
    const svg = draw("svg", { width: plan.width, height: plan.height, "aria-hidden": "true" });
    canvas.prepend(svg);
    for (const at of shown) {
      const node = tree.nodes[at];
      if (isLeaf(node) || closed.has(at)) continue;
      for (const child of [node.yes, node.no]) {
        const a = boxes[at], b = boxes[child];
        const ax = a.left + a.width / 2, ay = a.top + a.height / 2, bx = b.left + b.width / 2, by = b.top + b.height / 2;
        const turn = way === "down" ? a.top + a.height + 10 : a.left + a.width + 12;
        const path = { down: `M${ax} ${ay}V${turn}H${bx}V${by}`, across: `M${ax} ${ay}H${turn}V${by}H${bx}`, outline: `M${a.left + 8} ${ay}V${by}H${bx}` }[way];
        svg.append(draw("path", { class: "edge", d: path, "data-child": child }));
        if (way !== "outline") canvas.append(edgeLabel(way, answers[child], b, turn));
      }
    }
  }

  function edgeLabel(way, text, b, turn) {
    const label = make("div", { class: "label", "aria-hidden": "true" }, text);
    if (way === "down") {
      label.style.left = `${b.left + b.width / 2 + 5}px`;
      label.style.top = `${turn + 6}px`;
    } else {
      label.style.right = `${plan.width - b.left + 4}px`;
      label.style.top = `${b.top + b.height / 2 - 16}px`;
    }
    return label;
  }

  // Show the way that the answers have taken.
  function mark(way) {
    marked = way;
    for (const node of stage.querySelectorAll(".node")) node.classList.toggle("on", way.includes(Number(node.dataset.node)));
    for (const edge of stage.querySelectorAll(".edge")) edge.classList.toggle("on", way.includes(Number(edge.dataset.child)));
  }

  function toggle(at) {
    if (isLeaf(tree.nodes[at])) return focus(at);
    if (!closed.delete(at)) closed.add(at);
    show();
    focus(at);
  }

  function focus(at) {
    current = at;
    for (const node of stage.querySelectorAll(".node")) node.tabIndex = Number(node.dataset.node) === at ? 0 : -1;
    stage.querySelector(`[data-node="${at}"]`).focus({ preventScroll: false });
  }

  const parent = (at) => tree.nodes.findIndex((node) => node.yes === at || node.no === at);
  view.addEventListener("keydown", (event) => {
    const order = lastOnes(tree, closed), here = order.indexOf(current), node = tree.nodes[current];
    const open = !isLeaf(node) && !closed.has(current);
    const keys = {
      ArrowDown: () => focus(order[Math.min(here + 1, order.length - 1)]),
      ArrowUp: () => focus(order[Math.max(here - 1, 0)]),
      ArrowRight: () => { if (!isLeaf(node)) open ? focus(node.yes) : toggle(current); },
      ArrowLeft: () => { if (open) toggle(current); else if (current) focus(parent(current)); },
      Home: () => focus(0), End: () => focus(order[order.length - 1]),
      Enter: () => toggle(current), " ": () => toggle(current),
      "+": () => zoomBy(1.2), "-": () => zoomBy(1 / 1.2), 0: fit,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  let width = 0;
  new ResizeObserver(() => {
    if (tree && view.clientWidth !== width) { width = view.clientWidth; show(); }
  }).observe(view);
  return { section, mark, set(next) { tree = next; closed = new Set(); zoom = null; marked = []; current = 0; width = view.clientWidth; show(); } };
}
