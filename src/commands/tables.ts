/** The tables of a warehouse and how many rows each has. */
import { z } from 'zod';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import { Reader } from '../warehouse/reader.js';
import { statement } from '../warehouse/statements.js';
import { drawTable } from '../terminal/table.js';

const row = z.object({ table: z.string(), rows: z.number() });

export async function showTables(published: string, terminal: Terminal): Promise<void> {
  const reader = await Reader.open(published);
  try {
    const rows = z.array(row).parse(await reader.objects(statement('status/tables')));
    terminal.draw(
      await drawTable(
        [
          { name: 'table', numeric: false },
          { name: 'rows', numeric: true },
        ],
        rows.map(({ table, rows: count }) => [table, formatCount(count)]),
        { color: terminal.color },
      ),
    );
  } finally {
    await reader.close();
  }
}
