/**
 * Messages to receivers about the published data: the digest, which repeats the first screen of the page, and own questions that have rows.
 */
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { messageOf } from '../ground/errors.js';
import { formatCount, plural } from '../terminal/text.js';
import { dataFiles } from '../disk/paths.js';
import { deliver } from '../readers/queries/child.js';
import { Wording } from '../readers/queries/wording.js';
import type { Alert } from './alert.js';

/** Maximum time for a question, in seconds. */
const PATIENCE = 60;

const WORDS = {
  en: {
    none: (question: string) => `${question} has no rows any more.`,
    some: (question: string, rows: number) => `${question} has ${plural(rows, 'row')}.`,
    failed: (question: string) => `${question} could not be asked`,
  },
  ko: {
    none: (question: string) => `‘${question}’ 질문에 해당하는 데이터가 더 이상 없습니다.`,
    some: (question: string, rows: number) =>
      `‘${question}’ 질문에 해당하는 데이터가 ${formatCount(rows)}건 있습니다.`,
    failed: (question: string) => `‘${question}’ 질문을 실행하지 못했습니다`,
  },
} as const;

/**
 * Returns the digest, and an alert for each question in the settings. An alert has the sentences of the question, but never its rows,
 * because they may name people.
 *
 * @param isCurrent true if the file has yesterday's statistics; otherwise no digest is sent
 */
export async function newsOf(config: Config, invocation: Invocation, isCurrent: boolean): Promise<Alert[]> {
  const { alerts, dataDir } = config;
  const file = dataFiles(dataDir).published;
  const questions = [...new Set(alerts.flatMap(({ question }) => question ?? []))];
  const news: Alert[] = [];
  if (isCurrent && alerts.some(({ on }) => on.includes('digest')))
    news.push(...(await digest(config, invocation, file)));
  for (const question of questions) news.push(await watch(question, config, invocation, file));
  return news;
}

async function digest(
  { reportIn = 'en' }: Config,
  { effects, terminal }: Invocation,
  file: string,
): Promise<Alert[]> {
  try {
    const { makeDigest } = await import('../readers/report/report.js');
    const { title, parts } = await makeDigest(file, { language: reportIn, now: effects.now() });
    const content = { message: title, parts, lang: reportIn };
    return [{ cause: 'digest', numbers: {}, next: 'dawnload explore', ...content }];
  } catch (error) {
    terminal.warn(`The digest could not be made: ${messageOf(error)}`);
    return [];
  }
}

/** Asks in a confined process, as `query` does. A question that fails is also an alert, because nobody would notice otherwise. */
async function watch(
  question: string,
  { queries, reportIn: lang = 'en', mcp }: Config,
  { effects, signal }: Invocation,
  file: string,
): Promise<Alert> {
  const next = `dawnload query ${question}${lang === 'ko' ? ' --lang ko' : ''}`;
  const alert = { cause: 'question', about: question, next, lang } as const;
  const answer: string[] = [];
  const asking = { name: question, ...(queries !== undefined && { queries }), lang };
  const how = {
    format: 'csv',
    lang,
    limit: 0,
    bom: false,
    isTerminal: false,
    drawing: { color: false },
  } as const;
  const bounds = {
    ...{ signal, megabytes: mcp.memoryMegabytes, seconds: PATIENCE },
    told: (sentences: readonly string[]) => answer.push(...sentences),
  };
  try {
    const rows = await deliver({ asking, now: effects.now(), isRecorded: false }, file, how, bounds);
    const { none, some } = WORDS[lang];
    const message = [rows === 0 ? none(question) : some(question, rows), ...answer].join(' ');
    return { ...alert, message, numbers: { rows }, isOver: rows === 0 };
  } catch (error) {
    signal.throwIfAborted();
    const reason = new Wording(lang).sentence(messageOf(error));
    return { ...alert, message: `${WORDS[lang].failed(question)}: ${reason}`, numbers: {} };
  }
}
