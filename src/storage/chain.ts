/**
 * Append-only files of JSON lines with a sequence number and a checksum over the line and the previous line. The
 * checksum detects a changed byte, a missing line and lines in the wrong order.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Effects } from '../effects.js';
import { FILE_MODE, type DurableFolder } from './atomic-file.js';
import { orStorageError, readIfThere } from './storage-error.js';

/** Sequence number and checksum of the last line. */
export interface Head {
  readonly seq: number;
  readonly sum: string;
}

export const EMPTY: Head = { seq: 0, sum: '0'.repeat(32) };

/** A decoded line; its body is the argument of `encodeLine` and still unparsed. */
interface Line extends Head {
  readonly body: unknown;
}

const SUM = /,"sum":"([0-9a-f]{32})"\}$/;

/** Returns the line that follows `previous`, without a newline. */
export function encodeLine(
  previous: Head,
  body: Readonly<Record<string, unknown>>,
): { text: string; head: Head } {
  const seq = previous.seq + 1;
  const content = JSON.stringify({ seq, ...body }).slice(0, -1);
  const sum = checksum(previous, content);
  return { text: `${content},"sum":"${sum}"}`, head: { seq, sum } };
}

/** Returns the decoded line, or a phrase that describes the fault. */
function decodeLine(previous: Head, text: string): Line | string {
  const sum = SUM.exec(text)?.[1];
  if (sum === undefined) return 'has no checksum';
  // The checksum covers the bytes on disk, so that a change in JSON formatting is detected too.
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

/** Parses a line as a JSON object. For speed no schema is used: the ledger of several years has thousands of lines. */
function parseJson(text: string): { readonly seq?: unknown } | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export interface ContentLine {
  /** The line without its newline. */
  readonly text: string;
  readonly body: unknown;
  readonly sum: string;
}

/** The bytes after the last good line. */
type Rest =
  | { readonly line: ContentLine; readonly wrong: undefined; readonly whole: false }
  | { readonly line: undefined; readonly wrong: string; readonly whole: boolean };

/** Returns the valid lines from the start of the file, their size in bytes, and the rest after them. */
export function scan(bytes: Buffer): { lines: ContentLine[]; size: number; rest: Rest | undefined } {
  const lines: ContentLine[] = [];
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
    // A process that dies during an append leaves part of a line, never a complete line followed by a character other
    // than the newline.
    const whole = typeof decodeLine(head, text.slice(0, -1)) !== 'string';
    const wrong = whole ? 'does not end with a newline' : line;
    return { lines, size: start, rest: { line: undefined, wrong, whole } };
  }
  // Only the newline is missing: the content of the line is complete, so the line counts.
  return {
    lines,
    size: start,
    rest: { line: { text, body: line.body, sum: line.sum }, wrong: undefined, whole: false },
  };
}

/** A file of such lines. It has one writer at a time, who holds the lock of the data folder. */
export class ChainFile {
  #head: Head;
  #size: number;
  #torn: boolean;

  private constructor(
    readonly path: string,
    readonly disk: DurableFolder,
    readonly effects: Pick<Effects, 'reach'>,
    /** The lines that the file held when it was opened. */
    readonly lines: readonly ContentLine[],
    size: number,
    torn: boolean,
  ) {
    this.#head = { seq: lines.length, sum: lines.at(-1)?.sum ?? EMPTY.sum };
    this.#size = size;
    this.#torn = torn;
  }

  /**
   * Reads a file; it has no lines if it does not exist. A torn last line is cut off by the next append.
   *
   * @param damaged makes the error for an altered line, from a sentence about it
   */
  static async open(
    path: string,
    disk: DurableFolder,
    effects: Pick<Effects, 'reach'>,
    damaged: (what: string) => Error,
  ): Promise<ChainFile> {
    const { lines, size, rest } = scan((await readIfThere(path)) ?? Buffer.alloc(0));
    if (rest?.whole === true) throw damaged(`Line ${lines.length + 1} ${rest.wrong}.`);
    return new ChainFile(path, disk, effects, lines, size, rest !== undefined);
  }

  /**
   * Appends a line; resolves once it is durable.
   *
   * @param what name of the crash points
   * @throws StorageError
   */
  async append(body: Readonly<Record<string, unknown>>, what: string): Promise<ContentLine> {
    const { text, head } = encodeLine(this.#head, body);
    const isNew = !existsSync(this.path);
    await orStorageError('write', this.path, async () => {
      await this.disk.makeFolder(dirname(this.path));
      if (this.#torn) await truncate(this.path, this.#size);
      this.#torn = true;
      const handle = await open(this.path, 'a', FILE_MODE);
      try {
        this.effects.reach(`${what}/before-append`);
        await handle.appendFile(`${text}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (isNew) await this.disk.syncFolder(dirname(this.path));
    });
    this.#torn = false;
    this.#size += Buffer.byteLength(text) + 1;
    this.#head = head;
    this.effects.reach(`${what}/durable`);
    return { text, body, sum: head.sum };
  }
}
