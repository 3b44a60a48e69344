/**
 * Reading the ledger: `exports.jsonl` line by line, and beside it `exports.head.json`, a witness of how far it went.
 * The chain of checksums shows a changed or missing line; only the witness can show that whole lines at the end are
 * gone, and with them a paid request.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { DamageError } from '../errors.js';
import { decodeLine, EMPTY, type Head } from './ledger-line.js';
import { foldersOf } from './place.js';
import { readIfThere } from './storage-error.js';

export const LEDGER = 'exports.jsonl';
export const WITNESS = 'exports.head.json';
const witness = z.object({ seq: z.number().int().nonnegative(), sum: z.string() });

/** What is in the file. */
export interface LedgerContent {
  /** The bodies of all whole lines, first to last. */
  readonly bodies: readonly unknown[];
  readonly head: Head;
  /** Bytes that the whole lines take. */
  readonly size: number;
  /** What a process that died within an append left behind it: part of a line. */
  readonly torn: Buffer | undefined;
  /** The last line is whole but for its newline. */
  readonly unended: boolean;
}

/** Reads the ledger and changes nothing. Throws `DamageError` when it is not what was written, `StorageError`. */
export async function readLedger(dataDir: string): Promise<LedgerContent> {
  const folder = foldersOf(dataDir).ledger;
  // The witness first: a run beside this reader may append in between, and the witness may only lag.
  const seen = await readWitness(join(folder, WITNESS));
  const path = join(folder, LEDGER);
  const content = decode(path, (await readIfThere(path)) ?? Buffer.alloc(0), seen);
  if (content.head.seq < seen.seq) {
    throw new DamageError(`${path} ends at line ${content.head.seq}, but ${seen.seq} were written`, {
      hint:
        'restore the ledger folder from a backup; to remove exports.head.json is to accept the loss, ' +
        'and that what those lines paid for may be paid for again',
    });
  }
  return content;
}

function decode(path: string, bytes: Buffer, seen: Head): LedgerContent {
  const bodies: unknown[] = [];
  let head = EMPTY;
  let start = 0;
  const take = (text: string): string | undefined => {
    const line = decodeLine(head, text);
    if (typeof line === 'string') return line;
    if (line.seq === seen.seq && line.sum !== seen.sum) return 'is not the line that was written there';
    bodies.push(line.body);
    head = { seq: line.seq, sum: line.sum };
    return undefined;
  };
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
    const wrong = take(bytes.toString('utf8', start, end));
    if (wrong !== undefined) throw damaged(`line ${head.seq + 1} of ${path} ${wrong}`);
    start = end + 1;
  }
  if (start === bytes.length) return { bodies, head, size: start, torn: undefined, unended: false };
  // The newline alone is missing: the line says what happened, so it counts.
  const unended = take(bytes.toString('utf8', start)) === undefined;
  if (unended) return { bodies, head, size: bytes.length, torn: undefined, unended };
  return { bodies, head, size: start, torn: bytes.subarray(start), unended };
}

async function readWitness(path: string): Promise<Head> {
  const bytes = await readIfThere(path);
  if (bytes === undefined) return EMPTY;
  try {
    return witness.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw damaged(`${path} is not what was written`, cause);
  }
}

/** A ledger that cannot be believed: nothing paid may be sent on its word. */
export function damaged(message: string, cause?: unknown): DamageError {
  return new DamageError(message, {
    hint: 'nothing that is billed is sent until the ledger folder is restored from a backup: it alone knows what is paid for',
    cause,
  });
}
