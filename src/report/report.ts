/** The report: one page about the published warehouse. Each part is filled by bundled queries. */
import { chmod, writeFile } from 'node:fs/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { formatKst, lastCompleteDay, shiftDay, type Day } from '../calendar.js';
import type { Language } from '../dictionary/dictionary.js';
import { messageOf } from '../errors.js';
import { droppedIds, notCounted, rowsOf } from '../queries/ask.js';
import { bundledQuery, loadCatalogue, type QueryFile, valuesFor } from '../queries/catalogue.js';
import { writeFileWhole } from '../queries/sink.js';
import type { PastRun, RunOver } from '../journal/runs.js';
import { dataFiles } from '../storage/paths.js';
import { Reader } from '../warehouse/reader.js';
import { statement } from '../warehouse/session.js';
import { documentOf, type DrawnPart } from './document.js';
import { Page, type Text } from './page.js';
import type { Asked, ReadyPart, ToDo } from './part.js';
import { campaigns } from './parts/campaigns.js';
import { channels } from './parts/channels.js';
import { failures } from './parts/failures.js';
import { findings } from './parts/findings.js';
import { freshness, restated } from './parts/freshness.js';
import { headline } from './parts/headline.js';
import { hours } from './parts/hours.js';
import { journeys } from './parts/journeys.js';
import { pressure } from './parts/pressure.js';
import { pushes } from './parts/pushes.js';
import { reference } from './parts/reference.js';
import { responses } from './parts/responses.js';
import { revenue } from './parts/revenue.js';
import { spend } from './parts/spend.js';
import { tests } from './parts/tests.js';

interface ReportOptions {
  readonly language: Language;
  readonly now: Date;
  /** The journal of runs. */
  readonly runs: readonly PastRun[];
}

/**
 * Makes the page.
 *
 * @returns the text of a self-contained HTML file
 * @throws ConfigError if there is no published warehouse
 * @throws CorruptDatabaseError if the warehouse is damaged
 */
export async function makeReport(published: string, { language, now, runs }: ReportOptions): Promise<string> {
  const reader = await Reader.open(published);
  try {
    const warehouse = new Answers(reader, now, await droppedIds(reader));
    const [held] = await warehouse.ask({ query: 'freshness', parameters: { stream: 'statistics' } });
    const newest = held?.['last_date'];
    const known = await reader.objects(statement('status/runs'));
    const notice = noticeOf(runs, new Set(known.map((run) => String(run['run_id']))));
    const day = typeof newest === 'string' ? newest : undefined;
    const page = new Page(language, day, lastCompleteDay(now), {
      channels: await warehouse.clickedChannels(day),
      isIncomplete: notice !== undefined,
    });
    const drawnParts = await Promise.all(PARTS.map((part) => drawn(part, page, warehouse)));
    const parts = drawnParts.filter((part) => part !== undefined);
    const toDo = [
      ...(notice === undefined ? [] : [afterRun(page)]),
      ...(day === undefined ? [firstRun(page)] : []),
      ...parts.flatMap(({ shown }) => shown.toDo ?? []),
    ];
    return documentOf(page, parts, { madeAt: formatKst(now), notice: notice && page.say(notice), toDo });
  } finally {
    await reader.close();
  }
}

/** Returns undefined for a part that has nothing to show and no sentence for that case. */
async function drawn(part: ReadyPart, page: Page, warehouse: Answers): Promise<DrawnPart | undefined> {
  const asked = part.asks(page);
  const queries = asked.map((ask) => ({ ...ask, sql: warehouse.queryOf(ask).sql }));
  const { id, title } = part;
  try {
    const answers = await Promise.all(asked.map((ask) => warehouse.ask(ask)));
    const shown = part.show(answers, page) ?? nothing(part, asked, page, warehouse);
    return shown && { id, title, queries, shown };
  } catch (error) {
    // A part that cannot be drawn must not stop the other parts.
    const sentence = page.say({
      en: `This part could not be drawn: ${messageOf(error)}`,
      ko: `이 부분을 표시하지 못했습니다: ${messageOf(error)}`,
    });
    const toDo = { urgency: 'run', reason: sentence, command: 'dawnload doctor' } as const;
    return { id, title, queries, shown: { sentence, toDo: [toDo] } };
  }
}

/** The sentence for a part that has nothing to show. */
function nothing(
  part: ReadyPart,
  asked: readonly Asked[],
  page: Page,
  warehouse: Answers,
): DrawnPart['shown'] | undefined {
  const countsPeople = asked.some((ask) => warehouse.queryOf(ask).countsPeople);
  const sentence = countsPeople && warehouse.dropped.length > 0 ? notCounted(warehouse.dropped) : part.empty;
  return sentence && { sentence: page.say(sentence) };
}

function firstRun(page: Page): ToDo {
  return {
    urgency: 'run',
    reason: page.say({ en: 'No daily statistics are held yet.', ko: '일별 통계가 아직 없습니다.' }),
    command: 'dawnload run',
  };
}

function afterRun(page: Page): ToDo {
  return {
    urgency: 'run',
    reason: page.say({
      en: 'The last run did not bring all that it should: see what is missing.',
      ko: '마지막 실행이 완전하지 않습니다. 무엇이 빠졌는지 확인하세요.',
    }),
    command: 'dawnload status',
  };
}

