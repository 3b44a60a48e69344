/**
 * One line of the ledger: JSON with a sequence number, and a checksum over the line and the line before it. This detects a
 * changed byte, a missing line and two lines in the wrong order. Pure.
 */
import { createHash } from 'node:crypto';

/** How far a ledger goes: the last line's number and checksum. */
export interface Head {
  readonly seq: number;
  readonly sum: string;
}

export const EMPTY: Head = { seq: 0, sum: '0'.repeat(32) };

/** A line read back: its body is what `encodeLine` was given, and still to be parsed. */
export interface Line extends Head {
  readonly body: unknown;
}

const SUM = /,"sum":"([0-9a-f]{32})"\}$/;

/** The line, without its newline, that follows `previous`. */
export function encodeLine(
  previous: Head,
  body: Readonly<Record<string, unknown>>,
): { text: string; head: Head } {
  const seq = previous.seq + 1;
  const content = JSON.stringify({ seq, ...body }).slice(0, -1);
  const sum = checksum(previous, content);
  return { text: `${content},"sum":"${sum}"}`, head: { seq, sum } };
}

/** The line read back, or a phrase that says what is wrong with it. */
export function decodeLine(previous: Head, text: string): Line | string {
  const sum = SUM.exec(text)?.[1];
  if (sum === undefined) return 'has no checksum';
  // The checksum is over the bytes as they stand, so that no detail of JSON can hide a change.
  if (checksum(previous, text.replace(SUM, '')) !== sum) return 'does not match its checksum';
  const parsed = parseJson(text);
  if (parsed === undefined) return 'is not JSON';
  const seq = previous.seq + 1;
  if (parsed.seq !== seq) return `is numbered ${JSON.stringify(parsed.seq)} instead of ${seq}`;
  return { seq, sum, body: parsed };
}

function checksum(previous: Head, content: string): string {
  return createHash('sha256').update(`${previous.sum}\n${content}`).digest('hex').slice(0, 32);
}

/** What ends with a member is an object. Without a schema, since a ledger of years has thousands of lines. */
function parseJson(text: string): { readonly seq?: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
