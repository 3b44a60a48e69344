/**
 * Repairs JSON texts that a strict reader refuses: what is wrong is replaced in its place, and the rest stays as received.
 * Pure; the landed file keeps what the service sent.
 */
import { readEnvelope } from '../envelope.js';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip, gunzip, gzip } from 'node:zlib';
import { codeOf, DamageError } from '../errors.js';
import { damaged, unreadable } from './storage-error.js';

/** A string of JSON from quote to quote, the words that JavaScript knows and JSON does not, or a comma behind the last value. */
const STRINGS_AND_WORDS =
  /"[^"\\]*(?:\\[^][^"\\]*)*"|-?\b(?:NaN|Infinity)\b|,(?=[ \t\r\n]*[\]}])(?<![[{,][ \t\r\n]*,)/g;

/** Inside of a string: a pair of surrogates, any other escape of a character, any other escape, a control character. */
const TROUBLES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^]|[\u0000-\u001f]/g;

/**
 * The text without a byte order mark and without commas behind the last value, with half pairs of surrogates as U+FFFD,
 * control characters and unknown escapes escaped, and `NaN` and the infinities as null. In a list of records, one that is
 * still not JSON becomes the string of its text, so that the other records can be loaded. Whatever `readEnvelope` reads
 * becomes JSON.
 *
 * @returns undefined when what is left is not JSON
 */
export function repairedJson(text: string): string | undefined {
  const given = text.startsWith('\ufeff') ? text.slice(1) : text;
  const repaired = given.replace(STRINGS_AND_WORDS, (found) =>
    found.startsWith('"') ? found.replace(TROUBLES, repairedCharacter) : found === ',' ? '' : 'null',
  );
  if (isJson(repaired)) return repaired;
  const salvaged = withTextsForBroken(repaired);
  return isJson(salvaged) ? salvaged : undefined;
}

function repairedCharacter(found: string): string {
  if (found.length === 12) return found;
  if (/^\\u[dD][89a-fA-F]/.test(found) && found.length === 6) return '\\ufffd';
  if (found.length === 6) return found;
  // The escaped character may itself be a control character, or a letter without a meaning.
  if (found.length === 2)
    return /["\\/bfnrt]/.test(found.charAt(1)) ? found : `\\\\${repairedControl(found.charAt(1))}`;
  return repairedControl(found);
}

function repairedControl(character: string): string {
  return character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The same text with strings for what is not JSON in it: elements of the outer list or of lists of the outer object, and other
 * values of the object; within an object in an object, the same again.
 */
function withTextsForBroken(text: string): string {
  const body = Buffer.from(text);
  const envelope = readEnvelope(body);
  if (envelope === undefined) return text;
  if (envelope.kind === 'array') return withElements(text, orItsText);
  let mended = '';
  let at = 0;
  for (const { start, end } of envelope.members) {
    const value = body.toString('utf8', start, end);
    mended +=
      body.toString('utf8', at, start) + (isJson(value) ? value : orItsText(withTextsForBroken(value)));
    at = end;
  }
  return mended + body.toString('utf8', at);
}

/** The list with each element as that gives it. */
function withElements(text: string, of: (element: string) => string): string {
  const from = text.indexOf('[') + 1;
  const elements: string[] = [];
  let depth = 0;
  let begin = from;
  // Strings count as a whole: what looks like a bracket in them is none.
  for (const { 0: token, index: at } of text.matchAll(/"[^"\\]*(?:\\[^][^"\\]*)*"|[[\]{},]/g)) {
    if (at < from) continue;
    if (token === '[' || token === '{') depth++;
    else if (depth === 0 && (token === ',' || token === ']')) {
      elements.push(text.slice(begin, at));
      begin = at + 1;
    } else if (token === ']' || token === '}') depth--;
  }
  return text.slice(0, from) + elements.map(of).join(',') + text.slice(begin - 1);
}

function orItsText(value: string): string {
  return isJson(value) ? value : JSON.stringify(value.trim());
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Level 1 takes half the time of the default level and hardly more room; off the JavaScript thread, in pieces so large
 * that a page crosses over to it once or twice and not sixteen times.
 */
export function gzipped(body: Uint8Array): Promise<Buffer> {
  return compress(body, { level: 1, memLevel: 9, chunkSize: 256 * 1024 });
}

/** The body of a landed file, as it was received. Throws `DamageError` when it is not whole, `StorageError`. */
export async function readWhole(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    if (bytes.length === 0) throw damaged(file, 'is incomplete or damaged');
    return await decompress(bytes);
  } catch (error) {
    throw readingError(file, error);
  }
}

/** Reads a file from end to end without keeping it. Throws `DamageError` when it is not one whole gzip, `StorageError`. */
export async function verifyWhole(file: string): Promise<void> {
  const nowhere = new Writable({
    write(_chunk, _encoding, done) {
      done();
    },
  });
  const inflate = createGunzip();
  try {
    const { size } = await stat(file);
    await pipeline(createReadStream(file), inflate, nowhere);
    // gunzip takes an empty file for an empty body, and passes over bytes after the end.
    if (size === 0 || inflate.bytesWritten !== size) throw damaged(file, 'is incomplete or damaged');
  } catch (error) {
    throw readingError(file, error);
  }
}

function readingError(file: string, error: unknown): Error {
  if (error instanceof DamageError) return error;
  const code = codeOf(error) ?? '';
  return code.startsWith('Z_') ? damaged(file, 'is incomplete or damaged', error) : unreadable(file, error);
}
