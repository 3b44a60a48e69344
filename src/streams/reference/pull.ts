/** Lands and loads the current catalogs (E2), templates (E4, E5, E10) and opt-outs (E12). `lists.ts` reads the lists. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { dayOf, koreanTime } from '../../ground/calendar.js';
import { repairedJson } from '../../ground/envelope.js';
import { CredentialsError, DamageError, RefusedError } from '../../ground/errors.js';
import type { Job } from '../../ground/streams.js';
import {
  SOLE_LIST,
  templatesOf as templatesIn,
  type Page,
  type ShortList,
  type TemplateRead,
} from '../../landing/landing-zone.js';
import { settleAll } from '../../ground/promises.js';
import type { ServiceAnswer, ServiceClient } from '../../service/client.js';
import * as endpoints from '../../service/endpoints.js';
import { REFERENCE, type ReferenceStream } from './fields.js';
import type { Order, PullParts } from '../stream.js';
import {
  listPage,
  nextCursor,
  numbered,
  readLists,
  rowsOn,
  type Announced,
  type Ask,
  type ListPage,
  type ListSource,
  type ListsRead,
  type ListsReader,
} from './lists.js';
import type { AlimtalkTemplateSettings, BrandTemplateSettings, OptOutSettings } from './settings.js';

/** A failing stream does not stop the others. After `reference.max_minutes`, nothing more is requested. */
export async function pullReference({ job, service }: Order, parts: PullParts): Promise<void> {
  const { config, invocation } = parts;
  const ask = timed(service, config.reference.maxMinutes, invocation.signal);
  const { catalogs, brandTemplates, alimtalkTemplates, optOuts } = config.reference;
  const readers: Readonly<Record<ReferenceStream, Read | undefined>> = {
    catalogs: catalogs === false ? undefined : (reader) => readCatalogs(catalogs, reader),
    brand_templates:
      brandTemplates.senderKeys.length === 0
        ? undefined
        : (reader) => readBrandTemplates(brandTemplates, reader),
    alimtalk_templates: alimtalkTemplates && ((reader) => readAlimtalkTemplates(alimtalkTemplates, reader)),
    opt_outs: optOuts && ((reader) => readOptOuts(optOuts, reader)),
  };
  for (const stream of REFERENCE) {
    const read = readers[stream];
    invocation.signal.throwIfAborted();
    if (read !== undefined && job.streams.has(stream))
      await pullStream(stream, read, job, service, ask, parts);
  }
}

/** Sends requests within a time limit. After the limit, every request counts as a timeout. */
function timed(service: ServiceClient, maxMinutes: number, signal: AbortSignal): Ask {
  const over = AbortSignal.timeout(maxMinutes * 60_000);
  const stopped = AbortSignal.any([signal, over]);
  setMaxListeners(0, stopped);
  const noTime: ServiceAnswer = {
    verdict: { kind: 'timeout', reason: `the ${maxMinutes} minutes of reference.max_minutes are over` },
    body: Buffer.alloc(0),
    status: undefined,
  };
  return async (question) => {
    try {
      return over.aborted ? noTime : await service.ask(question, stopped);
    } catch (error) {
      signal.throwIfAborted();
      if (over.aborted) return noTime;
      throw error;
    }
  };
}

interface StreamRead extends ListsRead {
  readonly templates?: (TemplateRead & Page)[];
  readonly problems?: string[];
}
type Read = (reader: ListsReader) => Promise<StreamRead>;

/** Reads the alimtalk templates (E10) of each configured channel. Without configured channels, sends one request without a channel. */
function readAlimtalkTemplates(settings: AlimtalkTemplateSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, messenger } = reader;
  const channels = settings.channelIds.length === 0 ? [undefined] : settings.channelIds;
  const sources = channels.map((channel) => ({
    list: channel ?? SOLE_LIST,
    what: `the alimtalk templates${channel === undefined ? '' : ` of channel ${channel}`}`,
    shape: { rows: [['templateListResponse', 'templates']], total: ['templateListResponse', 'totalCount'] },
    id: '',
    paging: numbered('alimtalk_templates', settings, (pages) =>
      endpoints.alimtalkTemplates(projectId, messenger, { [settings.channelParameter]: channel, ...pages }),
    ),
  }));
  return readLists(sources, reader);
}

