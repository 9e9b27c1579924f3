/* The sliders: the chosen sizes, the verdict there, and the sizes nearby at which every node runs. */

const MOST_NAMED = 8;

function element(name, options = {}, ...content) {
  const made = document.createElement(name);
  const { on, data, ...properties } = options;
  Object.assign(made, properties);
  Object.assign(made.dataset, data);
  Object.entries(on ?? {}).forEach(([event, act]) => made.addEventListener(event, act));
  made.append(...content.filter((each) => each !== null));
  return made;
}

/** A name from the file, which may break after a separator. */
function isolated(text) {
  const parts = text.split(/(?<=[/._])(?=.)/);
  return element("bdi", {}, ...parts.flatMap((part, place) => (place ? [element("wbr"), part] : [part])));
}

const counted = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;

function shapeText(shape) {
  if (shape === null) return "rank unknown";
  return shape.length ? shape.map((size) => (size === null ? "?" : String(size))).join(" × ") : "scalar";
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let value = Number(bytes), unit = 0;
  for (; value >= 1023.5 && unit + 1 < units.length; unit += 1) value /= 1024;
  return value < 1024 ? `${unit ? Number(value.toPrecision(3)) : value} ${units[unit]}` : `${value.toExponential(2)} ${units[unit]}`;
}

class Sizes {
  constructor(model, changed) {
    this.model = model;
    this.changed = changed;
    this.outcome = document.getElementById("outcome");
    this.fields = model.sliders.map((_, place) => document.getElementById(`size-${place}`));
    this.rulers = model.sliders.map((_, place) => document.getElementById(`range-${place}`));
    this.chosen = this.fields.map((field) => BigInt(field.value));
    this.fields.forEach((field, place) => field.addEventListener("input", () => this.typed(place)));
    this.rulers.forEach((ruler, place) => ruler?.addEventListener("input", () => this.slid(place)));
  }

  typed(place) {
    const text = this.fields[place].value;
    if (/^-?[0-9]+$/.test(text) && this.model.allowed(place, BigInt(text))) this.set(this.chosen.with(place, BigInt(text)), place);
    else this.refuse(place, text);
  }

  /** Say which sizes are allowed; what is shown is of the sizes before, and greyed. */
  refuse(place, text) {
    this.fields[place].setAttribute("aria-invalid", "true");
    const allowed = document.getElementById(`allowed-${place}`).textContent, { name } = this.model.sliders[place];
    const said = text ? [" = ", text, " isn't in "] : [" needs a whole number in "];
    document.body.classList.add("stale");
    this.outcome.querySelector(".refused")?.remove();
    this.outcome.prepend(element("p", { className: "told refused" }, isolated(name), ...said, allowed));
  }

  slid(place) {
    const { first, step } = this.model.sliders[place];
    this.set(this.chosen.with(place, first + BigInt(this.rulers[place].value) * step));
  }

  /** Choose all sizes; the field in which someone types stays as it is. */
  set(sizes, typing = -1) {
    this.chosen = sizes;
    document.body.classList.remove("stale");
    sizes.forEach((size, place) => {
      const { first, step } = this.model.sliders[place];
      if (place !== typing) this.fields[place].value = String(size);
      this.fields[place].removeAttribute("aria-invalid");
      if (this.rulers[place]) this.rulers[place].value = String((size - first) / step);
    });
    const result = this.model.at(sizes);
    this.show(result);
    this.changed(sizes, result);
  }

  show(result) {
    const parts = [this.verdict(result), ...this.nearby(result)];
    if (result.failing.length) parts.push(this.nodes("Fails at", result.failing));
    if (result.open.length) parts.push(this.nodes("Not decided at", result.open));
    if (result.unreached) {
      const text = `${counted(result.unreached, "node")} behind ${result.failing.length > 1 ? "them" : "it"} not reached`;
      parts.push(element("p", { className: "faint" }, text));
    }
    const computed = this.model.dims.filter(([name]) => !this.model.sliders.some((slider) => slider.name === name));
    if (computed.length) {
      const texts = computed.map(([name, place]) => `${name} = ${result.values[place] ?? "?"}`);
      parts.push(element("p", { className: "faint" }, isolated(texts.join(", "))));
    }
    this.outcome.replaceChildren(...parts);
  }

