// The questionnaire: one question at a time. An answer is yes, no or "don't know", or the value itself, which may then
// answer later questions of the same column. Conditions are decided by their sets of values, as in Python.

const unknown = Symbol("missing");

// Whether a condition holds for a value: a number, a level, or unknown. What is missing is in no set but that of missing.
function holds(condition, value) {
  if (condition.missing) return value === unknown;
  if (value === unknown) return false;
  if (condition.levels) return condition.levels.includes(value);
  return condition.intervals.some(([low, high]) => (low === null || value > low) && (high === null || value <= high));
}

// "2024-05-17" or "2024-05-17 13:45:10.5" as microseconds since 1970.
function microseconds(text) {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?$/.exec(text.trim());
  if (!parts) return NaN;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part || 0));
  return Date.UTC(year, month - 1, day, hour, minute, second) * 1000 + Number((parts[7] || "").padEnd(6, "0"));
}

// "12500", "12,500" or "1.25e4"; a comma that parts no thousands might mean anything, so it is not guessed.
function numberOf(text) {
  const plain = /^[-+]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(text.trim()) ? text.replace(/,/g, "") : text.trim();
  return plain === "" || Number.isNaN(Number(plain)) ? undefined : Number(plain);
}

// Fields for a value: the element, what reads its text (undefined if it cannot), and what to say then.
const numberField = (column, label) => [
  make("input", { type: "text", inputmode: "decimal", "aria-label": label, placeholder: "value" }),
  numberOf, "Write a number, such as 12.5 or 1,250."];

const dateField = (column, label) => [
  make("input", { type: "text", "aria-label": label, placeholder: "2024-05-17" }),
  (text) => { const value = microseconds(text); return Number.isNaN(value) ? undefined : value; }, "Write a date, such as 2024-05-17 or 2024-05-17 13:45."];

// A level is chosen and then used: the keys of a list pass through others on the way to it.
const levelField = (column, label) => [
  make("select", { "aria-label": label }, make("option", { value: "" }, "choose"),
    column.levels.map((level, k) => make("option", { value: k }, level === "" ? "(empty)" : level)), make("option", { value: -1 }, "another level")),
  (at) => (at === "" ? undefined : at === "-1" ? null : column.levels[Number(at)]), "Choose a level from the list."];

function questionnaire(onWay) {
  const body = make("div", { "aria-live": "polite" });
  const section = make("section", { id: "questions" }, make("h2", {}, "One case, question by question"), body);
  let tree, given, known, byKey = false;

  function begin(next) {
    tree = next;
    given = [];
    ask();
  }

  // Follow the answers to the next question that they leave open, or to a leaf.
  function walk() {
    known = new Map();
    const open = [...given], way = [0], said = [];
    let at = 0;
    while (!isLeaf(tree.nodes[at])) {
      const node = tree.nodes[at], condition = content.conditions[node.condition];
      let yes;
      if (known.has(condition.column)) yes = holds(condition, known.get(condition.column));
      else if (open.length) {
        const answer = open.shift();
        if ("value" in answer) known.set(condition.column, answer.value);
        else if (condition.missing && answer.yes) known.set(condition.column, unknown);
        yes = "value" in answer ? holds(condition, answer.value) : answer.yes;
      } else break;
      const missing = known.get(condition.column) === unknown;
      said.push(missing && !condition.missing ? `${content.columns[condition.column].name} is not known` : yes ? condition.yes : condition.no);
      at = yes ? node.yes : node.no;
      way.push(at);
    }
    return { at, way, said };
  }

  // Whoever uses keys goes on with them: what had the focus is gone.
  function after(change) {
    change();
    ask();
    if (byKey) body.querySelector("button, input, select")?.focus();
  }

  const give = (answer) => after(() => given.push(answer));

  const button = (text, answer, main, name) => make("button", { type: "button", class: main ? "main" : null, "data-answer": name ?? text, onclick: () => give(answer) }, text);

  // A field for the value itself.
  function field(condition) {
    const column = content.columns[condition.column];
    if (column.kind === "boolean") return null;
    const label = `or enter ${column.name}${column.unit ? ` (${column.unit})` : ""}`;
    const [input, read, wrong] = (column.kind === "category" ? levelField : column.kind === "date" ? dateField : numberField)(column, label);
    const note = make("span", { class: "wrong", role: "alert" });
    const submit = (event) => {
      event.preventDefault();
      const value = read(input.value);
      if (value === undefined) {
        input.setAttribute("aria-invalid", "true");
        note.textContent = wrong;
      } else give({ value });
    };
    return make("form", { onsubmit: submit }, make("span", { class: "small" }, label), input, make("button", { type: "submit" }, "Use it"), note);
  }

  function ask() {
    const { at, way, said } = walk(), node = tree.nodes[at];
    const steps = make("ol", { class: "way" }, said.map((text) => make("li", {}, text)));
    const controls = make("div", { class: "answers" },
      given.length ? make("button", { type: "button", "data-answer": "back", onclick: () => after(() => given.pop()) }, "Back") : null,
      given.length ? make("button", { type: "button", "data-answer": "restart", onclick: () => after(() => { given = []; }) }, "Start again") : null);
    if (isLeaf(node)) {
      body.replaceChildren(
        make("p", { class: "small" }, `Prediction of ${content.target}`),
        make("p", { class: "result", "data-value": node.value }, node.shown),
        make("p", { class: "small" }, `${detailOf(node)} like this one`), steps, controls);
    } else {
      const condition = content.conditions[node.condition];
      const unsure = condition.missing ? { yes: true } : { value: unknown };
      body.replaceChildren(
        make("p", { class: "question", "data-column": condition.column }, condition.question),
        make("div", { class: "answers" }, button("Yes", { yes: true }, true), button("No", { yes: false }, true), button("Don’t know", unsure, false, "unknown")),
        make("div", { class: "answers" }, field(condition)), steps, controls);
    }
    onWay(given.length ? way : []);
  }

  section.addEventListener("keydown", () => { byKey = true; }, true);
  section.addEventListener("pointerdown", () => { byKey = false; }, true);
  return { section, set: begin };
}