/**
 * Reads the opt-outs from text messages, which people make by calling an 080 number (E12). Only opt-outs from before the pull are
 * requested, because newer ones would shift the pages during the reading.
 */
function readOptOuts(settings: OptOutSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, writer } = reader;
  // The specification does not name a time zone. Korean time is used, as for the service's days.
  const until = koreanTime(writer.pulledAt).slice(0, 19).replace('T', ' ');
  // The period starts before the service existed.
  const period = { [settings.startParameter]: '2000-01-01 00:00:00', [settings.endParameter]: until };
  const source = {
    list: SOLE_LIST,
    what: 'the opt-outs',
    shape: { rows: [['data']], total: ['totalCount'] },
    id: '',
    paging: numbered('opt_outs', settings, (pages) => endpoints.optOuts(projectId, { ...period, ...pages })),
  };
  return readLists([source], reader);
}

async function pullStream(
  stream: ReferenceStream,
  read: Read,
  job: Job,
  service: ServiceClient,
  ask: Ask,
  { config, landing, warehouse, report, load, invocation: { terminal } }: PullParts,
): Promise<void> {
  const pulledAt = landing.instant(service.clocks.landingTime());
  const day = dayOf(pulledAt);
  const gap = (reason: string): void => {
    report.gaps.push({ stream, days: { start: day, end: day }, reason });
  };
  try {
    const [earlier] = await landing.newest([stream]);
    const stored = await warehouse.snapshotRows(stream);
    const writer = landing.begin(stream, { start: day, end: day }, pulledAt);
    const reader: ListsReader = {
      ask,
      projectId: service.projectId,
      messenger: config.messenger,
      writer,
      earlier,
      stored,
      accepted: job.acceptEmpty,
      landing,
      warehouse,
      terminal,
    };
    const { lists, failures, templates = [], problems = [] } = await read(reader);
    const short = failures.flatMap((failure) => failure.short ?? []);
    const accept = `To accept what the service gives: \`dawnload backfill --start ${job.days.end} --end ${job.days.end} --streams ${stream} --accept-empty\`.`;
    for (const { what, reason, short: lacking } of failures)
      gap(
        `${what.charAt(0).toUpperCase()}${what.slice(1)} are not loaded: ${reason}. The warehouse keeps the earlier ones, and the next run tries again.${lacking === undefined ? '' : ` ${accept}`}`,
      );
    problems.forEach(gap);
    for (const { list, rows, announced } of lists)
      if (announced !== null && announced !== rows)
        terminal.warn(
          `The service announces ${announced} rows and gave ${rows} (${stream}, ${list}). The received rows are loaded.`,
        );
    if (lists.length === 0 && short.length === 0) return;
    const files = [...lists.flatMap((list) => list.files), ...templates];
    // Incomplete readings of earlier pulls are kept for a later night to confirm: the latest one of each day.
    const isSettled = ({ list, pulledAt: at }: ShortList): boolean =>
      lists.some((one) => one.list === list) ||
      short.some((one) => one.list === list && dayOf(one.pulledAt) === dayOf(at));
    const stillShort = earlier?.facts.short.filter((list) => !isSettled(list)) ?? [];
    const landed = await writer.finish(files, {
      complete: failures.length === 0,
      lists: lists.map(({ files: pages, ...list }) => ({ ...list, pages: pages.length })),
      short: [...stillShort, ...short],
      templates: templates.map(({ list, templateId, digest, readAt }) => ({
        list,
        templateId,
        digest,
        readAt,
      })),
    });
    await load([landed]);
  } catch (error) {
    // The keys may be valid for statistics but not for catalogs.
    if (error instanceof CredentialsError) gap(`${error.message} The other streams continue.`);
    else if (error instanceof DamageError) gap(error.sentences);
    else throw error;
  }
}

// Catalogs.

