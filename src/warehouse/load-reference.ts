/**
 * E2, E4, E5, E10, E12: loads catalogs, templates and opt-outs with their history. The order of all steps is in this
 * file.
 */
import { z } from 'zod';
import { makeCatalogViews } from './describe.js';
import { listsOf, templatesOf, type Page, type Pull } from '../landing/landing-zone.js';
import { dayOf } from '../ground/calendar.js';
import { asPattern, count, DOCUMENTS, largestOf, split, type Session } from './session.js';
import type { ReferenceStream } from '../ground/streams.js';

/** A table of a stream: the columns that identify its rows, and the column of the list that a row belongs to. */
interface Table {
  readonly table: string;
  readonly key: string;
  readonly list: string;
  /** The columns that identify rows without an id. */
  readonly unnamed?: string;
}

const TABLES: Readonly<Record<ReferenceStream, readonly Table[]>> = {
  catalogs: [
    { table: 'catalogs', key: 'catalog_name', list: `'*'` },
    { table: 'catalog_fields', key: 'catalog_name, position', list: `'*'` },
    {
      table: 'catalog_items',
      key: 'catalog_name, item_id',
      list: 'catalog_name',
      unnamed: 'if(item_id is null, hash(item), null)',
    },
  ],
  brand_templates: [
    {
      table: 'brand_templates',
      key: 'sender_key, template_id',
      list: 'sender_key',
      unnamed: 'if(template_id is null, hash(template), null)',
    },
    { table: 'brand_template_buttons', key: 'sender_key, template_id, position', list: 'sender_key' },
  ],
  alimtalk_templates: [
    {
      table: 'alimtalk_templates',
      key: 'channel_id, template_code, copy',
      list: `coalesce(channel_id, '*')`,
    },
  ],
  opt_outs: [{ table: 'opt_outs', key: 'unsubscribe_number, recipient, requested_at, copy', list: `'*'` }],
};

/** Updates the histories with the snapshots of the pulls. Requires the load's transaction and its table `days`. */
export async function loadReference(
  session: Session,
  pulls: readonly Pull[],
  stream: ReferenceStream,
): Promise<void> {
  const lists: Awaited<ReturnType<typeof listsThere>> = [];
  for (const pull of pulls) lists.push(...(await listsThere(session, pull)));
  if (lists.length === 0) return;
  const files = lists.flatMap(({ files, list, pull }) => files.map(({ file }) => ({ file, list, pull })));
  await session.set({
    landed: {
      files: files.map(({ file }) => asPattern(file)),
      paths: files.map(({ file }) => file),
      path_lists: files.map(({ list }) => list),
      path_pulls: files.map(({ pull }) => pull),
      lists: lists.map(({ list }) => list),
      list_pulls: lists.map(({ pull }) => pull),
      list_rows: lists.map(({ rows }) => String(rows)),
      list_announced: lists.map(({ announced }) => String(announced ?? '')),
      largest_object: await largestOf(files),
    },
  });
  await session.run('load/reference/read');
  await session.runForEach(
    'load/reference/stage',
    TABLES[stream].map(({ table }) => ({ table })),
  );
  await stage(stream, session, pulls);
  await session.run('load/reference/snapshots');
  for (const table of TABLES[stream]) {
    await session.run('load/reference/versions', { unnamed: 'null', ...table });
    if (table.table === 'brand_templates') await session.run('load/reference/status_read');
  }
  await session.run('load/begin_end/forget');
  await session.run('load/begin_end/drift');
  if (stream === 'catalogs') await session.run('load/reference/catalog_values');
  await session.run('load/reference/cover');
  if (stream === 'catalogs') await makeCatalogViews(session);
}

const counted = z.object({
  rows: count,
  /** Number of rows whose id already occurred on an earlier page. */
  repeated: count,
  /** Number of rows without an id that equal another row, on the same page or another one. */
  equal: count,
});

export type CountedRows = Readonly<z.infer<typeof counted>>;

/**
 * Counts the rows of the pages, and the duplicates among them.
 *
 * @param id a JSON pointer to the id of a row; '' if the whole row identifies it
 */
export async function countRows(session: Session, pages: readonly Page[], id: string): Promise<CountedRows> {
  const files = pages.map(({ file }) => asPattern(file));
  const given = { files, id_pointer: id, largest_object: await largestOf(pages) };
  const [all] = await session.rows('ops/count_rows', counted, {}, given);
  return counted.parse(all);
}

/** The lists of a pull. Where an erasure has cut rows, the service's count is lowered by as many. */
async function listsThere(session: Session, pull: Pull) {
  const lists = listsOf(pull).map((list) => ({ ...list, pull: pull.id }));
  if (pull.isCut?.() !== true) return lists;
  const there: typeof lists = [];
  for (const list of lists) {
    const { rows, equal } = await countRows(session, list.files, '');
    const cut = list.rows - (rows - equal);
    const announced = list.announced === null ? null : list.announced - cut;
    there.push({ ...list, rows: list.rows - cut, announced });
  }
  return there;
}

/** The lists within the rows of another table: the fields of a catalog, the buttons of a brand template. */
const FIELDS = {
  place: 'catalog',
  inner: 'catalog_field',
  id: 'catalog_name',
  elements: 'fields',
  path: '$',
};
const BUTTONS = {
  place: 'brand_template',
  inner: 'brand_template_button',
  id: 'template_id',
  elements: 'template',
  path: '$.template.content.buttons',
};

async function inner(session: Session, list: typeof FIELDS): Promise<void> {
  await session.run('load/reference/unfold', { ...list, table: `${list.place}s` });
  await split(session, list.inner);
  await session.run(`load/reference/${list.inner}s`);
  await session.run('load/reference/extras', list);
}

/** Converts documents to rows, stream by stream. */
async function stage(stream: ReferenceStream, session: Session, pulls: readonly Pull[]): Promise<void> {
  await session.run('load/documents/redact');
  switch (stream) {
    case 'catalogs':
      await split(session, 'catalog', { ...DOCUMENTS, condition: `list = '*'` });
      await session.run('load/reference/catalogs');
      await inner(session, FIELDS);
      break;
    case 'brand_templates':
      await split(session, 'brand_template');
      await readStatus(session, pulls);
      await session.run('load/reference/brand_templates');
      await inner(session, BUTTONS);
      break;
    case 'alimtalk_templates':
      await session.run('load/reference/alimtalk_templates');
      break;
    case 'opt_outs':
      await split(session, 'opt_out');
      await session.run('load/reference/opt_outs');
      break;
  }
}

/** Reads the status of the templates from the answers of E5. */
async function readStatus(session: Session, pulls: readonly Pull[]): Promise<void> {
  const reads = pulls.flatMap((pull) => templatesOf(pull).map((read) => ({ ...read, pull: pull.id })));
  if (reads.length === 0) return session.run('load/reference/no_template_status');
  await session.set({
    landed_templates: {
      files: [...new Set(reads.map(({ file }) => asPattern(file)))],
      paths: reads.map(({ file }) => file),
      path_lists: reads.map(({ list }) => list),
      path_templates: reads.map(({ templateId }) => templateId),
      path_pulls: reads.map(({ pull }) => pull),
      path_days: reads.map(({ readAt }) => dayOf(readAt)),
    },
  });
  return session.run('load/reference/template_status');
}