  verdict({ verdict, broken }) {
    const texts = {
      runs: "✓ Every node runs at these sizes", fails: "✕ Fails at these sizes", unknown: "? Not decided at these sizes",
      "not admissible": "These sizes aren't admissible",
    };
    const detail = broken.length ? element("code", {}, broken.join(" and ")) : null;
    return element("p", { className: `told ${verdict.replace(" ", "-")}` }, texts[verdict], detail ? ": " : "", detail);
  }

  nodes(title, places) {
    const items = places.slice(0, MOST_NAMED).map((place) => {
      const { name, op } = this.model.nodes[place];
      return element("li", {}, isolated(name), element("small", {}, ` ${op} · node ${place}`));
    });
    const more = places.length - items.length;
    if (more > 0) items.push(element("li", { className: "faint" }, `and ${counted(more, "more node")}`));
    return element("div", {}, element("h3", {}, title), element("ul", { className: "nodes" }, ...items));
  }

  /** Buttons for sizes at which everything runs: all together, and along single dimensions. */
  nearby({ verdict }) {
    if (verdict === "runs" || verdict === "unknown") return [];
    const near = this.model.nearest(this.chosen);
    if (near === null) {
      const stuck = this.model.groups.some((group) => !group.sliders.length && !this.model.holds(group, this.chosen));
      return [element("p", {}, stuck ? "No sizes run." : "No sizes nearby run.")];
    }
    const moved = near.map((_, place) => place).filter((place) => near[place] !== this.chosen[place]);
    const buttons = [this.button(near, moved, "Go to the nearest size that runs: ")];
    for (const place of moved.length === 1 ? moved : []) {
      for (const value of this.model.neighbours(place, this.chosen)) {
        if (value !== near[place]) buttons.push(this.button(this.chosen.with(place, value), [place]));
      }
    }
    return [element("p", { className: "nearby" }, ...buttons)];
  }

  button(sizes, moved, title = "") {
    const text = moved.map((place) => `${this.model.sliders[place].name} = ${sizes[place]}`).join(", ");
    return element("button", { type: "button", on: { click: () => this.set(sizes) } }, title, isolated(text));
  }
}

/** Mark the chosen value on the lines and grids above. */
function markChosen(sizes) {
  for (const line of document.querySelectorAll(".line[data-slider]")) markOnLine(line, sizes[line.dataset.slider]);
  document.querySelectorAll(".picture").forEach((figure, number) => markOnGrid(figure, number, sizes));
}

function markOnLine(line, size) {
  const parts = [...line.querySelectorAll("li[data-first]")];
  const from = BigInt(parts.at(-1).dataset.first);
  const period = line.dataset.period ? BigInt(line.dataset.period) : null;
  const value = period !== null && size >= from ? from - period + (size - from) % period : size;
  for (const part of parts) {
    const { first, last } = part.dataset;
    const here = value >= BigInt(first) && (last === undefined || value <= BigInt(last));
    part.classList.toggle("here", here);
    if (here) part.dataset.here = String(size);
  }
  line.querySelector(".rest")?.classList.toggle("here", !parts.some((part) => part.classList.contains("here")));
}

function markOnGrid(figure, number, sizes) {
  const mark = figure.querySelector(".chosen"), frame = figure.querySelector(".frame");
  const { axes } = JSON.parse(document.getElementById(`grid-${number}`).textContent);
  const shares = axes.map(([slider, , first, step, count, block]) =>
    (slider < 0 ? null : (Number(sizes[slider] - BigInt(first)) / step + 0.5) / block / Math.ceil(count / block)));
  const inside = shares.every((share) => share !== null && share >= 0 && share <= 1);
  mark.classList.toggle("shown", inside);
  if (!inside) return;
  mark.setAttribute("cx", shares[0] * frame.width.baseVal.value);
  mark.setAttribute("cy", (1 - (shares[1] ?? 0.5)) * frame.height.baseVal.value);
}
