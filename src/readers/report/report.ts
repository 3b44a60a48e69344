/** The report: one page about the published warehouse, made with bundled queries. */
import { chmod, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { formatKst } from '../../ground/calendar.js';
import type { Language } from '../../warehouse/dictionary.js';
import { sentencesOf } from '../../ground/errors.js';
import { answerAndSentences } from '../queries/ask.js';
import { questionNamed } from '../queries/catalogue.js';
import { writeFileWhole } from '../queries/output.js';
import type { Said } from '../queries/sentences.js';
import { Wording, type Row } from '../queries/wording.js';
import type { PastRun } from '../../journal/journal.js';
import { dataFiles } from '../../disk/paths.js';
import { withEnoughMemory } from '../../warehouse/memory-limit.js';
import { Reader } from '../../warehouse/reader.js';
import { documentOf, firstScreen, MOST_TO_DO, type Frame } from './document.js';
import type { Html } from './html.js';
import { Renderer, type Answer, type Answered } from './render.js';
import { SECTIONS, type Asked, type Section } from './sections.js';
import type { Word } from './words.js';

/** DuckDB's memory for a query of the page, in addition to what the night has used; and the memory for a query that needs more. */
const [MEMORY, MORE_MEMORY] = ['192MB', '512MB'];

interface ReportOptions {
  readonly language: Language;
  readonly now: Date;
  /** The runs in the journal. The run that writes the report already has its end. */
  readonly runs: readonly PastRun[];
  /**
   * If the page is served: the document around it, and a function that returns the link from an answer to its question, or from a row to
   * its campaign.
   */
  readonly served?: {
    readonly frame: Frame;
    readonly linkOf: (answer: Answer, row?: Row) => Html;
    /** When the file was published, in KST. */
    readonly madeAt: string;
  };
}

/**
 * Makes the page.
 *
 * @returns the text of a self-contained HTML file, and a sentence for each part that could not be drawn
 * @throws ConfigError if the published warehouse is missing
 * @throws CorruptDatabaseError if the warehouse is damaged
 */
export function makeReport(
  published: string,
  { language, now, runs, served }: ReportOptions,
): Promise<{ page: string; faults: string[] }> {
  return Reader.using(published, async (reader) => {
    const wording = new Wording(language);
    const known = await reader.rows('status/runs', z.object({ run_id: z.string() }));
    const notice = noticeOf(runs, new Set(known.map((run) => run.run_id)));
    const { day, all } = await answersOf(reader, SECTIONS, wording, now);
    const faults = all.flatMap(({ failure }) => failure ?? []);
    const renderer = new Renderer(wording, served?.linkOf);
    const circumstances = {
      day,
      madeAt: served?.madeAt ?? formatKst(now),
      now: formatKst(now),
      notice: notice && { word: notice.word, reason: renderer.word(notice.reason, notice.values) },
    };
    const page = documentOf(renderer, all, circumstances, served?.frame);
    return { page, faults: faults.map((why) => `One section could not be shown: ${why}`) };
  });
}

/** The digest: the first screen as text, with its title and headings. */
export function makeDigest(
  published: string,
  { language, now }: Pick<ReportOptions, 'language' | 'now'>,
): Promise<{ title: string; parts: readonly Part[] }> {
  return Reader.using(published, async (reader) => {
    const wording = new Wording(language);
    const sections = SECTIONS.filter(({ isAbout }) => isAbout !== true);
    const { day, all } = await answersOf(reader, sections, wording, now);
    const renderer = new Renderer(wording);
    const { happened, standsOut, toDo } = firstScreen(all);
    const part = (title: Word, lines: readonly Said[], none: Word): Part => ({
      title: renderer.word(title),
      lines: lines.length === 0 ? [renderer.word(none)] : lines.map(({ text }) => text),
    });
    return {
      title: `${renderer.word('title')} ${day === undefined ? renderer.word('noDay') : wording.day(day, 'long')}`,
      parts: [
        part('happened', happened, 'noDay'),
        part('standsOut', standsOut, 'nothingStandsOut'),
        part('toDo', toDo.slice(0, MOST_TO_DO).flat(), 'nothingToDo'),
      ],
    };
  });
}

interface Part {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The answers of the sections, and the latest day of daily statistics. */
async function answersOf(reader: Reader, sections: readonly Section[], wording: Wording, now: Date) {
  const held = await reader.rows('status/coverage', z.object({ stream: z.string(), date: z.string() }));
  const day = held.findLast(({ stream }) => stream === 'statistics')?.date;
  const [most] = await reader.objects("select current_setting('memory_limit') as memory");
  const limits = [MEMORY, MORE_MEMORY, String(most?.['memory'])];
  // One thread, because a small query costs less on it. One query at a time, because two would need twice the memory.
  await reader.connection.run('set threads = 1');
  const all: Answered[] = [];
  for (const section of sections) {
    const answers: Answer[] = [];
    try {
      for (const asked of section.asks)
        answers.push(
          await withEnoughMemory(limits, async (limit) => {
            await reader.connection.run(`set memory_limit = '${limit}'`);
            return answerTo(asked, reader, wording, now);
          }),
        );
      all.push({ section, answers });
    } catch (error) {
      // A section that cannot be drawn does not stop the others.
      all.push({ section, answers: [], failure: sentencesOf(error).split('\n', 1).join() });
    }
  }
  return { day, all };
}

/** Runs a bundled query of a section. */
async function answerTo(asked: Asked, reader: Reader, wording: Wording, now: Date): Promise<Answer> {
  const { query, isSilent = false, needsRows = false, parameters: fields = {} } = asked;
  const param = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const question = questionNamed(query, { param, lang: wording.language }, now);
  const command = ['dawnload query', query, ...param].join(' ');
  const answer = await answerAndSentences(reader, question, wording, isSilent);
  const said = needsRows && answer.rows.length === 0 ? [] : answer.said;
  return { asked, fields, command, ...answer, said };
}

const summary = z.object({
  failure: z.string().optional(),
  findings: z.array(z.object({ name: z.string(), severity: z.string() })).default([]),
});

/** What the page says about the last run: a line at the top, and the reason with its values. */
interface Notice {
  readonly word: Word;
  readonly reason: Word;
  readonly values: Row;
}

/**
 * Describes a problem of the last run.
 *
 * @param runs the journal of runs
 * @param published the ids of the runs in the published file
 * @returns undefined if the last run loaded everything it should have
 */
export function noticeOf(runs: readonly PastRun[], published: ReadonlySet<string>): Notice | undefined {
  const last = runs.filter(({ over }) => over !== undefined).at(-1);
  if (last?.over === undefined) return undefined;
  const { outcome } = last.over;
  const { failure = null, findings } = summary.catch({ findings: [] }).parse(last.over.summary);
  const stops = findings.filter(({ severity }) => severity === 'stop').map(({ name }) => name);
  const checks = stops.length === 0 ? null : [...new Set(stops)].join(', ');
  const values = { run: `dawnload ${last.begun.command}, ${formatKst(last.over.at)}`, failure, checks };
  if (outcome === 'failed') return { word: 'runFailed', reason: 'lastFailed', values };
  if (!published.has(last.begun.runId)) return { word: 'runFailed', reason: 'lastWithheld', values };
  if (outcome === 'done' || outcome === 'limited') return undefined;
  return { word: 'runIncomplete', reason: 'lastIncomplete', values };
}

/** Writes the report. Resolves with the size of the file, and a sentence for each part that could not be drawn. */
export async function writeReport(
  file: string,
  { dataDir, ...options }: Omit<ReportOptions, 'served'> & { readonly dataDir: string },
): Promise<{ bytes: number; faults: string[] }> {
  const { page, faults } = await makeReport(dataFiles(dataDir).published, options);
  // Readable for everyone who may read the warehouse, because the report has no recipients.
  await writeFileWhole(file, async (path) => {
    await writeFile(path, page);
    await chmod(path, 0o644);
  });
  return { bytes: Buffer.byteLength(page), faults };
}
