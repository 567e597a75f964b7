"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.dataset.title = head.textContent;
    head.replaceChildren(button);
    const numeric = head.classList.contains("number");
    const value = (row) => {
      const text = row.cells[column].textContent;
      return numeric ? Number(text.replaceAll(",", "")) || 0 : text;
    };
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = (one, other) => (numeric ? value(one) - value(other) : value(one).localeCompare(value(other)));
      const rows = [...body.rows].sort(order);
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}
