/** The report: the published warehouse as one page, each part asked of it by bundled queries. */
import pLimit from 'p-limit';
import { formatKst, lastCompleteDay } from '../calendar.js';
import type { Language } from '../dictionary/dictionary.js';
import { messageOf } from '../errors.js';
import { loadCatalogue, type QueryFile } from '../queries/catalogue.js';
import type { PastRun } from '../run/journal.js';
import { Reader } from '../warehouse/reader.js';
import { statement } from '../warehouse/statements.js';
import { documentOf, type DrawnPart } from './document.js';
import { noticeOf } from './notice.js';
import { Page } from './page.js';
import type { Asked, ReadyPart } from './part.js';
import { PARTS } from './parts.js';

export interface ReportOptions {
  readonly language: Language;
  readonly now: Date;
  /** The journal of runs. */
  readonly runs: readonly PastRun[];
}

/**
 * Makes the page.
 *
 * @returns the text of an HTML file that needs no other
 * @throws ConfigError without a published warehouse; CorruptDatabaseError when it is damaged
 */
export async function makeReport(published: string, { language, now, runs }: ReportOptions): Promise<string> {
  const reader = await Reader.open(published);
  try {
    const warehouse = new Answers(reader, now);
    const [held] = await warehouse.ask({ query: 'freshness', parameters: { stream: 'statistics' } });
    const newest = held?.['last_date'];
    const page = new Page(language, typeof newest === 'string' ? newest : undefined, lastCompleteDay(now));
    const drawnParts = await Promise.all(PARTS.map((part) => drawn(part, page, warehouse)));
    const parts = drawnParts.filter((part) => part !== undefined);
    const known = await reader.objects(statement('status/runs'));
    const notice = noticeOf(runs, new Set(known.map((run) => String(run['run_id']))));
    return documentOf(page, parts, { madeAt: formatKst(now), notice: notice && page.say(notice) });
  } finally {
    await reader.close();
  }
}

/** Undefined for a part that has nothing to show, and nothing to say of it. */
async function drawn(part: ReadyPart, page: Page, warehouse: Answers): Promise<DrawnPart | undefined> {
  const asked = part.asks(page);
  const queries = asked.map((ask) => ({ ...ask, sql: warehouse.queryOf(ask).sql }));
  const { id, title } = part;
  try {
    const answers = await Promise.all(asked.map((ask) => warehouse.ask(ask)));
    const shown = part.show(answers, page) ?? (part.empty && { sentence: page.say(part.empty) });
    return shown && { id, title, queries, shown };
  } catch (error) {
    // One part that cannot be drawn must not take the others with it.
    const sentence = page.say({
      en: `This part could not be drawn: ${messageOf(error)}`,
      ko: `이 부분을 표시하지 못했습니다: ${messageOf(error)}`,
    });
    return { id, title, queries, shown: { sentence } };
  }
}

/** Answers of bundled queries. */
class Answers {
  readonly #reader: Reader;
  readonly #now: Date;
  /** Small queries keep one processor busy each. */
  readonly #atOnce = pLimit(2);
  readonly #catalogue = new Map(loadCatalogue().map((query) => [query.name, query]));

  constructor(reader: Reader, now: Date) {
    this.#reader = reader;
    this.#now = now;
  }

  queryOf({ query }: Asked): QueryFile {
    const found = this.#catalogue.get(query);
    if (found === undefined) throw new Error(`There is no bundled query ${query}.`);
    return found;
  }

  /** Each query in a session of its own: its variables are no other's. */
  ask(asked: Asked): Promise<Record<string, unknown>[]> {
    const { params, sql } = this.queryOf(asked);
    return this.#atOnce(async () => {
      const session = await this.#reader.beside();
      try {
        for (const { name } of params) {
          const value = asked.parameters?.[name] ?? (name === 'now' ? this.#now.toISOString() : undefined);
          if (value === undefined) continue;
          await session.connection.run(`set variable "${name}" = $value`, { value });
        }
        return await session.objects(sql);
      } finally {
        await session.close();
      }
    });
  }
}
