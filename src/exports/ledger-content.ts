/**
 * Reading the ledger: `ledger/exports.jsonl` line by line, beside its second copy in the landing zone. The chain of
 * checksums shows a changed or missing line; only the second copy can show that whole lines at the end are gone, and
 * with them a paid request.
 */
import { join } from 'node:path';
import { DamageError } from '../errors.js';
import { decodeLine, EMPTY, type Head } from './ledger-line.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';

/** What is in the file. */
export interface LedgerContent {
  /** The bodies of all whole lines, first to last. */
  readonly bodies: readonly unknown[];
  readonly head: Head;
  /** Bytes that the whole lines take. */
  readonly size: number;
  /** Part of a line, left by a process that died during an append. */
  readonly torn: Buffer | undefined;
  /** The last line is whole except for its newline. */
  readonly unended: boolean;
  /** Lines of the second copy that the ledger lacks: it was lost, or is an older copy. */
  readonly lost: readonly Line[];
  /** Whether the second copy holds exactly the same lines. */
  readonly copied: boolean;
}

interface Line {
  /** Without its newline. */
  readonly text: string;
  readonly body: unknown;
  readonly sum: string;
}

/** The ledger of a data folder. */
export function ledgerPath(dataDir: string): string {
  return join(foldersOf(dataDir).ledger, 'exports.jsonl');
}

/** Its second copy, kept with the landed data. */
export function secondCopyPath(dataDir: string): string {
  return join(foldersOf(dataDir).landing, 'ledger', 'exports.jsonl');
}

/** Reads the ledger and changes nothing. Throws `DamageError` when it is not what was written, `StorageError`. */
export async function readLedger(dataDir: string): Promise<LedgerContent> {
  const path = ledgerPath(dataDir);
  // The second copy first: a run beside this reader may append in between, and the copy may only lag.
  const copyBytes = (await readIfThere(secondCopyPath(dataDir))) ?? Buffer.alloc(0);
  const bytes = (await readIfThere(path)) ?? Buffer.alloc(0);
  const { lines, size, rest } = scan(bytes);
  // As a rule both are the same, and what was checked once is not checked again.
  const isSame = copyBytes.equals(bytes);
  const copy = isSame ? { lines: [...lines] } : scan(copyBytes);
  const unended = rest !== undefined && rest.wrong === undefined;
  if (unended) lines.push(rest.line);
  else if (rest?.whole === true) throw damaged(`Line ${lines.length + 1} of ${path} ${rest.wrong}.`);
  const common = Math.min(lines.length, copy.lines.length);
  if (common > 0 && lines[common - 1]?.sum !== copy.lines[common - 1]?.sum) {
    throw damaged(
      `${path} and its second copy ${secondCopyPath(dataDir)} differ at line ${common} or earlier.`,
    );
  }
  const torn = rest !== undefined && !unended ? bytes.subarray(size) : undefined;
  return {
    bodies: lines.map(({ body }) => body),
    head: { seq: lines.length, sum: lines.at(-1)?.sum ?? EMPTY.sum },
    size: unended ? bytes.length : size,
    torn,
    unended,
    lost: copy.lines.slice(lines.length),
    copied: copyBytes.length > 0 && isSame && torn === undefined && !unended,
  };
}

/** What follows the last good line. */
type Rest =
  | { readonly line: Line; readonly wrong: undefined; readonly whole: false }
  | { readonly line: undefined; readonly wrong: string; readonly whole: boolean };

/** The good lines from the start on, the bytes that they take, and what follows them. */
function scan(bytes: Buffer): { lines: Line[]; size: number; rest: Rest | undefined } {
  const lines: Line[] = [];
  let head: Head = EMPTY;
  let start = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
    const text = bytes.toString('utf8', start, end);
    const line = decodeLine(head, text);
    if (typeof line === 'string')
      return { lines, size: start, rest: { line: undefined, wrong: line, whole: true } };
    lines.push({ text, body: line.body, sum: line.sum });
    head = line;
    start = end + 1;
  }
  if (start === bytes.length) return { lines, size: start, rest: undefined };
  const text = bytes.toString('utf8', start);
  const line = decodeLine(head, text);
  if (typeof line === 'string') {
    // Whoever dies within an append leaves part of a line, never a whole one with something else than its newline.
    const whole = typeof decodeLine(head, text.slice(0, -1)) !== 'string';
    const wrong = whole ? 'does not end with a newline' : line;
    return { lines, size: start, rest: { line: undefined, wrong, whole } };
  }
  // The newline alone is missing: the line says what happened, so it counts.
  return {
    lines,
    size: start,
    rest: { line: { text, body: line.body, sum: line.sum }, wrong: undefined, whole: false },
  };
}

/** The error for a damaged ledger: no paid request may be sent. */
export function damaged(message: string, cause?: unknown): DamageError {
  return new DamageError(message, {
    hint:
      'No paid request is sent until the ledger is intact. ' +
      'Restore the ledger folder from a backup, or from its second copy landing/ledger/exports.jsonl.',
    cause,
  });
}
