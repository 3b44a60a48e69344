// Sorts a table by a column of numbers when its heading is pressed. Without it the rows stay in the order of the page.
for (const table of document.querySelectorAll('table.sortable')) {
  if (table.querySelector('.group, .below') || table.tBodies[0].rows.length < 3) continue;
  table.querySelectorAll('thead th.number').forEach((head) => {
    const button = document.createElement('button');
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const isDown = head.ariaSort !== 'descending';
      for (const other of table.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
      head.ariaSort = isDown ? 'descending' : 'ascending';
      const value = (row) => Number(row.cells[head.cellIndex].dataset.value ?? -1);
      const rows = [...table.tBodies[0].rows].sort((a, b) => (value(b) - value(a)) * (isDown ? 1 : -1));
      table.tBodies[0].append(...rows);
    });
  });
}