/** Runs bundled queries against the warehouse. */
class Answers {
  readonly #reader: Reader;
  readonly #now: Date;
  /** Two queries run at a time; a small query keeps one processor busy. */
  readonly #atOnce = pLimit(2);
  readonly #catalogue = new Map(loadCatalogue().map((query) => [query.name, query]));

  /** @param dropped the id columns that the warehouse does not keep */
  constructor(
    reader: Reader,
    now: Date,
    readonly dropped: readonly string[],
  ) {
    this.#reader = reader;
    this.#now = now;
  }

  queryOf({ query }: Asked): QueryFile {
    return this.#catalogue.get(query) ?? bundledQuery(query);
  }

  /** Channels that counted clicks in the last 28 days, the largest first. */
  async clickedChannels(day: Day | undefined): Promise<string[]> {
    const parameters = day === undefined ? {} : { start: shiftDay(day, -27) };
    const sent = new Map<string, number>();
    for (const { channel, sent: messages, clicked } of await this.ask({
      query: 'channel-summary',
      parameters,
    })) {
      if (clicked === null || typeof channel !== 'string') continue;
      sent.set(channel, (sent.get(channel) ?? 0) + Number(messages));
    }
    return [...sent].sort(([, a], [, b]) => b - a).map(([channel]) => channel);
  }

  ask(asked: Asked): Promise<Record<string, unknown>[]> {
    const query = this.queryOf(asked);
    const values = valuesFor(query, new Map(Object.entries(asked.parameters ?? {})), this.#now);
    return this.#atOnce(() => rowsOf(this.#reader, query, values));
  }
}

export const PARTS: readonly ReadyPart[] = [
  headline,
  channels,
  campaigns,
  tests,
  revenue,
  journeys,
  failures,
  hours,
  responses,
  pressure,
  reference,
  restated,
  freshness,
  findings,
  spend,
  pushes,
];

const summary = z.object({
  failure: z.string().optional(),
  findings: z.array(z.object({ name: z.string(), severity: z.string() })).default([]),
});

/**
 * The notice about the last run.
 *
 * @param runs the journal of runs
 * @param published the ids of the runs in the published file
 * @returns undefined if the last run loaded everything that it should have loaded
 */
export function noticeOf(runs: readonly PastRun[], published: ReadonlySet<string>): Text | undefined {
  const last = runs.filter(({ over }) => over !== undefined).at(-1);
  if (last?.over === undefined) return undefined;
  const { outcome, finishedAt } = last.over;
  const run = `dawnload ${last.begun.command}`;
  const at = formatKst(finishedAt);
  const { failure, findings } = summary.catch({ findings: [] }).parse(last.over.summary);
  if (outcome === 'failed') {
    return {
      en: `The last run (${run}, ${at}) failed: ${failure ?? 'the reason is unknown.'} The report shows what was loaded before.`,
      ko: `마지막 실행(${run}, ${at})이 실패했습니다: ${failure ?? '원인을 알 수 없습니다.'} 아래는 그 전까지 적재된 데이터입니다.`,
    };
  }
  if (!published.has(last.begun.runId)) {
    const stops = findings.filter(({ severity }) => severity === 'stop').map(({ name }) => name);
    const names = [...new Set(stops)].join(', ');
    return {
      en: `The last run (${run}, ${at}) was not published${names === '' ? '' : `: check ${names} failed`}. The report shows the warehouse before it.`,
      ko: `마지막 실행(${run}, ${at})의 결과가 게시되지 않았습니다${names === '' ? '' : `: 검사 ${names} 실패`}. 아래는 그 전의 데이터입니다.`,
    };
  }
  if (outcome === 'done') return undefined;
  return {
    en: `The last run (${run}, ${at}) is incomplete. \`dawnload status\` says what is missing.`,
    ko: `마지막 실행(${run}, ${at})이 일부만 완료되었습니다. 빠진 항목은 \`dawnload status\`로 확인하세요.`,
  };
}

/**
 * Makes the report of the published warehouse and writes it to a file.
 *
 * @returns the size of the file in bytes
 * @throws ConfigError if there is no published warehouse
 * @throws CorruptDatabaseError if the warehouse is damaged
 * @throws StorageError if the file cannot be written
 */
export async function writeReport(
  file: string,
  {
    dataDir,
    language,
    now,
    ending,
    runs: past,
  }: {
    readonly dataDir: string;
    readonly language: Language;
    readonly now: Date;
    /** The end of the run that writes the report, which the journal does not contain yet. */
    readonly ending?: RunOver | undefined;
    /** The runs of the journal. */
    readonly runs: readonly PastRun[];
  },
): Promise<number> {
  const runs = past.map((run) => (run.begun.runId === ending?.runId ? { ...run, over: ending } : run));
  const page = await makeReport(dataFiles(dataDir).published, { language, now, runs });
  // Everyone who may read the warehouse may read the file, because it contains no recipients.
  await writeFileWhole(file, async (path) => {
    await writeFile(path, page);
    await chmod(path, 0o644);
  });
  return Buffer.byteLength(page);
}
