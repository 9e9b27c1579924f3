/* The tensors at chosen sizes: their shapes and bytes. */

class Tensors {
  constructor(data, model) {
    this.kinds = data.kinds.map(([dtype, bits, formulas, bounds, varies, shapes, elements]) =>
      ({ dtype, bits, formulas, bounds, varies, shapes, elements }));
    this.rows = data.rows.map(([tensor, maker, kind], place) =>
      ({ tensor, ...madeBy(maker, model, tensor), maker, kind: this.kinds[kind], place }));
    this.outputs = data.outputs.map((place) => this.rows[place]);
    this.inputs = this.rows.filter(({ maker }) => maker === "input");
    this.model = model;
    this.result = null;
  }

  at(result) {
    this.result = result;
  }

  /** The shapes of inputs and outputs at the chosen sizes. */
  summary() {
    const named = (row) => {
      const shape = this.shapeHere(row.kind, row.maker);
      return element("li", {}, isolated(row.tensor), " ", element("b", {}, shape === undefined ? "not reached" : shapeText(shape)));
    };
    const list = (title, rows) => {
      const items = rows.slice(0, MOST_NAMED).map(named);
      if (rows.length > items.length) items.push(element("li", { className: "faint" }, `and ${rows.length - items.length} more`));
      return element("div", {}, element("h3", {}, title), element("ul", { className: "nodes" }, ...items));
    };
    return element("div", { className: "summary" }, list("Inputs", this.inputs), list("Outputs", this.outputs));
  }

  shapeHere(kind, maker) {
    const { values, states } = this.result;
    const gone = typeof maker === "number" && states[maker] >= UNREACHED;
    return gone ? undefined : this.model.shape(kind.shapes, values);
  }

  bytesHere(kind, maker) {
    const shape = this.result && this.shapeHere(kind, maker);
    if (!shape || shape.includes(null)) return null;
    return bytesOf(shape.reduce((product, size) => product * size, 1n), kind);
  }
}

/** What computes a tensor: the operator, with the node unless the tensor is named after it. */
function madeBy(maker, model, tensor) {
  if (typeof maker === "string") return { made: maker, node: "" };
  const { name, op } = model.nodes[maker];
  return { made: tensor.startsWith(name) ? op : `${op} ${name}`, node: name };
}

function bytesOf(elements, { bits }) {
  return elements === null || bits === null ? null : (BigInt(elements) * BigInt(bits) + 7n) / 8n;
}

const sizeText = (bytes) => (bytes === null ? "" : bytesText(bytes));
