// Opens the section that an address names, and folds all sections on a phone. Without this, a section is opened by hand.
const open = () => {
  const part = document
    .getElementById(decodeURIComponent(location.hash.slice(1)))
    ?.querySelector(':scope > details');
  if (part) part.open = true;
};
if (matchMedia('(max-width: 40rem)').matches)
  for (const part of document.querySelectorAll('main > section > details')) part.open = false;
addEventListener('hashchange', open);
open();

// Sorts a table by a column of numbers when its heading is pressed, together with its folded rows. Without it the rows stay in
// the order of the page.
for (const block of document.querySelectorAll('.block')) {
  const tables = [...block.querySelectorAll('table.sortable')];
  if (block.querySelector('.below') || !(tables[0]?.tBodies[0].rows.length > 2)) continue;
  const bodies = tables.map((table) => table.tBodies[0]);
  const lengths = bodies.map((body) => body.rows.length);
  const heads = [...block.querySelectorAll('thead th.number')];
  for (const head of heads) {
    const button = document.createElement('button');
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => {
      const isDown = head.ariaSort !== 'descending';
      for (const other of heads)
        other.ariaSort = other.cellIndex !== head.cellIndex ? null : isDown ? 'descending' : 'ascending';
      const value = (row) => Number(row.cells[head.cellIndex].dataset.value ?? -1);
      const rows = bodies.flatMap((body) => [...body.rows]);
      rows.sort((a, b) => (value(b) - value(a)) * (isDown ? 1 : -1));
      bodies.forEach((body, i) => body.append(...rows.splice(0, lengths[i])));
    });
  }
}
