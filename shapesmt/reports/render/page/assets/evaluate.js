"use strict";

/* Formulas at chosen sizes. Entries are as `shapesmt.prover.expression_trees` writes them: each refers to earlier ones by position.
   Integers are BigInt, floats are numbers, and null stands for what isn't known. */

const MOST_BITS = 1n << 4096n; // numbers that no size comes near

function floorDivided(a, b) {
  if (b === 0n) return 0n;
  const quotient = a / b;
  return a % b !== 0n && (a < 0n) !== (b < 0n) ? quotient - 1n : quotient;
}

function halfToEven(x) {
  const down = Math.floor(x), rest = x - down;
  if (rest !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
}

const FLOATS = {
  cast: (x) => Number(x), add: (x, y) => x + y, sub: (x, y) => x - y, mul: (x, y) => x * y, div: (x, y) => x / y,
  floor: Math.floor, ceil: Math.ceil, trunc: Math.trunc, round: halfToEven, sqrt: Math.sqrt, abs: Math.abs,
  sign: Math.sign, min: Math.min, max: Math.max, choose: (condition, x, y) => (condition ? x : y),
  equal: (x, y) => Number(x === y), at_least: (x, y) => Number(x >= y),
};

const LEAST_INTEGER = -(2n ** 63n); // what a float that is no integer of 64 bits becomes

function integerOf(x) {
  return Number.isFinite(x) && Math.abs(x) < 2 ** 63 ? BigInt(Math.trunc(x)) : LEAST_INTEGER;
}

function known(values, apply) {
  return values.includes(null) ? null : apply(values);
}

const OPERATIONS = {
  div: (args) => known(args, ([a, b]) => floorDivided(a, b)),
  mul: (args) => known(args, ([a, b]) => a * b),
  min: (args) => known(args, (values) => values.reduce((a, b) => (b < a ? b : a))),
  max: (args) => known(args, (values) => values.reduce((a, b) => (b > a ? b : a))),
  if: ([condition, a, b]) => (condition === null ? (a === b ? a : null) : condition ? a : b),
  eq: (args) => known(args, ([a]) => a === 0n),
  ne: (args) => known(args, ([a]) => a !== 0n),
  ge: (args) => known(args, ([a]) => a >= 0n),
  and: (args) => (args.includes(false) ? false : args.includes(null) ? null : true),
  or: (args) => (args.includes(true) ? true : args.includes(null) ? null : false),
  int: (args) => known(args, ([x]) => integerOf(x)),
  "?": () => null,
};

/** The positions of the entries that an entry refers to. */
function references(entry) {
  if (!Array.isArray(entry)) return [];
  if (entry[0] === "sum") return entry[1].flatMap((term) => term.slice(1));
  if (entry[0] === "float") return entry.slice(3);
  return entry[0] === "at" ? [] : entry.slice(1);
}

/** The value of one entry, where those before it have theirs. */
function valueOf(entry, values, sizes) {
  if (!Array.isArray(entry)) return BigInt(entry);
  const [operation, ...rest] = entry;
  if (operation === "at") return sizes[rest[0]];
  if (operation === "sum") return sumOf(rest[0], values);
  if (operation === "float") {
    const [bits, name, ...places] = rest;
    const result = known(places.map((place) => values[place]), (args) => FLOATS[name](...args));
    return result !== null && bits === 24 ? Math.fround(result) : result;
  }
  return OPERATIONS[operation](rest.map((place) => values[place]));
}

function sumOf(terms, values) {
  let total = 0n;
  for (const [coefficient, ...factors] of terms) {
    let term = BigInt(coefficient);
    for (const place of factors) {
      if (values[place] === null) return null;
      term *= values[place];
    }
    total += term;
  }
  return total < MOST_BITS && -total < MOST_BITS ? total : null;
}

/** Some entries, ready to be evaluated again and again. */
class Plan {
  constructor(entries, roots) {
    this.entries = entries;
    const needed = new Set(roots);
    for (let place = entries.length - 1; place >= 0; place -= 1) {
      if (needed.has(place)) references(entries[place]).forEach((each) => needed.add(each));
    }
    this.places = [...needed].sort((a, b) => a - b);
    /** The sliders that they depend on. */
    this.sliders = [...new Set(this.places.map((place) => entries[place])
      .filter((entry) => Array.isArray(entry) && entry[0] === "at").map((entry) => entry[1]))];
  }

  /** The values by position; `sizes` are those of the sliders. */
  at(sizes) {
    const values = [];
    for (const place of this.places) values[place] = valueOf(this.entries[place], values, sizes);
    return values;
  }
}
