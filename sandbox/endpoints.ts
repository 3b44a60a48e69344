/** The sandbox's endpoints: the table for routing requests. */
import { z } from 'zod';
import { isDay } from '../src/ground/calendar.js';
import { type Reply, jsonAnswer, bytesAnswer } from './answer.js';
import { Catalogs } from './catalogs/catalog.js';
import { catalogEndpoints } from './catalogs/endpoints.js';
import { campaignStats } from './campaign-stats.js';
import { type Call, type Endpoint, endpoint } from './endpoint.js';
import { refuse } from './family.js';
import type { Bills } from './bills.js';
import type { Settings } from './options.js';
import { createStatistics } from './statistics.js';
import { sendingEndpoints } from './sending.js';
import { createTemplates } from './templates/endpoints.js';
import type { Tokens } from './tokens.js';
import { createWorld, type World } from './world/plan.js';
import { userEndpoints } from './users.js';
import { Writes } from './writes.js';
import { randomBytes } from 'node:crypto';
import { type Catalogue, createCatalogue } from './world/catalogue.js';
import { ExportSet } from './world/export-set.js';
import { entriesOf, pageOf } from './paging.js';
import type { JsonObject } from './world/messages/json.js';
import { byTime, createOptOuts, koreanDate, type OptOut, type OptOuts } from './world/opt-outs.js';

const Keys = z.object({ accessKey: z.string(), secretKey: z.string() });

export interface Service {
  readonly endpoints: readonly Endpoint[];
  /** Everything that was written through the interface. */
  readonly state: () => JsonObject;
}

export function createEndpoints(settings: Settings, tokens: Tokens, bills: Bills): Service {
  const bare = createWorld(settings.seed, settings.eventsPerDay);
  const optOuts = new OptOutList(settings, bare);
  const writes = new Writes(settings, bare, () => optOuts.recipients());
  const world: World = { ...bare, planOf: (day) => writes.over(bare.planOf(day)) };
  const statistics = createStatistics(settings, world);
  const exports = createExports(settings, bare, bills, writes);
  const catalogs = new Catalogs(settings);
  const templates = createTemplates(settings);

  function authenticate(body: unknown): Reply {
    const keys = Keys.safeParse(body);
    if (!keys.success) return refuse('authentication', 'invalid', 'accessKey and secretKey are required');
    if (keys.data.accessKey !== settings.accessKey || keys.data.secretKey !== settings.secretKey) {
      return refuse('authentication', 'unauthorized', 'Invalid access key or secret key');
    }
    return jsonAnswer({ data: tokens.issue(settings.accessKey), error: null });
  }

  const exported = '/projects/([^/]+)/campaign-event-data/exports';
  const endpoints = [
    endpoint('E1', 'authentication', 'POST /authenticate', ({ body }) => authenticate(body)),
    ...catalogEndpoints(settings, catalogs),
    ...templates.endpoints,
    ...sendingEndpoints(settings, writes, templates.alimtalk),
    ...optOutEndpoints(settings, optOuts),
    ...userEndpoints(settings, writes),
    endpoint('E17', 'statistics', 'POST /v1/projects/([^/]+)/statistics', ({ body }) =>
      statistics.json(body),
    ),
    endpoint(
      'E18',
      'statistics-csv',
      'GET /v1/projects/([^/]+)/statistics\\.csv',
      ({ body }) => statistics.csv(body),
      { hasBody: true },
    ),
    endpoint(
      'E19',
      'campaign',
      'GET /projects/([^/]+)/campaigns/([^/]+)/stats',
      ({ values: [campaignId = ''], query }) => campaignStats(settings, world, campaignId, query),
    ),
    endpoint('E20', 'export', `POST ${exported}`, ({ body }) => exports.request(body)),
    endpoint(
      'E21',
      'export',
      `GET ${exported}/([^/]+)/result`,
      ({ values: [exportId = ''], query }) => exports.read(exportId, query),
      { otherProject: () => exports.notFound() },
    ),
  ];
  return {
    endpoints,
    state: () => ({
      ...writes.state(),
      optOuts: optOuts.written(),
      catalogs: catalogs.written(),
      ...templates.state(),
    }),
  };
}

