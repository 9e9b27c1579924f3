/* The blocks of a large graph, which open to smaller ones or to their nodes, with the number of those that don't run. */

class Blocks extends Graph {
  constructor(model) {
    super(model);
    this.shown = []; // what has to be written anew for other sizes
    const blocks = JSON.parse(document.getElementById("block-data").textContent);
    document.getElementById("blocks").replaceChildren(...blocks.map((block) => this.block(block)));
  }

  refresh() {
    this.legend();
    this.shown.forEach((write) => write());
  }

  /** Write a part of the page now, and again for other sizes. */
  keep(write) {
    this.shown.push(write);
    write();
  }

  block([label, ...parts]) {
    const nodes = nodesOf(parts), counts = element("small"), content = element("ul");
    const made = element("details", {}, element("summary", {}, isolated(label), " ", counts), content);
    const open = () => content.append(...(Array.isArray(parts[0])
      ? parts.map((part) => this.block(part)) : nodes.map((node) => this.node(node))));
    made.addEventListener("toggle", open, { once: true });
    this.keep(() => counts.replaceChildren(counted(nodes.length, "node"), ...this.tally(nodes)
      .filter(([kind]) => kind !== FINE).flatMap(([kind, number]) => [" ", this.mark(kind, `${number} ${this.word(kind)}`)])));
    return element("li", {}, made);
  }

  node(place) {
    const { name, op } = this.model.nodes[place], state = element("span");
    this.keep(() => state.replaceChildren(...(this.kinds[place] === FINE ? [] : [this.mark(this.kinds[place], this.word(this.kinds[place]))])));
    return element("li", {}, isolated(name), element("small", {}, ` ${op} · node ${place} `), state);
  }

  mark(kind, text) {
    return element("span", { className: "mark" }, element("span", { className: `key ${KINDS[kind].role}` }), ` ${text}`);
  }
}

/** The nodes of a block, from its parts or from the ends of their runs. */
function nodesOf(parts) {
  if (Array.isArray(parts[0])) return parts.flatMap(([, ...inner]) => nodesOf(inner));
  const nodes = [];
  for (let i = 0; i < parts.length; i += 2) for (let node = parts[i]; node <= parts[i + 1]; node += 1) nodes.push(node);
  return nodes;
}
