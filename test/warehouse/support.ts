/** A warehouse in a temporary folder, landed files made of objects, and a look at what came of them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { shiftDay, windowOf, type Day, type DayRange } from '../../src/ground/calendar.js';
import { factsShape, type Facts, type Page, type Pull } from '../../src/landing/landing-zone.js';
import { fieldsFor } from '../../src/ground/fields.js';
import type { StreamName } from '../../src/ground/streams.js';
import { FIELDS, STREAMS } from '../../src/streams/index.js';
import type { LoadReport } from '../../src/warehouse/load.js';
import type { WarehouseOptions } from '../../src/warehouse/opening.js';
import { Warehouse } from '../../src/warehouse/warehouse.js';
import { copyTemplate } from '../support/template.js';
import { refreshModels } from '../../src/warehouse/models.js';
import { runChecks } from '../../src/warehouse/checks.js';

export const KEY = Buffer.from('0123456789abcdef0123456789abcdef', 'hex');
export const NOW = new Date('2026-11-21T00:00:00Z');

type Cleanup = () => void | Promise<void>;

/** What is cleaned up after all tests of a file or block, while `shared` makes it; otherwise after the current test. */
let keeping: Cleanup[] | undefined;

function afterwards(cleanup: Cleanup): void {
  if (keeping === undefined) onTestFinished(cleanup);
  else keeping.unshift(cleanup);
}

/** What all tests of the file or block look at, made once before them. */
export function shared<T extends object>(make: () => Promise<T>): T {
  let made: T | undefined;
  const cleanups: Cleanup[] = [];
  beforeAll(async () => {
    keeping = cleanups;
    try {
      made = await make();
    } finally {
      keeping = undefined;
    }
  });
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return new Proxy({} as T, {
    get: (_, key) => {
      const value: unknown = Reflect.get(made ?? {}, key, made);
      return typeof value === 'function' ? (value.bind(made) as unknown) : value;
    },
  });
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dawnload-warehouse-'));
  afterwards(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

let files = 0;

/** A landed file of that JSON. */
export function landed(folder: string, body: unknown): string {
  const file = join(folder, `landed-${files++}.json.gz`);
  writeFileSync(file, gzipSync(typeof body === 'string' ? body : JSON.stringify(body), { level: 1 }));
  return file;
}

export type Row = Record<string, unknown>;

/** A landed page of that JSON. */
export function landedPage(folder: string, body: unknown, rows: number): Page {
  return { file: landed(folder, body), rows, bytes: 0 };
}

/** What a test says of a pull besides its pages. */
type More = Partial<Pick<Pull, 'id' | 'pulledAt' | 'isCut'> & Facts>;

/** A pull of these pages. An export is accepted as it is, since one stray record of a few would be too many. */
export function pullOf(
  stream: StreamName,
  days: DayRange | Day,
  files: readonly Page[],
  { id, pulledAt, isCut, ...facts }: More & Pick<Pull, 'id' | 'pulledAt'>,
): Pull {
  const range = typeof days === 'string' ? { start: days, end: days } : days;
  const pull = {
    stream,
    id,
    days: range,
    pulledAt,
    files,
    facts: { ...factsShape.parse({}), accepted: stream === 'events', ...facts },
  };
  return isCut === undefined ? pull : { ...pull, isCut };
}

const rowsOf = (body: unknown): number => (Array.isArray(body) ? body.length : 1);

/** The values of a row in one line: null is a dash, and numbers stand as they are written. */
export function lineOf(row: Row): string {
  return Object.values(row)
    .map((value) => (value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value)))
    .join(' | ');
}

/** A copy without those keys. */
export function without(row: Row, ...keys: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));
}

const text = z
  .string()
  .nullable()
  .transform((value) => value ?? undefined);
const finding = z.object({
  name: z.string(),
  severity: z.enum(['stop', 'warn']),
  stream: text,
  date: text,
  subject: text,
  finding: z.string(),
  expected: text,
  actual: text,
  meaning: z.string(),
});

export type Finding = z.infer<typeof finding>;

/** What `ops.checks` holds, finding by finding, stops first; the job itself reads one row per check. */
export async function findingsIn(look: (sql: string) => Promise<Row[]>): Promise<Finding[]> {
  return z.array(finding).parse(
    await look(`
      select name, severity, stream, date::varchar as date, subject, finding, expected, actual, meaning
      from ops.checks
      order by severity, name, checks.date, subject, finding, expected, actual`),
  );
}

/** Loads a pull; undefined if it was loaded before. Throws what stands in its way. */
export async function loadOne(
  { loader }: Warehouse,
  pull: Pull,
  how: 'new' | 'again' = 'new',
): Promise<LoadReport | undefined> {
  const { reports, failures } = await loader.loadAll([pull], () => undefined, how);
  if (failures[0] !== undefined) throw failures[0].error;
  return reports[0];
}

