/**
 * Repairs JSON texts that a strict parser rejects: the faulty characters are replaced in place, and the rest stays as
 * received. Pure; the landed file keeps what the service sent.
 */
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { codeOf, DamageError } from '../ground/errors.js';
import { damaged, unreadable } from './storage-error.js';

/** Matches a JSON string with its quotes, or a comma that is followed by no value or preceded by none. */
const STRINGS_AND_COMMAS = /"[^"\\]*(?:\\[^][^"\\]*)*"|,(?=[ \t\r\n]*[\]},])|(?<=[[{][ \t\r\n,]*),/g;

/** Matches inside a string: a surrogate pair, any other escaped code unit, any other escape, a control character. */
const TROUBLES =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\[^]|[\u0000-\u001f]/g;

/**
 * Returns the repaired text: without a byte order mark and needless commas; halves of surrogate pairs become U+FFFD,
 * control characters and unknown escapes are escaped. Every text that `readEnvelope` accepts can be repaired.
 *
 * @returns undefined when the repaired text is still not JSON
 */
export function repairedJson(text: string): string | undefined {
  const given = text.startsWith('\ufeff') ? text.slice(1) : text;
  const repaired = given.replace(STRINGS_AND_COMMAS, (found) =>
    found === ',' ? '' : found.replace(TROUBLES, repairedCharacter),
  );
  return jsonOf(repaired) === undefined ? undefined : repaired;
}

function repairedCharacter(found: string): string {
  if (found.length >= 6) return found.length === 6 && /^\\u[dD][89a-fA-F]/.test(found) ? '\\ufffd' : found;
  // The escaped character may be a control character, or a letter that is not a valid escape.
  if (found.length === 2)
    return /["\\/bfnrt]/.test(found.charAt(1)) ? found : `\\\\${repairedControl(found.charAt(1))}`;
  return repairedControl(found);
}

function repairedControl(character: string): string {
  return character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character;
}

/** The value of a JSON text; undefined if it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/**
 * Compresses a body at level 1, which takes half the time of the default level and hardly more space. It runs off the
 * JavaScript thread, in chunks so large that a page needs one or two transfers instead of sixteen.
 */
export function gzipped(body: Uint8Array): Promise<Buffer> {
  return compress(body, { level: 1, memLevel: 9, chunkSize: 256 * 1024 });
}

/** Returns the body of a landed file as it was received. Throws `DamageError` when the file is not whole, `StorageError`. */
export async function readWhole(file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file);
    const body = await decompress(bytes);
    // gunzip accepts an empty file, and ignores bytes after the end. A gzip ends with the size of its content.
    if (bytes.length < 4 || bytes.readUInt32LE(bytes.length - 4) !== body.length)
      throw damaged(file, 'is incomplete or damaged');
    return body;
  } catch (error) {
    if (error instanceof DamageError) throw error;
    const code = codeOf(error) ?? '';
    throw code.startsWith('Z_') ? damaged(file, 'is incomplete or damaged', error) : unreadable(file, error);
  }
}
