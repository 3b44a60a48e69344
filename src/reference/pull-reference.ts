/** The stage of the reference data: lands and loads the current catalogs, templates and opt-outs. */
import { setMaxListeners } from 'node:events';
import type { ServiceAnswer, ServiceClient } from '../service/client.js';
import type { ServiceConfig } from '../config/config.js';
import { type PullContext, SOLE_LIST, type Pull, type ShortList } from '../landing/landing-zone.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { Job } from '../ground/streams.js';
import type { AlimtalkTemplateSettings, OptOutSettings } from '../config/schema.js';
import { dayOf, koreanTime } from '../ground/calendar.js';
import { alimtalkTemplates, optOuts } from '../service/endpoints.js';
import { CredentialsError, DamageError } from '../ground/errors.js';
import { readBrandTemplates, type TemplatesRead } from './brand-templates.js';
import { readCatalogs } from './catalogs.js';
import { numbered, readLists, type ListsRead, type ListsReader } from './read-lists.js';
import { REFERENCE_STREAMS, type ReferenceStream } from '../ground/streams.js';

/** The parts of a run that pulls of reference data use. */
interface ReferenceContext extends PullContext {
  readonly service: Pick<ServiceClient, 'ask'>;
  readonly config: ServiceConfig;
  readonly warehouse: Warehouse;
}

/**
 * Pulls the configured streams one after the other; a failing stream does not stop the others. After
 * `reference.max_minutes` no further requests are sent.
 */
export async function pullReference(job: Job, context: ReferenceContext): Promise<void> {
  const service = timed(context);
  const { catalogs, brandTemplates, alimtalkTemplates, optOuts } = context.config.reference;
  const readers: Readonly<Record<ReferenceStream, Read | undefined>> = {
    catalogs: catalogs === false ? undefined : (reader) => readCatalogs(catalogs, reader),
    brand_templates: brandTemplates && ((reader) => readBrandTemplates(brandTemplates, reader)),
    alimtalk_templates: alimtalkTemplates && ((reader) => readAlimtalkTemplates(alimtalkTemplates, reader)),
    opt_outs: optOuts && ((reader) => readOptOuts(optOuts, reader)),
  };
  for (const stream of REFERENCE_STREAMS) {
    const read = readers[stream];
    context.signal.throwIfAborted();
    if (read !== undefined && job.streams.has(stream))
      await pullStream(stream, read, job, { ...context, service });
  }
}

/** The service with a time limit: after the limit every request counts as a timeout. */
function timed({ service, config, signal }: ReferenceContext): ReferenceContext['service'] {
  const { maxMinutes } = config.reference;
  const over = AbortSignal.timeout(maxMinutes * 60_000);
  const stopped = AbortSignal.any([signal, over]);
  setMaxListeners(0, stopped);
  const noTime: ServiceAnswer = {
    verdict: { kind: 'timeout', reason: `the ${maxMinutes} minutes of reference.max_minutes are over` },
    body: Buffer.alloc(0),
    status: undefined,
  };
  return {
    async ask(question) {
      try {
        return over.aborted ? noTime : await service.ask(question, stopped);
      } catch (error) {
        signal.throwIfAborted();
        if (over.aborted) return noTime;
        throw error;
      }
    },
  };
}

/** Reads the lists of a stream. */
type Read = (reader: ListsReader) => Promise<ListsRead & Partial<TemplatesRead>>;

/** Reads the alimtalk templates (E10) of each configured channel, or of the only one if none is configured. */
function readAlimtalkTemplates(settings: AlimtalkTemplateSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, messenger } = reader;
  const channels = settings.channelIds.length === 0 ? [undefined] : settings.channelIds;
  const sources = channels.map((channel) => ({
    list: channel ?? SOLE_LIST,
    what: `the alimtalk templates${channel === undefined ? '' : ` of channel ${channel}`}`,
    shape: { rows: [['templateListResponse', 'templates']], total: ['templateListResponse', 'totalCount'] },
    id: '',
    paging: numbered('alimtalk_templates', settings, (pages) =>
      alimtalkTemplates(projectId, messenger, { [settings.channelParameter]: channel, ...pages }),
    ),
  }));
  return readLists(sources, reader);
}

