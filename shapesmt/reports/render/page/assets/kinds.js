/* What the nodes of the graph are: over all inputs, or at the chosen sizes. */

/** What a node can be, the gravest last: its colour, and its name over all inputs and at the chosen sizes. */
const KINDS = [
  { role: "good-soft", words: ["proved", "running"] },
  { role: "line", words: ["not reached", "not reached"] },
  { role: "faint", words: ["not decided", "not decided"] },
  { role: "warn", words: ["depending on the input", "depending on the input"] },
  { role: "bad", words: ["failing", "failing"] },
];
const [FINE, BEHIND, OPEN, DEPENDING, FAILING] = KINDS.keys();

class Graph {
  constructor(model) {
    this.model = model;
    this.overall = overall(model);
    this.chosen = this.overall;
    this.here = document.getElementById("map-here");
    this.here?.addEventListener("change", () => this.refresh());
  }

  at(result) {
    const kinds = { [RUNS]: FINE, [UNKNOWN]: OPEN, [UNREACHED]: BEHIND, [FAILS]: FAILING };
    this.chosen = result.states.map((state) => kinds[state]);
    this.refresh();
  }

  /** The kind of each node: over all inputs, or at the chosen sizes. */
  get kinds() {
    return this.here?.checked ? this.chosen : this.overall;
  }

  word(kind) {
    return KINDS[kind].words[this.here?.checked ? 1 : 0];
  }

  /** How many of the nodes are of each kind: kinds that occur, the gravest first, with their number. */
  tally(nodes) {
    const tally = KINDS.map(() => 0);
    nodes.forEach((node) => { tally[this.kinds[node]] += 1; });
    return [...tally.entries()].filter(([, number]) => number).reverse();
  }

  /** Write how many nodes there are of each kind, and return it as text. */
  legend() {
    const tally = this.tally([...this.model.nodes.keys()]);
    document.getElementById("map-legend").replaceChildren(...tally.map(([kind, number]) => element("li", {},
      element("span", { className: `key ${KINDS[kind].role}` }), `${number.toLocaleString("en")} ${this.word(kind)}`)));
    return tally.map(([kind, number]) => `${number} ${this.word(kind)}`).join(", ");
  }
}

/** The kind of each node over all admissible inputs. */
function overall(model) {
  const kinds = { p: FINE, u: OPEN, x: OPEN, d: DEPENDING, f: FAILING };
  return Uint8Array.from(model.nodes, ({ verdict, reached }) => (reached ? kinds[verdict] : BEHIND));
}
