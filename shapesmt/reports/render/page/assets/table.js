/* The table of tensors: searched, sorted, and shown in parts; what varies first. */

const NARROW = matchMedia("screen and (max-width: 720px)");
const FIRST = matchMedia("(max-width: 1000px)").matches ? 25 : 100, FURTHER = 400;

class Table extends Tensors {
  constructor(data, model) {
    super(data, model);
    this.texts = this.rows.map(({ tensor, made, node, kind }) =>
      [tensor, made, node, kind.dtype, kind.formulas, kind.bounds].join("\n").toLowerCase());
    this.sorted = { key: null, down: false };
    this.found = [];
    const byId = (id) => document.getElementById(id);
    [this.search, this.varying, this.body, this.more, this.count, this.none] =
      ["search", "varying", "rows", "more", "found", "none-found"].map(byId);
    if (NARROW.matches) this.body.closest("details").open = false;
    this.varying.checked = this.kinds.some((kind) => kind.varies);
    this.search.addEventListener("input", () => this.update());
    this.varying.addEventListener("change", () => this.update());
    this.more.addEventListener("click", () => this.show(FURTHER));
    for (const button of document.querySelectorAll("[data-sort]")) {
      button.addEventListener("click", () => this.sort(button.dataset.sort));
    }
  }

  /** Show the shapes and bytes at chosen sizes. */
  at(result) {
    super.at(result);
    if (["here", "bytes"].includes(this.sorted.key)) this.update();
    else for (const row of this.body.rows) this.fill(row, this.rows[row.dataset.place]);
  }

  /** The shapes of inputs and outputs, and the largest tensor, at the chosen sizes. */
  summary() {
    const shown = super.summary(), largest = this.largest();
    if (largest) {
      const text = [isolated(largest.row.tensor), " ", element("b", {}, bytesText(largest.bytes))];
      shown.append(element("div", {}, element("h3", {}, "Largest tensor"), element("p", { className: "nodes" }, ...text)));
    }
    return shown;
  }

  largest() {
    let found = null;
    for (const row of this.rows) {
      const bytes = row.maker === "constant" ? null : this.bytesHere(row.kind, row.maker);
      if (bytes !== null && (found === null || bytes > found.bytes)) found = { row, bytes };
    }
    return found;
  }

  sort(key) {
    this.sorted = { key, down: this.sorted.key === key ? !this.sorted.down : ["least", "greatest", "bytes"].includes(key) };
    for (const button of document.querySelectorAll("[data-sort]")) {
      const order = button.dataset.sort !== key ? "none" : this.sorted.down ? "descending" : "ascending";
      button.closest("th").setAttribute("aria-sort", order);
    }
    this.update();
  }

  update() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = this.rows.filter(({ place, kind }) =>
      (!this.varying.checked || kind.varies) && words.every((word) => this.texts[place].includes(word)));
    if (this.sorted.key) this.found.sort((a, b) => this.compare(a, b));
    this.body.replaceChildren();
    this.none.hidden = this.found.length > 0;
    this.show(FIRST);
    this.count.textContent = `${this.found.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")}`;
  }

  compare(a, b) {
    const [x, y] = [a, b].map((row) => this.keyOf(row));
    const order = x === y ? 0 : x === null ? -1 : y === null ? 1 : x < y ? -1 : 1;
    return this.sorted.down ? -order : order;
  }

  /** What rows are sorted by; null comes before everything else. */
  keyOf({ tensor, made, kind, maker }) {
    const { key } = this.sorted;
    const [least, greatest] = kind.elements ?? [null, null];
    if (key === "least") return bytesOf(least, kind);
    if (key === "greatest") return kind.elements && greatest === null ? 2n ** 9999n : bytesOf(greatest, kind);
    if (key === "bytes" || key === "here") return this.bytesHere(kind, maker);
    return { tensor, made, dtype: kind.dtype, shape: kind.formulas }[key];
  }

  show(count) {
    const rows = this.found.slice(this.body.rows.length, this.body.rows.length + count);
    this.body.append(...rows.map((row) => this.row(row)));
    const left = this.found.length - this.body.rows.length;
    this.more.hidden = left === 0;
    this.more.textContent = `Show more (${left.toLocaleString("en")} left)`;
  }

  row(row) {
    const { tensor, made, kind } = row;
    const shape = element("td", { className: "shape" }, isolated(kind.formulas));
    if (kind.bounds) shape.append(element("small", {}, isolated(kind.bounds)));
    const [least, greatest, leastProven, greatestProven] = kind.elements ?? [null, null];
    const end = kind.elements && greatest === null ? "no end" : sizeText(bytesOf(greatest, kind));
    const sound = (text, proven) => (proven || !text ? text : `~${text}`);
    const cells = [
      element("td", { className: "tensor" }, isolated(tensor)), element("td", { className: "made" }, isolated(made)),
      element("td", { className: "dtype" }, kind.dtype), shape, element("td", { className: "here" }),
      element("td", { className: "least" }, sound(sizeText(bytesOf(least, kind)), leastProven)),
      element("td", { className: "greatest" }, sound(end, greatestProven)), element("td", { className: "bytes" }),
    ];
    const line = element("tr", { data: { place: row.place } }, ...cells);
    this.fill(line, row);
    return line;
  }

  /** Write the shape and the bytes at the chosen sizes into a row. */
  fill(tr, { kind, maker }) {
    if (!this.result) return;
    const shape = this.shapeHere(kind, maker);
    tr.cells[4].textContent = shape === undefined ? "not reached" : shapeText(shape);
    tr.cells[7].textContent = sizeText(this.bytesHere(kind, maker));
  }
}