/** An instant before the service existed. */
const FIRST = '2000-01-01 00:00:00';

/**
 * Reads the opt-outs from text messages, made by calls to an 080 number (E12): those that were requested before the pull
 * began, so that later ones do not shift the pages during the reading.
 */
function readOptOuts(settings: OptOutSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, writer } = reader;
  // The specification does not name a time zone; Korean time is used because the service's days are Korean days.
  const until = koreanTime(writer.pulledAt).slice(0, 19).replace('T', ' ');
  const period = { [settings.startParameter]: FIRST, [settings.endParameter]: until };
  const source = {
    list: SOLE_LIST,
    what: 'the opt-outs',
    shape: { rows: [['data']], total: ['totalCount'] },
    id: '',
    paging: numbered('opt_outs', settings, (pages) => optOuts(projectId, { ...period, ...pages })),
  };
  return readLists([source], reader);
}

async function pullStream(
  stream: ReferenceStream,
  read: Read,
  job: Job,
  context: ReferenceContext,
): Promise<void> {
  const { config, landing, warehouse, report, terminal } = context;
  const pulledAt = context.pullInstant();
  const day = dayOf(pulledAt);
  const gap = (reason: string): void => {
    report.gaps.push({ stream, days: { start: day, end: day }, reason });
  };
  try {
    const [earlier] = await landing.newest([stream]);
    const stored = await warehouse.snapshotRows(stream);
    const writer = landing.begin(stream, { start: day, end: day }, pulledAt);
    const reader: ListsReader = {
      service: context.service,
      projectId: config.projectId,
      messenger: config.messenger,
      writer,
      earlier,
      stored,
      accepted: job.acceptEmpty,
      proceed({ what }, rows, announced) {
        terminal.progress(`${what}: ${rows}${announced === null ? '' : ` of ${announced}`}`);
      },
      count: (files, { id }) => warehouse.countRows(files, id),
      async reject({ what }, body) {
        await landing.reject(stream.replaceAll('_', '-'), what, body);
      },
    };
    const { lists, short, differing, failures, templates = [], problems = [] } = await read(reader);
    const accept = `To accept what the service gives: \`dawnload backfill --start ${job.days.end} --end ${job.days.end} --streams ${stream} --accept-empty\`.`;
    for (const { what, reason, isShort = false } of failures)
      gap(`${notLoaded(what, reason)}${isShort ? ` ${accept}` : ''}`);
    problems.forEach(gap);
    for (const { list, rows, announced } of differing) {
      terminal.warn(
        `The service announces ${announced ?? 'no'} rows and gave ${rows} (${stream}, ${list}). What it gave is loaded.`,
      );
    }
    if (lists.length === 0 && short.length === 0) return;
    const files = [...lists.flatMap((list) => list.files), ...templates];
    const landed = await writer.finish(files, {
      complete: failures.length === 0,
      lists: lists.map(({ files: pages, ...list }) => ({ ...list, pages: pages.length })),
      short: [...stillShort(earlier, lists, short), ...short],
      templates: templates.map(({ list, templateId, digest, readAt }) => ({
        list,
        templateId,
        digest,
        readAt,
      })),
    });
    await context.load([landed]);
  } catch (error) {
    // Keys may be valid for statistics but not for catalogs.
    if (error instanceof CredentialsError) gap(`${error.message} The other streams go on.`);
    else if (error instanceof DamageError) gap(error.sentences);
    else throw error;
  }
}

/** The incomplete readings of earlier pulls that a later night may confirm; one per day, the latest. */
function stillShort(
  earlier: Pull | undefined,
  counted: ListsRead['lists'],
  short: readonly ShortList[],
): ShortList[] {
  const isSettled = ({ list, pulledAt }: ShortList): boolean =>
    counted.some((one) => one.list === list) ||
    short.some((one) => one.list === list && dayOf(one.pulledAt) === dayOf(pulledAt));
  return earlier?.facts.short.filter((list) => !isSettled(list)) ?? [];
}

function notLoaded(what: string, reason: string): string {
  const subject = what.charAt(0).toUpperCase() + what.slice(1);
  return `${subject} are not loaded: ${reason}. The warehouse keeps what it has of them, and the next run reads them again.`;
}
