// Histograms, the curve of a path and the course of a search.

function histogram(bins, shade, width, height) {
  if (!bins) return null;
  const most = Math.max(...bins), step = width / bins.length;
  const svg = draw("svg", { class: "bars", width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
  bins.forEach((value, k) => {
    const tall = ((height - 1) * value) / most;
    if (value) svg.append(draw("rect", { x: k * step, y: height - 1 - tall, width: step * 0.86, height: tall, fill: `var(--ramp-${shade})` }));
  });
  svg.append(draw("line", { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5, stroke: "var(--line)" }));
  return svg;
}

// Round numbers between two ends, about as many as wanted.
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((each) => each >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high + step * 1e-9; ++k) found.push(Number((k * step).toPrecision(12)));
  return found;
}

const frame = { width: 520, height: 276, left: 52, right: 14, top: 42, bottom: 46 };

function plot(label, xs, ys, xName, yName) {
  const { width, height, left, right, top, bottom } = frame;
  const x = (value) => left + ((width - left - right) * (value - xs[0])) / (xs[1] - xs[0] || 1);
  const y = (value) => height - bottom - ((height - top - bottom) * (value - ys[0])) / (ys[1] - ys[0] || 1);
  const svg = draw("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
  for (const value of ticks(xs[0], xs[1], 6)) svg.append(draw("text", { x: x(value), y: height - bottom + 16, "text-anchor": "middle" }, String(value)));
  for (const value of ticks(ys[0], ys[1], 4)) {
    svg.append(draw("line", { class: "axis", x1: left, x2: width - right, y1: y(value), y2: y(value), opacity: 0.5 }));
    svg.append(draw("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  svg.append(draw("text", { x: width - right, y: height - 3, "text-anchor": "end" }, xName));
  svg.append(draw("text", { x: 4, y: 9 }, yName));
  return { svg, x, y };
}

function stairs(points, x, y) {
  let path = `M${x(points[0][0])} ${y(points[0][1])}`;
  for (const [at, value] of points.slice(1)) path += `H${x(at)}V${y(value)}`;
  return path;
}

function convergence(trace) {
  const last = trace[trace.length - 1], levels = trace.flatMap((point) => [point[1], point[2]]);
  const low = Math.min(...levels), high = Math.max(...levels), room = (high - low || 0.1) * 0.08;
  const { svg, x, y } = plot("Bounds of the search over time", [0, last[0] || 0.001], [Math.max(0, low - room), high + room], "seconds", "objective");
  let known = 0, free = -1;
  for (const [seconds, , , depth] of trace) {
    if (depth === null || depth <= known) continue;
    known = depth;
    svg.append(draw("line", { class: "depth", x1: x(seconds), x2: x(seconds), y1: frame.top, y2: frame.height - frame.bottom }));
    // Above the plot, where no line is.
    const place = Math.max(40, Math.min(x(seconds), frame.width - frame.right - 34));
    if (place > free) {
      svg.append(draw("text", { x: place, y: frame.top - 4, "text-anchor": "middle" }, `depth ${depth}`));
      free = place + 90;
    }
  }
  svg.append(draw("path", { class: "upper", d: stairs(trace.map((p) => [p[0], p[2]]), x, y) }));
  svg.append(draw("path", { class: "lower", d: stairs(trace.map((p) => [p[0], p[1]]), x, y) }));
  return svg;
}

function lossCurve(trees, choose) {
  const most = Math.max(...trees.map((tree) => tree.leaves), 2), top = Math.max(...trees.map((tree) => tree.left), 0.01);
  const { svg, x, y } = plot("Share of the loss that is left, against the number of leaves", [1, most], [0, top], "leaves", "share of the loss that is left");
  svg.append(draw("path", { class: "upper", d: "M" + trees.map((tree) => `${x(tree.leaves)} ${y(tree.left)}`).join("L") }));
  const dots = trees.map((tree, at) => draw("circle", { class: "dot", cx: x(tree.leaves), cy: y(tree.left), r: 5, onclick: () => choose(at) }));
  svg.append(...dots);
  return { svg, show: (at) => dots.forEach((dot, k) => dot.setAttribute("class", k === at ? "dot chosen" : "dot")) };
}