function optOutEndpoints(settings: Settings, list: OptOutList): Endpoint[] {
  const path = '/projects/([^/]+)/messages/text-message/blockservice/recipients';
  const rest = { pageParameter: settings.pageParameters.E12.page };
  return [
    endpoint('E12', 'opt-out', `POST ${path}`, (call) => list.register(call), rest),
    endpoint('E12', 'opt-out', `DELETE ${path}/removes`, (call) => list.remove(call), {
      ...rest,
      hasBody: true,
    }),
    endpoint('E12', 'opt-out', `GET ${path}`, (call) => list.list(call), rest),
  ];
}

/** Records of a page (E21). */
const PAGE_RECORDS = 1000;

const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?Z$/, 'must be an ISO 8601 UTC timestamp')
  .refine((text) => isDay(text.slice(0, 10)), 'is on no day that exists');

const ExportRequest = z.object({ start: instant, end: instant, isMessageDataIncluded: z.boolean() });

interface Export {
  readonly set: ExportSet;
  readonly pages: number;
  /** On the monotonic clock, in milliseconds: exports are made in real time even if the clock is stopped. */
  readonly readyAt: number;
  /** Answers to the next reads, before the result. */
  readonly before: ('timeout' | 'error')[];
}

interface Exports {
  /** E20. Billed here, and nowhere else. */
  request(body: unknown): Reply;
  /** E21. */
  read(exportId: string, query: URLSearchParams): Reply;
  /** The answer for an unknown export or project. */
  notFound(): Reply;
}

function createExports(settings: Settings, world: World, bills: Bills, writes: Writes): Exports {
  const catalogue: Catalogue = createCatalogue(settings);
  const known = new Map<string, Export>();

  function request(body: unknown): Reply {
    const parsed = ExportRequest.safeParse(body);
    if (!parsed.success) return refuse('export', 'invalid', z.prettifyError(parsed.error));
    const now = settings.now();
    const start = new Date(parsed.data.start);
    const end = new Date(parsed.data.end);
    if (end <= start) return refuse('export', 'invalid', 'end must be after start');
    if (end > now) return refuse('export', 'invalid', 'end must not be in the future');

    const withMessages = parsed.data.isMessageDataIncluded;
    const set = new ExportSet(world, catalogue, start, end, withMessages, now, writes);
    const id = randomBytes(12).toString('hex');
    known.set(id, {
      set,
      pages: Math.ceil(set.count / PAGE_RECORDS),
      readyAt: now.getTime() + settings.exportSeconds * 1000,
      before: [...settings.beforeResults],
    });
    bills.add({
      at: now.toISOString(),
      export_id: id,
      start: parsed.data.start,
      end: parsed.data.end,
      message_data: withMessages,
      records: set.count,
    });
    return jsonAnswer({ export_id: id });
  }

  function notFound(): Reply {
    return jsonAnswer({ status: 'not_found', message: 'Project or export not found.' }, 404);
  }

  function read(exportId: string, query: URLSearchParams): Reply {
    const found = known.get(exportId);
    if (found === undefined) return notFound();
    if (settings.now().getTime() < found.readyAt) {
      return jsonAnswer({
        status: 'processing',
        message: 'Data is being generated. Please try again later.',
      });
    }
    const before = found.before.shift();
    if (before === 'timeout') return jsonAnswer({ error: 'Timeout' }, settings.timeoutStatus);
    if (before === 'error') return refuse('export', 'internal', 'The export could not be processed.');
    const text = query.get(settings.pageParameter) ?? '0';
    const page = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    const isEmpty = found.pages === 0 && page === 0 && settings.emptyExport === 'success';
    if (!(page < found.pages) && !isEmpty) {
      return jsonAnswer({ status: 'invalid_page', message: `Valid pages: 0 to ${found.pages - 1}.` }, 400);
    }
    return bytesAnswer(
      found.set.write(
        page * PAGE_RECORDS,
        PAGE_RECORDS,
        '{"status":"success","data":[',
        `],"total_page_count":${found.pages}}`,
      ),
    );
  }

  return { request, read, notFound };
}

/** Recipients of a page when the request does not say. */
const PAGE_SIZE = 15;

/** Longest filter that is a number. */
const NUMBER_LENGTH = 25;

const Recipients = z.object({
  unsubscribeNo: z.string().regex(/^080\d{7,8}$/, 'must be an 080 number'),
  recipientNoList: z.array(z.string().min(1).max(NUMBER_LENGTH)).min(1),
});

