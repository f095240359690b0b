// All panels together. One tree is shown at a time; whatever chooses another tells all of them.

const report = document.getElementById("report");

function header() {
  const facts = make("div", { class: "facts" });
  const summary = make("p", { id: "summary" }, unbroken(content.summary));
  function set(tree) {
    const mark = tree.optimal ? ["mark good", "✓ proven optimal"] : tree.near ? ["mark", "near optimal"] : ["mark open", "not proven optimal"];
    facts.replaceChildren(make("span", { class: mark[0] }, mark[1]), make("span", {}, plural(tree.leaves, "leaf", "leaves")), make("span", {}, `depth ${tree.depth}`),
      make("span", {}, tree.score), make("span", {}, rowsOf(tree.nodes[0])));
    if (content.kind === "tree") summary.replaceChildren(...unbroken(tree.summary));
  }
  return { section: make("header", {}, make("h1", {}, content.title), facts, summary), set };
}

function start() {
  if (!content.trees.length) {
    report.append(make("h1", {}, content.title), make("p", {}, content.summary));
    return;
  }
  const parts = { header: header(), tree: treePanel(), card: indexCard(), proof: proofPanel(), leaves: leavesPanel() };
  parts.questions = questionnaire(parts.tree.mark);
  const pair = make("div", {}, parts.questions.section, parts.card.section, ...parts.proof.sections);
  const choose = (at) => {
    const tree = content.trees[at];
    pair.className = `pair ${tree.leaves <= 9 ? "few" : tree.leaves <= 20 ? "some" : "many"}`;
    for (const part of Object.values(parts)) part.set(tree);
    set?.set(at);
  };
  const set = content.kind === "path" ? pathPanel(choose) : content.kind === "near" ? nearPanel(choose) : null;
  report.append(parts.header.section);
  if (set) report.append(set.section);
  report.append(parts.tree.section, pair);
  if (set?.use) report.append(set.use);
  report.append(parts.leaves.section, dataPanel());
  choose(content.chosen);
}

start();
