/* The model at chosen sizes: which nodes run, the shapes of tensors, and the nearest sizes at which every node runs. */

const MOST_TRIED = 20000, MOST_STEPS = 4e6; // sizes that are tried in a search, and formulas that are evaluated

const STATES = ["runs", "unknown", "unreached", "fails"];
const [RUNS, UNKNOWN, UNREACHED, FAILS] = STATES.keys();

class Model {
  constructor(data) {
    this.entries = data.entries;
    this.sliders = data.sliders.map(([name, first, last, step]) =>
      ({ name, first: BigInt(first), last: last === null ? null : BigInt(last), step: BigInt(step) }));
    this.running = data.running.map((row) => row.map((size) => (size === null ? null : BigInt(size))));
    this.dims = data.dims;
    this.facts = data.facts;
    this.nodes = data.nodes.map(([name, op, reads, condition, verdict, reached]) =>
      ({ name, op, reads, condition, verdict, reached: Boolean(reached) }));
    this.conditions = [...new Set(this.nodes.map((node) => node.condition).filter((place) => place !== null))];
    this.everything = new Plan(this.entries, this.entries.keys());
    this.groups = this.independent([...this.conditions, ...this.facts.map(([, place]) => place)]);
  }

  /** Conditions in groups that share no slider, each as a plan. */
  independent(roots) {
    const groups = [];
    for (const root of new Set(roots)) {
      let merged = { roots: [root], sliders: new Plan(this.entries, [root]).sliders };
      for (const group of groups.filter((each) => each.sliders.some((slider) => merged.sliders.includes(slider)))) {
        groups.splice(groups.indexOf(group), 1);
        merged = { roots: [...group.roots, ...merged.roots], sliders: [...new Set([...group.sliders, ...merged.sliders])] };
      }
      groups.push(merged);
    }
    return groups.map((group) => {
      const plan = new Plan(this.entries, group.roots);
      return { ...group, plan, most: Math.min(MOST_TRIED, Math.ceil(MOST_STEPS / (plan.places.length + 1))) };
    });
  }

  /** The outcome at these sizes: a verdict, the state of each node, what fails, and the value of each entry. */
  at(sizes) {
    const values = this.everything.at(sizes);
    const broken = this.facts.filter(([, place]) => values[place] === false).map(([text]) => text);
    const states = new Uint8Array(this.nodes.length);
    this.nodes.forEach((node, place) => { states[place] = this.state(node, states, values); });
    const failing = [], open = [];
    let unreached = 0;
    states.forEach((state, place) => {
      if (state === FAILS) failing.push(place);
      if (state === UNKNOWN) open.push(place);
      if (state === UNREACHED) unreached += 1;
    });
    const verdict = broken.length ? "not admissible" : failing.length ? "fails" : open.length ? "unknown" : "runs";
    return { verdict, states, failing, open, unreached, broken, values };
  }

  state(node, states, values) {
    if (node.reads.some((source) => states[source] >= UNREACHED)) return UNREACHED;
    const holds = node.condition === null ? true : values[node.condition];
    if (holds === false) return FAILS;
    if (node.verdict === "x") return UNKNOWN; // it isn't judged, whatever the sizes
    return holds || node.verdict === "p" ? RUNS : UNKNOWN;
  }

  /** A shape at an outcome: its sizes, null for one that isn't known; null where the rank isn't. */
  shape(cases, values) {
    const held = cases.find(([condition]) => condition === null || values[condition] === true);
    const unsure = cases.some(([condition]) => condition !== null && values[condition] === null);
    return held === undefined || unsure || held[1] === null ? null : held[1].map((place) => values[place]);
  }

  allowed(slider, value) {
    const { first, last, step } = this.sliders[slider];
    return value >= first && (last === null || value <= last) && (value - first) % step === 0n;
  }

  /** The nearest sizes at which everything runs; null where none is near. */
  nearest(sizes) {
    const found = [...sizes];
    for (const group of this.groups) {
      const near = this.nearestOf(group, sizes);
      if (near === null) return null;
      group.sliders.forEach((slider) => { found[slider] = near[slider]; });
    }
    return found;
  }

