/* The map: the parts of names as bands, one inside the other, over the nodes from left to right; like a flame graph. */

const BAND = 22, NODES = 44, MOST_BANDS = 6;

class GraphMap extends Graph {
  constructor(model) {
    super(model);
    this.canvas = document.getElementById("map");
    this.readout = document.getElementById("map-readout");
    this.whole = document.getElementById("map-whole");
    this.span = [0, model.nodes.length];
    this.bands = bandsOf(model.nodes);
    this.whole.addEventListener("click", () => this.zoom([0, model.nodes.length]));
    this.canvas.addEventListener("pointermove", (event) => this.tell(this.under(event)));
    this.canvas.addEventListener("pointerleave", () => { this.readout.textContent = ""; });
    this.canvas.addEventListener("click", (event) => this.zoom(this.under(event)?.span ?? this.span));
    new ResizeObserver(() => this.draw()).observe(this.canvas.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  refresh() {
    this.canvas.setAttribute("aria-label", `map of the graph: ${this.legend()}`);
    this.draw();
  }

  zoom(span) {
    this.span = span;
    this.whole.hidden = span[1] - span[0] === this.model.nodes.length;
    this.draw();
  }

  draw() {
    const width = this.canvas.parentElement.clientWidth - padding(this.canvas.parentElement);
    const height = this.bands.length * BAND + NODES, scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.style.height = `${height}px`;
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(`--${name}`).trim();
    this.pen = this.canvas.getContext("2d");
    this.pen.scale(scale, scale);
    this.pen.font = `12px ${this.colour("mono")}`;
    this.pen.textBaseline = "middle";
    this.unit = width / (this.span[1] - this.span[0]);
    this.bands.forEach((runs, level) => runs.forEach((run) => this.drawRun(run, level * BAND, width)));
    this.drawNodes(this.bands.length * BAND, width);
  }

  place(index) {
    return (index - this.span[0]) * this.unit;
  }

  drawRun({ span: [start, end], label }, top, width) {
    const left = Math.max(0, this.place(start)), right = Math.min(width, this.place(end));
    if (right - left < 0.5) return;
    this.pen.fillStyle = this.colour("soft");
    this.pen.fillRect(left, top, Math.max(1, right - left - 1), BAND - 1);
    this.write(label, left, top + BAND / 2, right - left);
  }

  /** A text that fits its place, cut where it doesn't; none where hardly anything would be left. */
  write(text, left, middle, width) {
    const letters = Math.floor((width - 8) / 7.3);
    if (letters < 3) return;
    this.pen.fillStyle = this.colour("ink");
    this.pen.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, left + 4, middle);
  }

  /** The nodes; where several share a pixel, the gravest is drawn. */
  drawNodes(top, width) {
    const step = Math.max(1, this.unit), [first, last] = this.span;
    for (let left = 0; left < width - 0.01; left += step) {
      const start = first + Math.floor(left / this.unit + 1e-9);
      const end = Math.min(last, Math.max(start + 1, first + Math.ceil((left + step) / this.unit - 1e-9)));
      this.pen.fillStyle = this.colour(KINDS[Math.max(...this.kinds.subarray(start, end))].role);
      this.pen.fillRect(left, top, step > 3 ? step - 1 : step, NODES);
      if (step > 40) this.label(start, left, top, step);
    }
  }

  label(node, left, top, step) {
    const letters = Math.floor((step - 8) / 7.3), { op } = this.model.nodes[node];
    this.pen.fillStyle = this.colour(this.kinds[node] <= BEHIND ? "ink" : "card");
    this.pen.fillText(op.length <= letters ? op : `${op.slice(0, letters - 1)}…`, left + 4, top + NODES / 2);
  }

  /** What is under the pointer: a run, or a node. */
  under(event) {
    const box = this.canvas.getBoundingClientRect();
    const index = Math.floor(this.span[0] + (event.clientX - box.left) / this.unit);
    const level = Math.floor((event.clientY - box.top) / BAND);
    if (index < this.span[0] || index >= this.span[1]) return null;
    if (level >= this.bands.length) return { node: index };
    return this.bands[level].find(({ span: [start, end] }) => start <= index && index < end) ?? null;
  }

  tell(thing) {
    if (thing === null) this.readout.textContent = "";
    else if (thing.node === undefined) {
      this.readout.textContent = `${thing.path}: ${counted(thing.span[1] - thing.span[0], "node")}`;
    } else {
      const { name, op } = this.model.nodes[thing.node];
      this.readout.textContent = `${name} (${op}, node ${thing.node}): ${this.word(this.kinds[thing.node])}`;
    }
  }
}

function padding(frame) {
  const style = getComputedStyle(frame);
  return parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
}

/** For each level the runs of neighbouring nodes whose names begin alike; nodes with shorter names don't end a run. */
function bandsOf(nodes) {
  const paths = nodes.map(({ name }) => name.split("/").filter(Boolean).slice(0, -1));
  const bands = [];
  for (let level = 0; level < MOST_BANDS && paths.some((path) => path.length > level); level += 1) {
    const runs = [];
    paths.forEach((path, index) => {
      if (path.length <= level) return;
      const whole = path.slice(0, level + 1).join("/"), before = runs.at(-1);
      if (before?.path === whole) before.span[1] = index + 1;
      else runs.push({ path: whole, label: path[level], span: [index, index + 1] });
    });
    bands.push(runs);
  }
  return bands;
}