/**
 * Reads the items of all catalogs, or of the configured ones. The list of catalogs is read before and after the items, because only it has
 * the expected numbers of items. Without it, no catalog is accepted.
 *
 * @throws the errors of `readLists`
 */
async function readCatalogs(wanted: 'all' | readonly string[], reader: ListsReader): Promise<StreamRead> {
  const { projectId } = reader;
  let list = await readCatalogList(reader);
  const isWhole = (): boolean => list.read.lists.length > 0;
  if (!isWhole()) return list.read;
  const before = list.catalogs;
  const names = wanted === 'all' ? [...before.keys()] : [...new Set(wanted)];
  const sources = names.map((name): ListSource => ({
    list: name,
    what: `the items of catalog ${name}`,
    shape: { rows: [['data', 'items']] },
    id: '/id',
    announced: before.get(name) ?? null,
    paging: { by: 'cursor', ask: (cursor) => endpoints.catalogItems(projectId, name, cursor) },
  }));
  const again = async (): Promise<Announced> => {
    if (!isWhole()) return list.catalogs;
    for (const { files } of list.read.lists) await reader.writer.discard(files);
    list = await readCatalogList(reader);
    return list.catalogs;
  };
  const listed = sources.filter((source) => before.has(source.list));
  const read = await readLists(listed, reader, { before, again });
  if (!isWhole()) return list.read;
  // If a catalog was deleted while it was read, that is not a failure.
  const failures = read.failures.filter(({ list: name }) => list.catalogs.has(name));
  const unknown = names.filter((name) => !before.has(name));
  const problems = unknown.map(
    (name) =>
      `The service has no catalog ${name}, which reference.catalogs names. Remove it from the setting.`,
  );
  return { ...read, failures, problems, lists: [...read.lists, ...list.read.lists] };
}

/** The specification does not define where `data` has the list of catalogs (R1). */
const CATALOGS = { rows: [['data'], ['data', 'catalogs'], ['data', 'items']] };

async function readCatalogList(reader: ListsReader): Promise<{ read: ListsRead; catalogs: Announced }> {
  const itemsOf = new Map<string, number | null>();
  const source: ListSource = {
    list: SOLE_LIST,
    what: 'the catalogs',
    shape: CATALOGS,
    id: '',
    onPage(page, number) {
      if (number === 0) itemsOf.clear();
      for (const [name, items] of catalogsOn(page)) itemsOf.set(name, items);
    },
    paging: { by: 'cursor', ask: (cursor) => endpoints.catalogs(reader.projectId, cursor) },
  };
  return { read: await readLists([source], reader), catalogs: itemsOf };
}

const named = z.object({
  name: z.string(),
  // Ignore `num_items` if it is not a number, and read the catalog anyway.
  num_items: z.number().int().nonnegative().nullish().catch(null),
});

export function catalogsOn(page: ListPage): [string, number | null][] {
  return rowsOn(page).flatMap((row): [string, number | null][] => {
    const catalog = named.safeParse(row);
    // The name of the list of catalogs is reserved, so no catalog may have it.
    return catalog.success && catalog.data.name !== SOLE_LIST
      ? [[catalog.data.name, catalog.data.num_items ?? null]]
      : [];
  });
}

const declared = z.object({
  name: z.string(),
  fields: z.array(z.object({ name: z.string() })),
});

/**
 * Requests the names of a catalog's fields; undefined if the list of catalogs lacks them (R1).
 *
 * @throws RefusedError if the service has no such catalog
 * @throws ServiceError, CredentialsError
 */
export async function declaredFields(service: ServiceClient, catalog: string): Promise<string[] | undefined> {
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const { verdict, body } = await service.ask(endpoints.catalogs(service.projectId, cursor));
    if (verdict.kind !== 'ok') throw service.unanswered('E2 (catalogs)', verdict);
    const page = listPage(body, CATALOGS);
    if (page === undefined) return undefined;
    const row = rowsOn(page).find((one) => z.object({ name: z.literal(catalog) }).safeParse(one).success);
    if (row !== undefined) return declared.safeParse(row).data?.fields.map(({ name }) => name);
    cursor = nextCursor(body);
  } while (!seen.has(cursor));
  throw new RefusedError(`The service has no catalog ${catalog}.`, { hint: 'Create it there first.' });
}

