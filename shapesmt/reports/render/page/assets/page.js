/* The parts of the page, brought together. */

(() => {
  const read = (id) => {
    const at = document.getElementById(id);
    return at ? JSON.parse(at.textContent) : null;
  };

  const model = new Model(read("calculator-data"));
  const tensorData = read("tensor-data");
  const shown = (id) => document.getElementById(id) !== null;
  const table = !tensorData ? null : shown("rows") ? new Table(tensorData, model) : new Tensors(tensorData, model);
  const map = shown("map") ? new GraphMap(model) : shown("blocks") ? new Blocks(model) : null;

  function change(sizes, result) {
    markChosen(sizes);
    table?.at(result);
    if (table) document.getElementById("outcome")?.append(table.summary());
    map?.at(result);
  }

  const sizes = document.getElementById("outcome") ? new Sizes(model, change) : null;
  if (sizes) sizes.set(model.nearest(sizes.chosen) ?? sizes.chosen);
  else change([], model.at([]));
  if (shown("rows")) table.update();

  for (const button of document.querySelectorAll("[data-sizes]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      sizes.set(button.dataset.sizes.split(",").map(BigInt));
      document.getElementById("sizes").scrollIntoView({ behavior: "smooth" });
    });
  }

  document.querySelectorAll(".picture").forEach((figure, number) => tellCells(figure, read(`grid-${number}`)));

  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }

  window.shapesmt = { model, sizes, table }; // for the console
})();

/** Say of the cell of a grid under the pointer whether its inputs run. */
function tellCells(figure, { axes, rows }) {
  const cells = figure.querySelector(".cells"), readout = figure.querySelector(".readout");
  const words = { g: "runs", r: "fails", m: "some of these run", n: "not admissible" };
  const span = ([, name, first, step, count, block], cell) => {
    const low = first + cell * block * step;
    const high = first + (Math.min((cell + 1) * block, count) - 1) * step;
    return `${name} ${low === high ? `= ${low}` : `in ${low}..${high}${step > 1 ? `:${step}` : ""}`}`;
  };
  cells.addEventListener("pointermove", (event) => {
    const box = cells.querySelector(".frame").getBoundingClientRect();
    const row = rows.length - 1 - Math.floor((event.clientY - box.top) / box.height * rows.length);
    const column = Math.floor((event.clientX - box.left) / box.width * (rows[row]?.length ?? 0));
    const letter = rows[row]?.[column];
    if (!letter) return;
    const places = axes.map((axis, i) => span(axis, i ? row : column)).reverse();
    readout.textContent = `${places.join(", ")}: ${words[letter]}`;
  });
  cells.addEventListener("pointerleave", () => { readout.textContent = ""; });
}
