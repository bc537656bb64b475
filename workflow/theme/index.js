// The table of data sets: a heading sorts by its column, numbers from the largest, words from A; pressed
// again, the other way. What is not there comes last. Without this script it is sorted by platform.
"use strict";
(() => {
  const table = document.querySelector(".shelf table");
  if (!table || table.tBodies[0].rows.length < 2) return;
  const rows = [...table.tBodies[0].rows], heads = [...table.tHead.rows[0].cells];
  const words = new Intl.Collator("en", { numeric: true });
  const text = (row, c) => {
    const picture = row.cells[c].querySelector("[aria-label]"); // sorted by its median
    return picture ? picture.getAttribute("aria-label").match(/[\d.]+$/)?.[0] ?? "" : row.cells[c].textContent.trim();
  };
  const none = (value) => value === "" || value === "–";
  const number = (value) => (/^[\d,.]+( %)?$/.test(value) ? parseFloat(value.replaceAll(",", "")) : NaN);
  let by = -1, down = false;
  function sort(c) {
    const keys = new Map(rows.map((row) => [row, text(row, c)]));
    const numeric = rows.every((row) => none(keys.get(row)) || !Number.isNaN(number(keys.get(row))));
    [by, down] = [c, c === by ? !down : numeric];
    const order = [...rows].sort((one, two) => {
      const [a, b] = [keys.get(one), keys.get(two)];
      if (none(a) || none(b)) return none(a) - none(b);
      return (numeric ? number(a) - number(b) : words.compare(a, b)) * (down ? -1 : 1);
    });
    table.tBodies[0].replaceChildren(...order);
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[c].setAttribute("aria-sort", down ? "descending" : "ascending");
  }
  heads.forEach((head, c) => {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(c));
    head.append(button);
  });
})();