const FIRST = '0000-01-01 00:00:00';
const LAST = '9999-12-31 23:59:59';

class OptOutList {
  private readonly world: OptOuts;
  /** Opt-outs registered by request, by number and recipient. */
  private readonly registered = new Map<string, OptOut>();
  /** When a number and recipient were last removed: earlier requests no longer count. */
  private readonly removed = new Map<string, string>();

  constructor(
    private readonly settings: Settings,
    world: World,
  ) {
    this.world = createOptOuts(world);
  }

  /** GET. Start and end are both part of the range. */
  list({ query }: Call): Reply {
    const page = pageOf(query, this.settings.pageParameters.E12, PAGE_SIZE);
    if (typeof page === 'string') return refuse('opt-out', 'invalid', page);
    const unsubscribeNo = query.get('unsubscribeNo') ?? '';
    const recipientNo = query.get('recipientNo') ?? '';
    if (unsubscribeNo.length > NUMBER_LENGTH || recipientNo.length > NUMBER_LENGTH) {
      return refuse('opt-out', 'invalid', `numbers have at most ${NUMBER_LENGTH} characters`);
    }
    const start = query.get('startRequestDate') ?? FIRST;
    const end = query.get('endRequestDate') ?? LAST;
    if (!isDate(start) || !isDate(end)) {
      return refuse('opt-out', 'invalid', 'request dates must be yyyy-MM-dd HH:mm:ss');
    }
    if (end < start)
      return refuse('opt-out', 'invalid', 'endRequestDate must not be before startRequestDate');
    const found = this.between(start, end).filter(
      (one) =>
        (unsubscribeNo === '' || one.unsubscribeNo === unsubscribeNo) &&
        (recipientNo === '' || one.recipientNo === recipientNo),
    );
    return jsonAnswer({
      pageNum: page.number,
      pageSize: page.size,
      totalCount: found.length,
      data: entriesOf(found, page),
    });
  }

  /** POST. Numbers that are already registered stay registered. */
  register({ body }: Call): Reply {
    const parsed = Recipients.safeParse(body);
    if (!parsed.success) return refuse('opt-out', 'invalid', z.prettifyError(parsed.error));
    const { unsubscribeNo, recipientNoList } = parsed.data;
    const requestDate = koreanDate(this.settings.now());
    for (const recipientNo of recipientNoList) {
      const one = { unsubscribeNo, recipientNo, requestDate };
      if (!this.registered.has(keyOf(one))) this.registered.set(keyOf(one), one);
    }
    return jsonAnswer({ success: true });
  }

  /** DELETE. Unregistered numbers are skipped. */
  remove({ body }: Call): Reply {
    const parsed = Recipients.safeParse(body);
    if (!parsed.success) return refuse('opt-out', 'invalid', z.prettifyError(parsed.error));
    const { unsubscribeNo, recipientNoList } = parsed.data;
    const now = koreanDate(this.settings.now());
    for (const recipientNo of recipientNoList) {
      const key = keyOf({ unsubscribeNo, recipientNo });
      this.registered.delete(key);
      this.removed.set(key, now);
    }
    return jsonAnswer({ success: true });
  }

  /** Everybody who has opted out of any number. */
  recipients(): ReadonlySet<string> {
    return new Set(this.between(FIRST, LAST).map(({ recipientNo }) => recipientNo));
  }

  written(): JsonObject {
    const removed = [...this.removed].map(([key, removedAt]) => {
      const [unsubscribeNo = '', recipientNo = ''] = key.split('/');
      return { unsubscribeNo, recipientNo, removedAt };
    });
    return { registered: [...this.registered.values()].map((one) => ({ ...one })), removed };
  }

  private between(start: string, end: string): OptOut[] {
    const asked = this.world
      .between(start.slice(0, 10), end.slice(0, 10), this.settings.now())
      .filter((one) => one.requestDate > (this.removed.get(keyOf(one)) ?? ''));
    const all = this.registered.size === 0 ? asked : [...asked, ...this.registered.values()].sort(byTime);
    return all.filter(({ requestDate }) => requestDate >= start && requestDate <= end);
  }
}

function keyOf({ unsubscribeNo, recipientNo }: Omit<OptOut, 'requestDate'>): string {
  return `${unsubscribeNo}/${recipientNo}`;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return false;
  const instant = new Date(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 19).replace('T', ' ') === text;
}