/** One warehouse file, whose session stays open until `close`; what needs the closed file closes it first. */
export class Workshop {
  readonly folder = temporaryFolder();
  readonly path = join(this.folder, 'working.duckdb');
  readonly points: string[] = [];
  readonly now = NOW;
  #pulls = 0;
  #open: { readonly warehouse: Warehouse; readonly instance: DuckDBInstance } | undefined;
  readonly #exports: Pull[] = [];

  /** @param start a copy of the template, or no file at all */
  constructor(
    readonly options: Partial<WarehouseOptions> = {},
    private readonly start: 'template' | 'nothing' = 'template',
  ) {
    afterwards(() => this.close());
  }

  /** Opens the file, or gives what is open. DuckDB must not open one path twice in one process. */
  async open(): Promise<Warehouse> {
    if (this.#open !== undefined) return this.#open.warehouse;
    if (this.start === 'template' && !existsSync(this.path)) copyTemplate(this.path);
    const opened = vi.spyOn(DuckDBInstance, 'create');
    try {
      const warehouse = await Warehouse.open({
        path: this.path,
        tempDirectory: join(this.folder, 'tmp'),
        brand: 'service',
        messenger: 'chatapp',
        fields: fieldsFor(this.options.brand ?? 'service', FIELDS),
        streams: STREAMS,
        privacy: { recipients: 'keep', key: KEY },
        // Tests run beside each other, as many as there are processors.
        threads: 1,
        effects: { now: () => NOW, reach: (point) => this.points.push(point) },
        ...this.options,
      });
      const instance = await (opened.mock.results.at(-1)?.value as Promise<DuckDBInstance>);
      this.#open = { warehouse, instance };
      return warehouse;
    } finally {
      opened.mockRestore();
    }
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.warehouse.close();
  }

  async with<T>(work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
    return work(await this.open());
  }

  load(...pulls: readonly Pull[]): Promise<LoadReport[]> {
    return this.with(async (warehouse) => {
      const reports: LoadReport[] = [];
      for (const pull of pulls) {
        const report = await loadOne(warehouse, pull);
        if (report === undefined) continue;
        reports.push(report);
        if (pull.stream === 'events') this.#exports.push(pull);
        // As the step does that loads: exports that gave records up for a day that was replaced come again.
        const again = this.#exports.filter(({ days }) => report.neighbors.includes(days.start));
        for (const neighbor of again) await loadOne(warehouse, neighbor, 'again');
      }
      return reports;
    });
  }

  /** As a rebuild does it: in groups of a stream. */
  loadTogether(...pulls: readonly Pull[]): Promise<LoadReport[]> {
    return this.with(async (warehouse) => {
      const { reports, failures } = await warehouse.loader.loadAll(pulls, () => undefined);
      expect(failures).toEqual([]);
      const neighbors = reports.flatMap((report) => report.neighbors);
      const again = pulls.filter((pull) => pull.stream === 'events' && neighbors.includes(pull.days.start));
      for (const pull of again) await loadOne(warehouse, pull, 'again');
      return reports;
    });
  }

  /** The rows of a query, in a session of its own, as a reader has it, that was told so much before. */
  async look(sql: string, before?: string): Promise<Row[]> {
    await this.open();
    const connection = await this.#connect();
    try {
      await connection.run("set TimeZone = 'Asia/Seoul'");
      if (before !== undefined) await connection.run(before);
      return (await connection.runAndReadAll(sql)).getRowObjectsJson();
    } finally {
      connection.closeSync();
    }
  }

  /** The rows of a query, each as one line of its values; null is a dash. */
  async lines(sql: string, before?: string): Promise<string[]> {
    return (await this.look(sql, before)).map(lineOf);
  }

  /** What the checks find once the models are brought forward. */
  async findings(): Promise<Finding[]> {
    await this.with(async (warehouse) => {
      await refreshModels(warehouse);
      await runChecks(warehouse);
    });
    return findingsIn((sql) => this.look(sql));
  }

  /** Changes the file behind the job's back. */
  async change(sql: string): Promise<void> {
    await this.open();
    const connection = await this.#connect();
    await connection.run(sql);
    connection.closeSync();
  }

  async #connect(): Promise<DuckDBConnection> {
    if (this.#open === undefined) throw new Error('The warehouse is closed.');
    return this.#open.instance.connect();
  }

  async lookOne(sql: string): Promise<Row> {
    const [row] = await this.look(sql);
    return row ?? {};
  }

  statistics(range: DayRange | Day, body: unknown, more: More = {}): Pull {
    const page = landedPage(this.folder, body, rowsOf(body));
    return pullOf('statistics', range, [page], { ...this.#pull('statistics'), ...more });
  }

  subchannels(day: Day, body: unknown, more: More = {}): Pull {
    const page = landedPage(this.folder, body, rowsOf(body));
    return pullOf('statistics_by_subchannel', day, [page], { ...this.#pull('subchannels'), ...more });
  }

  campaigns(range: DayRange, answers: Record<string, unknown>, more: More = {}): Pull {
    const { start: windowStart, end: windowEnd } = windowOf(range);
    const bodies = Object.entries(answers);
    return pullOf(
      'campaigns',
      range,
      bodies.map(([, body]) => landedPage(this.folder, body, 1)),
      {
        ...this.#pull('campaigns'),
        answers: bodies.map(([campaignId]) => ({ campaignId, windowStart, windowEnd })),
        ...more,
      },
    );
  }

  /** An export of one day; each argument is the records of one page. */
  events(day: Day, pages: readonly (readonly unknown[])[], more: More = {}): Pull {
    const files = pages.map((data) => landedPage(this.folder, page(data, pages.length), data.length));
    return this.exported(day, files, more);
  }

  /** An export of one day, of pages that were landed. */
  exported(day: Day, files: readonly Page[], more: More = {}): Pull {
    return pullOf('events', day, files, { ...this.#pull('events'), ...more });
  }

  #pull(stream: string): { id: string; pulledAt: Date } {
    const number = ++this.#pulls;
    return {
      id: `${stream}${stream === 'events' ? '/day' : ''}/${String(number).padStart(4, '0')}`,
      pulledAt: new Date(Date.parse('2026-11-21T00:00:00Z') + number * 1000),
    };
  }
}

/** A workshop in which those pulls were loaded and modelled. */
export async function modelled(
  pulls: (workshop: Workshop) => readonly Pull[],
  options: Partial<WarehouseOptions> = {},
): Promise<Workshop> {
  const workshop = new Workshop(options);
  await workshop.with(async (warehouse) => {
    for (const pull of pulls(workshop)) await loadOne(warehouse, pull);
    await refreshModels(warehouse);
  });
  return workshop;
}

export function page(data: readonly unknown[], pages = 1): unknown {
  return { status: 'success', data, total_page_count: pages };
}

/** Microseconds since 1970 of a moment of a KST day, as the service writes them. */
export function micros(day: Day, seconds = 43_200, fraction = 0): string {
  return String(BigInt(windowOf(day).start.getTime() + seconds * 1000) * 1000n + BigInt(fraction));
}

/** An export record as the specification has it, with what the test is about. */
export function record(more: Row = {}): Row {
  return {
    id: 'e1',
    user_id: 'u1',
    service_user_id: 'su1',
    device_id: 'd1',
    service_device_id: 'sd1',
    channel: 'push-notification',
    event_name: 'send_success',
    failure_reason: null,
    resource_title: '재구매 캠페인',
    resource_type: 'campaign',
    campaign_id: 'c1',
    experiment_group_name: null,
    user_journey_id: null,
    user_journey_node_id: null,
    time: micros('2026-11-20'),
    message_data: null,
    channel_metadata: { channel_subtype: null, brand_message_target: null },
    ...more,
  };
}

/** A record of E17 as the specification has it. */
export function statistic(more: Row = {}): Row {
  return {
    date: '2026-11-20',
    resource_type: 'campaign',
    message: { title: '안내', body: '본문' },
    campaign_id: 'c1',
    campaign_name: '재구매 캠페인',
    variant_id: null,
    variant_name: null,
    tags: ['재구매', 'vip'],
    user_journey_id: null,
    user_journey_name: null,
    user_journey_node_id: null,
    user_journey_node_name: null,
    channel: 'push-notification',
    message_sent: 10,
    message_failed: 1,
    delivered: 9,
    click: 2,
    conversion: [],
    ...more,
  };
}

export const dayAfter = (day: Day, n = 1): Day => shiftDay(day, n);

/** The tables that pulls fill, and those that say what was loaded; not when. */
const CONTENTS = `
  daily_statistics daily_conversions daily_statistics_by_subchannel
  daily_conversions_by_subchannel campaign_metrics campaign_metric_dimensions events text_messages
  text_message_attachments message_contents emails friendtalk_messages alimtalk_messages
  brand_messages in_app_messages in_web_messages push_messages web_push_messages webhook_messages
  message_buttons other_messages ops.coverage`
  .trim()
  .split(/\s+/);

/** All that the warehouse holds, as sorted text: equal for warehouses that hold the same. */
export async function contents(workshop: Workshop): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of CONTENTS) {
    const rows = await workshop.look(`from ${table}`);
    found[table] = rows.map((row) => JSON.stringify(without(row, 'loaded_at'))).sort();
  }
  return found;
}

/** What a bundled query answers. */
export function asked(
  workshop: Workshop,
  name: string,
  values: Record<string, string | undefined> = {},
): Promise<Row[]> {
  const variables = Object.entries(values).map(([name, value]) => `set variable "${name}" = '${value}';`);
  return workshop.look(readFileSync(`sql/queries/${name}.sql`, 'utf8'), variables.join('') || undefined);
}
