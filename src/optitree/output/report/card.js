// The index card: the tree in words, small enough to print on one card.

function indexCard() {
  const rules = make("div", { class: "rules" });
  const foot = make("p", { class: "foot" }), heading = make("h2", {});
  const section = make("section", { class: "card", id: "card" }, heading, rules, foot,
    make("p", { class: "screen" }, make("button", { type: "button", onclick: () => window.print() }, "Print the card")));

  function set(tree) {
    const lines = [], waiting = [[0, 0, tree.leaves === 1 ? "always" : ""]];
    while (waiting.length) {
      const [at, depth, words] = waiting.pop(), node = tree.nodes[at];
      if (words) lines.push(line(node, depth, words));
      if (!isLeaf(node)) waiting.push([node.no, depth + (words ? 1 : 0), noOf(node)], [node.yes, depth + (words ? 1 : 0), yesOf(node)]);
    }
    rules.replaceChildren(...lines);
    section.style.setProperty("--rows", `${0.95 * Math.max(...tree.nodes.filter(isLeaf).map((leaf) => rowsOf(leaf).length))}ch`);
    heading.textContent = content.kind === "tree" ? content.title : `${content.target}: ${plural(tree.leaves, "leaf", "leaves")}`;
    foot.textContent = tree.closing;
    fitToPaper(tree.leaves);
  }

  function line(node, depth, words) {
    const rule = make("div", { class: "rule" }, make("span", {}, words));
    rule.style.paddingLeft = `${depth * 1.1}em`;
    if (isLeaf(node)) rule.append(make("span", { class: "dots" }), make("span", { class: "value" }, node.shown), make("span", { class: "rows" }, rowsOf(node)));
    return rule;
  }

  // A card of A6 for few leaves, a sheet for many; then the largest letters with which all of it fits.
  function fitToPaper(leaves) {
    const [width, height, columns] = leaves <= 9 ? [148, 105, 1] : leaves <= 20 ? [210, 148, 2] : [297, 210, 3];
    const margin = 7;
    document.getElementById("page-size").textContent = `@page { size: ${width}mm ${height}mm; margin: ${margin}mm; }`;
    const trial = section.cloneNode(true);
    trial.removeAttribute("id");
    trial.querySelector(".screen").remove();
    trial.setAttribute("aria-hidden", "true");
    trial.style.cssText = `position:absolute;visibility:hidden;left:0;top:0;width:${width - 2 * margin}mm;padding:0;border:0;margin:0;--rows:${section.style.getPropertyValue("--rows")}`;
    document.body.append(trial);
    const [top, inside, closing] = trial.children;
    inside.style.cssText = `font-size:1em;columns:${columns};column-gap:6mm`;
    top.style.cssText = "font-size:1.25em;margin:0 0 .4em";
    closing.style.cssText = "font-size:.8em;margin:.5em 0 0";
    const limit = ((height - 2 * margin - 2) * 96) / 25.4;
    let points = 12;
    do { trial.style.fontSize = `${(points -= 0.5)}pt`; } while (points > 3 && trial.offsetHeight > limit);
    trial.remove();
    section.style.setProperty("--print-size", `${points}pt`);
    section.style.setProperty("--print-height", `${height - 2 * margin - 1}mm`);
    section.style.setProperty("--print-columns", columns);
  }

  return { section, set };
}
