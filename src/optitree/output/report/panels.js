// Proof, course of the search, leaves, data.

function pairs(facts) {
  return make("table", {}, make("tbody", {}, facts.map(([name, value]) => make("tr", {}, make(name ? "th" : "td", name ? { scope: "row" } : {}, name), make("td", {}, value)))));
}

function proofPanel() {
  const facts = make("div", {}), chart = make("div", {});
  const section = make("section", { id: "proof" }, make("h2", {}, "What is proven"), facts);
  const course = make("section", { id: "convergence" }, make("h2", {}, "The search"), chart);
  function set(tree) {
    facts.replaceChildren(pairs(tree.proof));
    course.hidden = tree.trace.length < 2;
    if (course.hidden) return;
    chart.replaceChildren(convergence(tree.trace), make("div", { class: "key" }, make("span", {}, "best tree found"), make("span", { class: "low" }, "no tree is below")));
  }
  return { sections: [section, course], set };
}

function leavesPanel() {
  const body = make("div", { class: "scroll" });
  const note = make("p", { class: "small" });
  const section = make("section", { id: "leaves" }, make("h2", {}, "The leaves"), body, note);
  function set(tree) {
    const shade = shades(tree), leaves = tree.nodes.filter(isLeaf).sort((a, b) => a.value - b.value);
    const head = ["prediction", "rows", leaves[0].spread === null ? null : "spread", tree.histogram ? "targets" : null, "rule"].filter(Boolean);
    const row = (leaf) => make("tr", {},
      make("td", { class: "number" }, make("b", {}, leaf.shown)), make("td", { class: "number" }, leaf.rows.toLocaleString("en")),
      leaf.spread === null ? null : make("td", { class: "number" }, leaf.spread),
      leaf.bins ? make("td", {}, histogram(leaf.bins, shade(leaf.value), 110, 30)) : null,
      make("td", {}, leaf.rule.join(" and ") || "always"));
    body.replaceChildren(make("table", {},
      make("thead", {}, make("tr", {}, head.map((name) => make("th", { scope: "col", class: ["prediction", "rows", "spread"].includes(name) ? "number" : null }, name)))),
      make("tbody", {}, leaves.map(row))));
    const spread = leaves[0].spread === null ? "" : `Spread is the ${tree.spread}. `;
    const what = tree.histogram && (tree.histogram.exact ? "targets" : "means of groups, which is all that was known,");
    note.textContent = spread + (tree.histogram ? `Histograms are of ${what} from ${tree.histogram.from} to ${tree.histogram.to}; what lies beyond is in the last bars.` : "");
  }
  return { section, set };
}

function dataPanel() {
  const columns = content.columns.map((column) => make("tr", {}, make("td", {}, column.name + (column.unit ? ` (${column.unit})` : "")), make("td", {}, column.kind),
    make("td", { class: "number" }, String(column.offered)), make("td", { class: "number" }, String(column.asked))));
  return make("section", { id: "data" }, make("h2", {}, "The data"), pairs(content.data),
    make("details", { class: "columns" }, make("summary", {}, plural(content.columns.length, "column", "columns")),
      make("div", { class: "scroll" }, make("table", {},
        make("thead", {}, make("tr", {}, ["column", "kind", "conditions", "asked"].map((name, k) => make("th", { scope: "col", class: k > 1 ? "number" : null }, name)))),
        make("tbody", {}, columns)))));
}