  /** The nearest sizes for a group: with one of its dimensions changed if that is enough, else with several. */
  nearestOf(group, sizes) {
    if (this.holds(group, sizes)) return sizes;
    const alone = group.sliders.flatMap((slider) => this.neighbours(slider, sizes).map((value) => ({ slider, value })));
    if (alone.length) {
      const changed = alone.map(({ slider, value }) => sizes.with(slider, value));
      return this.closest(group, changed, sizes);
    }
    const known = this.nearestKnown(group, sizes);
    if (group.sliders.length < 2) return known;
    return this.nearestTogether(group, sizes, known === null ? Infinity : this.farthest(group, known, sizes)) ?? known;
  }

  /** How many steps each size of a group is away. */
  steps(group, from, sizes) {
    return group.sliders.map((slider) => Math.abs(Number((from[slider] - sizes[slider]) / this.sliders[slider].step)));
  }

  farthest(group, from, sizes) {
    return Math.max(...this.steps(group, from, sizes));
  }

  /** The one of several choices that is the fewest steps away; null of none. */
  closest(group, choices, sizes) {
    const away = (choice) => this.steps(group, choice, sizes).reduce((a, b) => a + b, 0);
    return choices.length ? choices.reduce((a, b) => (away(b) < away(a) ? b : a)) : null;
  }

  /** Sizes that are known to run, moved towards the chosen ones as far as they go on running. */
  nearestKnown(group, sizes) {
    const known = this.running.map((at) => sizes.map((size, slider) => (group.sliders.includes(slider) ? at[slider] ?? size : size)));
    const running = known.filter((at) => group.sliders.every((slider) => this.allowed(slider, at[slider])) && this.holds(group, at));
    return this.closest(group, running.map((at) => this.movedTowards(group, at, sizes)), sizes);
  }

  movedTowards(group, from, sizes) {
    let at = from, before = null, left = group.most;
    while (at !== before) {
      before = at;
      for (const slider of group.sliders) {
        const way = at[slider] < sizes[slider] ? -1n : 1n;
        for (let size = sizes[slider]; size !== at[slider] && left > 0; size += way * this.sliders[slider].step, left -= 1) {
          if (!this.holds(group, at.with(slider, size))) continue;
          at = at.with(slider, size);
          break;
        }
      }
    }
    return at;
  }

  /** The nearest sizes with several dimensions changed. */
  nearestTogether(group, sizes, within) {
    let tried = 0;
    for (let radius = 1; tried < group.most && radius < within; radius += 1) {
      const before = tried;
      for (const near of this.ring(group.sliders, sizes, radius)) {
        tried += 1;
        if (this.holds(group, near)) return near;
        if (tried === group.most) break;
      }
      if (tried === before) return null; // beyond every range
    }
    return null;
  }

  /** Whether no condition of a group is known to fail. */
  holds(group, sizes) {
    const values = group.plan.at(sizes);
    return group.roots.every((root) => values[root] !== false);
  }

  /** The sizes whose farthest one is so many steps away. */
  *ring(sliders, sizes, radius) {
    const [slider, ...others] = sliders;
    for (const steps of others.length ? around(radius) : [-radius, radius]) {
      const moved = this.moved(sizes, slider, steps);
      if (moved === null) continue;
      if (!others.length) yield moved;
      else if (Math.abs(steps) === radius) yield* this.ball(others, moved, radius);
      else yield* this.ring(others, moved, radius);
    }
  }

  *ball(sliders, sizes, radius) {
    const [slider, ...others] = sliders;
    for (const steps of around(radius)) {
      const moved = this.moved(sizes, slider, steps);
      if (moved === null) continue;
      if (others.length) yield* this.ball(others, moved, radius);
      else yield moved;
    }
  }

  moved(sizes, slider, steps) {
    const value = sizes[slider] + BigInt(steps) * this.sliders[slider].step;
    return this.allowed(slider, value) ? sizes.with(slider, value) : null;
  }

  /** The next smaller and the next greater value of one dimension at which all its conditions hold. */
  neighbours(slider, sizes) {
    const group = this.groups.find((each) => each.sliders.includes(slider));
    if (!group) return [];
    return [-1, 1].map((way) => {
      for (let steps = way; Math.abs(steps) < group.most / 10; steps += way) {
        const moved = this.moved(sizes, slider, steps);
        if (moved === null) return null;
        if (this.holds(group, moved)) return moved[slider];
      }
      return null;
    }).filter((value) => value !== null);
  }
}

/** 0, -1, 1, -2, 2, ... up to a radius. */
function around(radius) {
  return [0, ...Array.from({ length: radius }, (_, i) => [-(i + 1), i + 1]).flat()];
}
