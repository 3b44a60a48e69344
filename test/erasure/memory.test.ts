/** A search for persons in more pages than the memory suffices for, and memory that does not suffice at all. */
import { expect, test } from 'vitest';
import { Erasures } from '../../src/erasure/landed.js';
import { CorruptDatabaseError, MemoryError } from '../../src/ground/errors.js';
import { isOutOfMemory, statementError } from '../../src/disk/duckdb.js';
import { Reader } from '../../src/warehouse/reader.js';
import { limitsOf } from '../../src/warehouse/memory-limit.js';
import { loadError, sized } from '../../src/warehouse/pages.js';
import { KEY, record, Workshop } from '../warehouse/support.js';

test('thousands of records whose ids are addresses are searched, with more memory and in smaller batches', async () => {
  const limits = { memoryLimitMb: 45, threads: 1 };
  const workshop = new Workshop(limits);
  const pages = Array.from({ length: 8 }, (_, p) =>
    Array.from({ length: 700 }, (_, i) =>
      record({
        id: `e${p}-${i}`,
        user_id: `user.${p}.${i}@mail.example.com`,
        message_data: { title: `${i}`, body: '본문' },
      }),
    ),
  );
  const { files } = workshop.events('2026-11-20', pages);
  const warehouse = await workshop.open();
  const place = {
    dataDir: workshop.folder,
    tempDirectory: `${workshop.folder}/tmp`,
    key: KEY,
    limits: limitsOf(limits),
  };
  const erasures = new Erasures(place, { ids: [] } as never, { reach: () => undefined }, () =>
    warehouse.searching(),
  );
  const found: unknown[] = [];
  for await (const some of erasures.find(await sized(files))) found.push(...some);
  expect(found).toEqual([]);
});

const SAID = [
  'Out of Memory Error: failed to pin block of size 256.0 KiB (57.0 MiB/57.2 MiB used)',
  'FATAL Error: Failed to create checkpoint because of error: Out of Memory Error: Allocation failure',
  'std::bad_alloc',
];

test.each(SAID)('is no damage: %s', (said) => {
  const cause = new Error(said);
  expect(isOutOfMemory(cause)).toBe(true);
  for (const error of [
    statementError(cause, 'damaged'),
    loadError(cause, { name: 'pull' }),
    loadError(cause, { name: 'pull', isSnapshot: true }),
  ]) {
    expect(error).toBeInstanceOf(MemoryError);
    const { message, hint } = error as MemoryError;
    expect(message).toBe('DuckDB ran out of memory.');
    expect(hint).toContain('No file is damaged');
    expect(isOutOfMemory(error)).toBe(true);
  }
});

test('a statement without memory says so', async () => {
  const workshop = new Workshop();
  await workshop.open();
  await workshop.close();
  const large = Reader.using(workshop.path, async (reader) => {
    await reader.confine(30);
    return reader.objects("select list(repeat('x', 1000) || range) from range(1000000)");
  });
  await expect(large).rejects.toThrow(MemoryError);
});

test('damage is still damage', () => {
  expect(statementError(new Error('IO Error: Corrupt database file: checksum'), 'It is damaged.')).toEqual(
    new CorruptDatabaseError('It is damaged.'),
  );
});
