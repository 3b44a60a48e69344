/** An alert, and its formats: Slack, Teams and JSON. */
import type { AlertCause, AlertFormat } from '../config/schema.js';
import { cut } from '../ground/text.js';
import type { Language } from '../warehouse/dictionary.js';

export interface Alert {
  readonly cause: AlertCause | 'test';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** The command that the reader should run next. */
  readonly next: string;
  /** The language of the message; English by default. */
  readonly lang?: Language;
  /** Lists of sentences below the message, each with a heading. */
  readonly parts?: readonly { readonly title: string; readonly lines: readonly string[] }[];
  /**
   * The name of the own question that the alert is about. Only its subscribers get the alert: once when the question gets rows, and once
   * when it has no more rows.
   */
  readonly about?: string;
  readonly isOver?: boolean;
}

/** Which installation an alert comes from. */
export interface Sender {
  readonly project_id: string;
  readonly host: string;
  readonly folder: string;
  readonly run_id: string;
  readonly time: Date;
}

/** Words around the message in a chat. */
const WORDS = {
  en: { question: 'question', next: 'Next', project: 'Project', on: 'on', run: 'run' },
  ko: { question: '알림', next: '다음 명령', project: '프로젝트', on: '·', run: '실행' },
} as const;

/** The request body in the format of the receiver. */
export function bodyOf(alert: Alert, sender: Sender, format: AlertFormat): string {
  const { cause, message, numbers, next, parts, about, lang = 'en' } = alert;
  if (format === 'json')
    return JSON.stringify({ tool: 'dawnload', cause, message, numbers, next, parts, about, ...sender });
  const words = WORDS[lang];
  // An alert about a question has its number of rows in the message already.
  const counted = Object.entries(cause === 'question' ? {} : numbers);
  const kind = cause === 'question' ? words.question : cause.replace('_', ' ');
  const lines = [
    cause === 'digest' ? { strong: message } : { strong: 'Dawnload', text: ` ${kind}: ${message}` },
    { text: counted.map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`).join(', ') },
    ...(parts ?? []).flatMap((part) => [
      { strong: part.title },
      ...part.lines.map((text) => ({ text: `• ${text}` })),
    ]),
    { text: `${words.next}: \`${next}\`` },
    {
      text: `${words.project} ${sender.project_id} ${words.on} ${sender.host}, ${sender.folder}, ${words.run} ${sender.run_id}`,
    },
  ];
  return format === 'slack' ? forSlack(lines) : forTeams(lines);
}

interface Line {
  readonly strong?: string;
  readonly text?: string;
}

function forSlack(lines: readonly Line[]): string {
  const written = lines.map(({ strong, text = '' }) => (strong === undefined ? text : `*${strong}*${text}`));
  const text = written.filter((line) => line !== '').join('\n');
  // Escaped, so that a name from outside cannot mention a channel or hide a link. Slack accepts 40,000 characters.
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return JSON.stringify({ text: cut(escaped, 40_000) });
}

/** An adaptive card, as Teams workflows expect it. Its text runs have no markup, so a name from outside cannot hide a link. */
function forTeams(lines: readonly Line[]): string {
  const body = lines.flatMap(({ strong, text = '' }) => {
    const runs = [
      ...(strong === undefined ? [] : [{ type: 'TextRun', text: strong, weight: 'Bolder' }]),
      ...(text === '' ? [] : [{ type: 'TextRun', text: cut(text, 4_000) }]),
    ];
    return runs.length === 0 ? [] : [{ type: 'RichTextBlock', inlines: runs }];
  });
  const content = { type: 'AdaptiveCard', version: '1.4', body };
  const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
  return JSON.stringify({ type: 'message', attachments });
}
