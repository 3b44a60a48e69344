/** An alert: one sentence, the numbers, and the command to run next. */
import { cut } from '../text.js';

export const CAUSES = [
  'failure',
  'recovery',
  'stale',
  'needs_action',
  'budget',
  'drift',
  'check_stop',
] as const;

type Cause = (typeof CAUSES)[number];

export interface Alert {
  readonly cause: Cause | 'test';
  readonly message: string;
  readonly numbers: Readonly<Record<string, number>>;
  /** The command to run next. */
  readonly next: string;
}

/** Where an alert came from. */
export interface Sender {
  readonly projectId: string;
  readonly runId: string;
  readonly time: Date;
}

export const FORMATS = ['slack', 'json'] as const;
type Format = (typeof FORMATS)[number];

/** The body that a receiver takes. */
export function bodyOf(alert: Alert, { projectId, runId, time }: Sender, format: Format): string {
  const { cause, message, numbers, next } = alert;
  if (format === 'slack') {
    const counted = Object.entries(numbers).map(([name, value]) => `${name.replaceAll('_', ' ')}: ${value}`);
    const lines = [
      `*Dawnload* ${cause.replace('_', ' ')}: ${message}`,
      counted.join(', '),
      `Next: \`${next}\``,
    ];
    const text = lines.filter((line) => line !== '').join('\n');
    return JSON.stringify({ text: cut(escapeSlack(text), SLACK_LIMIT) });
  }
  return JSON.stringify({
    tool: 'dawnload',
    cause,
    message,
    numbers,
    next,
    project_id: projectId,
    run_id: runId,
    time: time.toISOString(),
  });
}

/** Slack refuses a longer text, in characters. */
const SLACK_LIMIT = 40_000;

/** As many names as Slack takes beside a sentence, and how many are left out. */
export function listed(names: readonly string[]): string {
  const shown: string[] = [];
  let room = SLACK_LIMIT - 1_000;
  for (const name of names) {
    const length = escapeSlack(name).length + ', '.length;
    if (length > room) continue;
    room -= length;
    shown.push(name);
  }
  const left = names.length - shown.length;
  return [shown.join(', '), ...(left === 0 ? [] : [`and ${left} more`])].join(' ').trimStart();
}

/** A name from outside must not mention a channel or hide a link. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export interface Receiver {
  /** Undefined while the variable that should hold it holds no address. */
  readonly url: string | undefined;
  /** The variable that holds the address. */
  readonly variable: string | undefined;
  readonly format: Format;
  readonly on: readonly Cause[];
}

/** A receiver as the file gives it. */
interface Given {
  readonly url?: string | undefined;
  readonly url_env?: string | undefined;
  readonly format: Format;
  readonly on: readonly Cause[];
}

type Variables = Readonly<Record<string, string | undefined>>;

export function receiversOf(given: readonly Given[], variables: Variables): Receiver[] {
  return given.map(({ url, url_env: variable, format, on }) => ({
    url: url ?? addressIn(variables, variable),
    variable,
    format,
    on,
  }));
}

/** The address that a variable holds, where there is one. */
export function addressIn(variables: Variables, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : variables[variable];
  return value !== undefined && /^https?:/.test(value) && URL.canParse(value) ? value : undefined;
}
