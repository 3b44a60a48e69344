/** Loads catalogs, templates and opt-outs with their history (E2, E4, E5, E10, E12). This file has the order of all steps. */
import { makeCatalogViews } from '../../warehouse/describe.js';
import { listsOf, templatesOf, type Pull } from '../../landing/landing-zone.js';
import { dayOf } from '../../ground/calendar.js';
import { asPattern, pagesGiven } from '../../warehouse/pages.js';
import type { Session } from '../../warehouse/session.js';
import { REFERENCE, type ReferenceStream } from './fields.js';
import { countRows, type LoadContext, type LoadedPulls } from '../../warehouse/load.js';

interface Table {
  readonly table: string;
  readonly key: string;
  readonly list: string;
  /** An expression that identifies rows without an id. */
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

/** Adds the snapshots of the pulls to the histories. Requires the load's transaction and its table `days`. */
export async function loadReference(
  { pulls }: LoadedPulls,
  { session, group }: LoadContext,
): Promise<undefined> {
  const stream = REFERENCE.find((one) => one === pulls[0]?.stream);
  if (stream === undefined) return;
  const lists: Awaited<ReturnType<typeof listsThere>> = [];
  for (const pull of pulls) lists.push(...(await listsThere(session, pull)));
  if (lists.length === 0) return;
  const files = lists.flatMap(({ files, list, pull }) => files.map(({ file }) => ({ file, list, pull })));
  await session.run('streams/reference/load/read', {
    ...group,
    ...(await pagesGiven(files)),
    path_lists: files.map(({ list }) => list),
    path_pulls: files.map(({ pull }) => pull),
  });
  await session.runForEach(
    'streams/reference/load/stage',
    TABLES[stream].map(({ table }) => ({ table })),
  );
  await stage(stream, session, pulls);
  await session.run('streams/reference/load/snapshots', {
    ...group,
    lists: lists.map(({ list }) => list),
    list_pulls: lists.map(({ pull }) => pull),
    list_rows: lists.map(({ rows }) => String(rows)),
    list_announced: lists.map(({ announced }) => String(announced ?? '')),
  });
  for (const table of TABLES[stream]) {
    await session.run('streams/reference/load/versions', { unnamed: 'null', ...table });
    if (table.table === 'brand_templates') await session.run('streams/reference/load/status_read');
  }
  await session.run('shared/begin_end/clear_notes', group);
  await session.run('shared/begin_end/drift', group);
  if (stream === 'catalogs') await session.run('streams/reference/load/catalog_values');
  await session.run('streams/reference/load/cover', group);
  if (stream === 'catalogs') await makeCatalogViews(session);
}

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

/** Lists inside the rows of another table: the fields of a catalog, the buttons of a brand template. */
const FIELDS = {
  place: 'catalog',
  inner: 'catalog_field',
  id: 'catalog_name',
  elements: 'fields',
  path: '$',
} as const;
const BUTTONS = {
  place: 'brand_template',
  inner: 'brand_template_button',
  id: 'template_id',
  elements: 'template',
  path: '$.template.content.buttons',
} as const;

async function inner(session: Session, list: typeof FIELDS | typeof BUTTONS): Promise<void> {
  await session.run('streams/reference/load/unfold', { ...list, table: `${list.place}s` });
  await session.run(`streams/reference/load/${list.inner}s`);
  await session.run('streams/reference/load/extras', list);
}

async function stage(stream: ReferenceStream, session: Session, pulls: readonly Pull[]): Promise<void> {
  switch (stream) {
    case 'catalogs':
      await session.run('streams/reference/load/catalogs');
      await inner(session, FIELDS);
      break;
    case 'brand_templates':
      await readStatus(session, pulls);
      await session.run('streams/reference/load/brand_templates');
      await inner(session, BUTTONS);
      await session.run('streams/reference/load/template_status_extras');
      break;
    case 'alimtalk_templates':
      await session.run('streams/reference/load/alimtalk_templates');
      break;
    case 'opt_outs':
      await session.run('streams/reference/load/opt_outs');
      break;
  }
}

/** Reads each template's status from the answers of E5. */
async function readStatus(session: Session, pulls: readonly Pull[]): Promise<void> {
  const reads = pulls.flatMap((pull) => templatesOf(pull).map((read) => ({ ...read, pull: pull.id })));
  if (reads.length === 0) return session.run('streams/reference/load/no_template_status');
  return session.run('streams/reference/load/template_status', {
    ...(await pagesGiven(reads)),
    path_lists: reads.map(({ list }) => list),
    path_templates: reads.map(({ templateId }) => templateId),
    path_pulls: reads.map(({ pull }) => pull),
    // Several pulls may refer to the same answer.
    files: [...new Set(reads.map(({ file }) => asPattern(file)))],
    path_days: reads.map(({ readAt }) => dayOf(readAt)),
  });
}
