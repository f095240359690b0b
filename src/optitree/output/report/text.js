// Small helpers. All text from the table goes through textContent: a name is never markup.

const content = JSON.parse(document.getElementById("content").textContent);
const plural = (count, one, several) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
const rowsOf = (node) => plural(node.rows, "row", "rows");
const detailOf = (node) => (node.spread === null ? rowsOf(node) : `${rowsOf(node)}, ${node.spread}`);
const isLeaf = (node) => node.condition === undefined;
const noOf = (node) => content.conditions[node.condition].no + (node.missing ? " or missing" : "");
const yesOf = (node) => content.conditions[node.condition].yes;

// A text that is too long loses its middle: a condition is told by its column and by its threshold at the end.
const shortened = (text, most) => (text.length <= most ? text : `${text.slice(0, most / 2)}…${text.slice(1 - most / 2)}`);

// A number such as 1e-9 is not broken after its hyphen; the text is the same.
const unbroken = (text) => text.split(/([0-9][0-9.]*e-[0-9]+)/).map((part, k) => (k % 2 ? make("span", { class: "whole" }, part) : part));

// make("p", {class: "small"}, "text", otherElement): an element with attributes and children.
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  return fill(element, attributes, children);
}

function draw(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

// How dark a leaf is: 0 for the lowest prediction to 4 for the highest.
function shades(tree) {
  const values = tree.nodes.filter(isLeaf).map((node) => node.value);
  const low = Math.min(...values), high = Math.max(...values);
  return (value) => Math.min(4, Math.floor((5 * (value - low)) / (high - low || 1)));
}
