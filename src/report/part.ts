/** A part of the report: the queries that it asks of the warehouse, and how it shows the answers. */
import { z } from 'zod';
import type { Html, Page, Text } from './page.js';

/** One bundled query with its parameters. */
export interface Asked {
  readonly query: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

/** An action that the reader should take. */
export interface ToDo {
  /** Actions are sorted by urgency; the smallest value comes first. */
  readonly urgency: Urgency;
  /** The reason, as a sentence. */
  readonly reason: string;
  readonly command: string;
}

/** The kinds of actions, most urgent first; a page starts with the first few. */
export const URGENCIES = [
  'run',
  'wrong_numbers',
  'missing_days',
  'failing_channel',
  'refused_template',
  'opt_outs',
  'decided_test',
  'budget',
  'campaign',
] as const;
type Urgency = (typeof URGENCIES)[number];

export interface Shown {
  /** One or two sentences that summarise what the part shows. */
  readonly sentence: string;
  readonly body: Html;
  /** A hint on how to read the part, in small print below it. */
  readonly note?: string | undefined;
  readonly toDo?: readonly ToDo[];
}

interface Part<Answers = unknown> {
  /** The id of the HTML anchor. */
  readonly id: string;
  readonly title: Text;
  /** The queries of the part. */
  asks(page: Page): readonly Asked[];
  /** The schema of the answers, one for each query. */
  readonly answers: z.ZodType<Answers>;
  /** The content of the part; undefined if the answers contain nothing to show. */
  show(answers: Answers, page: Page): Shown | undefined;
  /** The sentence for a part with nothing to show, with the way to fill it; undefined if the part is then left out. */
  readonly empty: Text | undefined;
}

/** A part whose answers are parsed before they are shown. */
export interface ReadyPart {
  readonly id: string;
  readonly title: Text;
  readonly empty: Text | undefined;
  asks(page: Page): readonly Asked[];
  show(answers: unknown, page: Page): Shown | undefined;
}

export function part<Answers>(given: Part<Answers>): ReadyPart {
  return { ...given, show: (answers, page) => given.show(given.answers.parse(answers), page) };
}

/** Joins sentences to one paragraph and leaves out those that are false or undefined. */
export function paragraph(...sentences: readonly (string | false | undefined)[]): string {
  return sentences.filter((sentence) => sentence !== false && sentence !== undefined).join(' ');
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** DuckDB returns large integers as text. */
export const count = z.union([z.number(), z.string()]).transform(Number);
export const number = count.nullable();
export const text = z.string();
export const name = z
  .string()
  .nullable()
  .transform((given) => given ?? '–');
export const rows = <T extends z.ZodRawShape>(shape: T) => z.array(z.object(shape));

/** Notes that match docs/metrics.md and the dictionary. */
export const NOTES = {
  sentIsNotReached: {
    en: 'Sent is not reached: only deliveries tell what arrived, on channels that report them.',
    ko: '발송은 도달이 아닙니다. 도착 여부는 도달을 집계하는 채널의 도달 수로만 알 수 있습니다.',
  },
  receivedIsSent: {
    en: 'People “got” a message when it was sent to them and did not fail.',
    ko: '‘받은’ 메시지는 실패하지 않고 발송된 메시지입니다.',
  },
  clicksByShown: {
    en: 'In-app and in-web click rates divide by what was shown, where that is known; other rates divide by what was sent.',
    ko: '인앱·인웹 메시지의 클릭률은 노출을 알 수 있으면 노출 수로 나누고, 다른 채널은 발송 성공 수로 나눕니다.',
  },
  notAcrossChannels: {
    en: 'Rates are not comparable across channels.',
    ko: '비율은 채널끼리 비교할 수 없습니다.',
  },
  machines: {
    en: 'Machines open and click e-mails too: link scanners, and mail apps that protect privacy.',
    ko: '이메일은 링크 검사기나 메일 앱의 개인정보 보호 기능 같은 기계도 열고 클릭합니다.',
  },
  sendsOfOneWindow: {
    en: 'Funnels compare the messages sent in one window, not the same people.',
    ko: '퍼널은 같은 사람이 아니라 같은 기간에 발송된 메시지를 비교합니다.',
  },
  heavyReceivers: {
    en: 'People who get more messages differ in other ways too: a lower rate is not only the messages’ doing.',
    ko: '메시지를 많이 받는 사람은 다른 점도 다르므로, 낮은 클릭률이 메시지 때문만은 아닙니다.',
  },
  sessionDays: {
    en: 'In SQL, take days from `date`: an instant cast to a date, as in `occurred_at::date`, is a KST day only in a session of Asia/Seoul.',
    ko: 'SQL에서 날짜는 `date` 열을 쓰세요. `occurred_at::date`처럼 시각을 날짜로 바꾸면 세션 시간대가 Asia/Seoul일 때만 한국 날짜가 됩니다.',
  },
} satisfies Record<string, Text>;