// Templates of brand messages.

type Listed = Pick<TemplateRead, 'list' | 'templateId' | 'digest'>;

const identified = z.object({ id: z.string().min(1) });

/** Requests E4 for each sender key, then E5 for each template that is new, changed, or whose status is old. */
async function readBrandTemplates(settings: BrandTemplateSettings, reader: ListsReader): Promise<StreamRead> {
  const { projectId, messenger } = reader;
  const listed = new Map<string, Listed[]>();
  const sources = settings.senderKeys.map((senderKey): ListSource => ({
    list: senderKey,
    what: `the brand templates of sender key ${senderKey}`,
    shape: { rows: [['data', 'templates']], total: ['data', 'totalCount'] },
    id: '/id',
    onPage(page, number) {
      const before = number === 0 ? [] : (listed.get(senderKey) ?? []);
      const templates = rowsOn(page).flatMap((row) => {
        const template = identified.safeParse(row);
        const digest = createHash('sha256').update(JSON.stringify(row)).digest('hex');
        return template.success ? { list: senderKey, templateId: template.data.id, digest } : [];
      });
      listed.set(senderKey, [...before, ...templates]);
    },
    paging: numbered('brand_templates', settings, (pages) =>
      endpoints.brandTemplates(projectId, messenger, { senderKey, ...pages }),
    ),
  }));
  const read = await readLists(sources, reader);
  const wanted = read.lists.flatMap(({ list }) => listed.get(list) ?? []);
  const keyOf = ({ list, templateId }: Listed): string => JSON.stringify([list, templateId]);
  const templatesBefore = reader.earlier === undefined ? [] : templatesIn(reader.earlier);
  const earlier = new Map(templatesBefore.map((before) => [keyOf(before), before]));
  const failures: string[] = [];
  const templates = await settleAll(
    wanted.map((template) =>
      readTemplate(template, earlier.get(keyOf(template)), settings, reader, failures),
    ),
  );
  const problem = `E5 failed for ${failures.length} of ${wanted.length} templates (${failures[0] ?? ''}), so their status is the earlier one, or unknown. The next run tries again.`;
  return {
    ...read,
    templates: templates.filter((template) => template !== undefined),
    problems: failures.length === 0 ? [] : [problem],
  };
}

/** Returns the template from an earlier pull or from the answer to E5. Undefined, with a failure noted, if neither is available. */
async function readTemplate(
  template: Listed,
  before: (TemplateRead & Page) | undefined,
  { senderKeyParameter, senderKeyIn, recheckDays }: BrandTemplateSettings,
  { ask, projectId, messenger, writer }: ListsReader,
  failures: string[],
): Promise<(TemplateRead & Page) | undefined> {
  const { list, templateId, digest } = template;
  const oldest = new Date(writer.pulledAt.getTime() - recheckDays * 86_400_000);
  // A wrong clock may have dated a status in the future; such a status is not fresh.
  const isFresh = before !== undefined && before.readAt > oldest && before.readAt <= writer.pulledAt;
  if (isFresh && before.digest === digest) return before;
  const sender = { key: list, parameter: senderKeyParameter, place: senderKeyIn };
  const { verdict, body } = await ask(endpoints.brandTemplate(projectId, messenger, templateId, sender));
  const { twice } = verdict.kind === 'ok' && verdict.envelope.kind === 'object' ? verdict.envelope : {};
  const isLoadable = twice?.has('data') === false && repairedJson(body.toString('utf8')) !== undefined;
  if (isLoadable) return { ...template, readAt: writer.pulledAt, ...(await writer.land(body, 1)) };
  failures.push(verdict.kind === 'ok' ? 'E5 answered without a template' : verdict.reason);
  // An unchanged template keeps its last known status, even an old one.
  return before?.digest === digest ? before : undefined;
}
