"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const read = (id) => { const at = byId(id); return at ? JSON.parse(at.textContent) : null; };

  const table = read("tensor-data");
  if (table) {
    const first = 100, further = 400;
    const search = byId("search"), varying = byId("varying"), body = byId("rows"), more = byId("more");
    const texts = table.rows.map(([tensor, node, op, kind]) =>
      [tensor, node, op, ...table.kinds[kind].slice(0, 3)].join("\n").toLowerCase());
    let found = [], shown = 0;

    const cell = (text, role) => {
      const made = document.createElement("td");
      const isolated = document.createElement("bdi");
      isolated.textContent = text;
      if (role) made.className = role;
      made.append(isolated);
      return made;
    };
    const show = (count) => {
      const rows = document.createDocumentFragment();
      for (const index of found.slice(shown, shown + count)) {
        const [tensor, node, op, kind] = table.rows[index];
        const [dtype, shape, formulas] = table.kinds[kind];
        const row = document.createElement("tr");
        row.append(cell(tensor, "name"), cell(node ? `${op} ${node}` : op, "made"), cell(dtype, "dtype"),
          cell(shape, "shape"), cell(formulas, "formulas"));
        rows.append(row);
      }
      body.append(rows);
      shown = Math.min(shown + count, found.length);
      more.hidden = shown === found.length;
      more.textContent = `Show more (${found.length - shown} left)`;
    };
    const update = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      found = [];
      texts.forEach((text, index) => {
        if (varying.checked && !table.kinds[table.rows[index][3]][3]) return;
        if (words.every((word) => text.includes(word))) found.push(index);
      });
      body.replaceChildren();
      shown = 0;
      show(first);
      byId("found").textContent = `${found.length} of ${table.rows.length}`;
    };
    search.addEventListener("input", update);
    varying.addEventListener("change", update);
    more.addEventListener("click", () => show(further));
    update();
  }

  const picture = read("picture-data");
  if (picture) {
    const cells = byId("cells"), readout = document.querySelector(".readout");
    const words = { g: "runs", r: "fails", m: "some of these run", n: "not admissible" };
    const [across, up] = picture.axes;
    const span = ([name, first, step, count, block], cell) => {
      const low = first + cell * block * step;
      const high = first + (Math.min((cell + 1) * block, count) - 1) * step;
      return `${name} ${low === high ? `= ${low}` : `in ${low}..${high}${step > 1 ? `:${step}` : ""}`}`;
    };
    cells.addEventListener("pointermove", (event) => {
      const box = cells.querySelector(".frame").getBoundingClientRect();
      const row = picture.rows.length - 1 - Math.floor((event.clientY - box.top) / box.height * picture.rows.length);
      const letters = picture.rows[row];
      if (!letters) return;
      const column = Math.floor((event.clientX - box.left) / box.width * letters.length);
      if (!(column in letters.split(""))) return;
      const places = up ? [span(up, row), span(across, column)] : [span(across, column)];
      readout.textContent = `${places.join(", ")}: ${words[letters[column]]}`;
    });
    cells.addEventListener("pointerleave", () => { readout.textContent = ""; });
  }

  for (const drawn of document.querySelectorAll(".scroll:has(svg)")) {
    drawn.scrollLeft = (drawn.scrollWidth - drawn.clientWidth) / 2;
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(byId(button.dataset.copy).textContent);
      button.textContent = "Copied";
    });
  }
})();
