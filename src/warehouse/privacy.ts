/**
 * How recipients' numbers are stored. The file records the setting, since rows written under different settings must
 * not be mixed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, DamageError } from '../errors.js';
import { type Session, count } from './session.js';
import { join } from 'node:path';
import type { Effects } from '../effects.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { foldersOf } from '../storage/paths.js';
import { readIfThere } from '../storage/storage-error.js';

/** The privacy setting. The key of the hashes is never written to the database file. */
export interface Privacy {
  readonly recipients: 'keep' | 'hash' | 'drop';
  readonly key: Uint8Array;
}

const held = z.object({
  recipients: z.string().nullable(),
  key_fingerprint: z.string().nullable(),
  has_rows: z.boolean(),
});

/**
 * Checks that the contents of the file were written under this setting; records the setting in a new file.
 *
 * @throws ConfigError when the file was written under another setting, or with another key
 */
export async function keepToPrivacy(session: Session, privacy: Privacy): Promise<void> {
  const { recipients } = privacy;
  const fingerprint = fingerprintOf(privacy);
  const before = await session.row('ops/privacy_held', held);
  if (before.recipients === recipients && before.key_fingerprint === (fingerprint ?? null)) return;
  if (before.has_rows) {
    throw new ConfigError(sentenceOf(before.recipients, recipients), {
      hint: 'To rebuild it under the current setting, without any request: `dawnload rebuild`.',
    });
  }
  await session.transaction(async () => {
    await session.run('ops/forget_privacy');
    await session.runWith('ops/note_privacy', { recipients, key_fingerprint: fingerprint });
  });
}

function sentenceOf(before: string | null, now: string): string {
  if (before === null) return 'The warehouse was made by a version that redacted less personal data.';
  if (before === now)
    return 'The warehouse holds hashes that were made with another key than private/hmac.key.';
  return `The warehouse was made with privacy.recipients ${before}; the setting is now ${now}.`;
}

/** A fingerprint that distinguishes keys, not revealing them; undefined unless `hash` is set, which alone uses the key. */
function fingerprintOf({ recipients, key }: Privacy): string | undefined {
  return recipients === 'hash' ? keyFingerprint(key) : undefined;
}

export function keyFingerprint(key: Uint8Array): string {
  return createHash('sha256').update('dawnload').update(key).digest('hex').slice(0, 16);
}

const BYTES = 32;

/**
 * Returns the key of a data folder, 32 bytes; the first call creates it. Requires the lock. Throws `DamageError` when
 * the file holds something else, `StorageError` when it cannot be read or written.
 */
export async function hmacKey(dataDir: string, effects: Pick<Effects, 'reach'>): Promise<Buffer> {
  const path = join(foldersOf(dataDir).private, 'hmac.key');
  const known = await readIfThere(path);
  if (known?.length === BYTES) return known;
  if (known !== undefined) {
    throw new DamageError(`${path} is not a valid key.`, {
      hint: 'Restore it from a backup. With another key the same recipient would get another hash.',
    });
  }
  const key = randomBytes(BYTES);
  await new DurableFolder(dataDir, effects).write(path, key, 'hmac-key');
  return key;
}

const BLOCK = 64;

/**
 * The inner and the outer pad (HMAC) of a key; the key cannot be derived from a hash, and neither pad enters the
 * database.
 */
export function padsOf(key: Uint8Array): { inner: Uint8Array; outer: Uint8Array } {
  const short = key.length > BLOCK ? createHash('sha256').update(key).digest() : key;
  const block = new Uint8Array(BLOCK);
  block.set(short);
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
}

/**
 * Redacts documents that may hold personal data: the statement `candidates` selects them, `sql/load/redact.sql` redacts
 * them, and the statement `replace` writes them back.
 */
export async function redact(
  session: Session,
  { candidates, replace }: { candidates: string; replace: string },
): Promise<void> {
  const { documents } = await session.row(candidates, z.object({ documents: count }));
  if (documents === 0) return;
  await session.run('load/redact');
  await session.run(replace);
}

/** Redacts the table `documents` at any depth, so that lists and objects inside are redacted before they are unfolded. */
export function redactDocuments(session: Session): Promise<void> {
  return redact(session, { candidates: 'load/documents/candidates', replace: 'load/documents/write_back' });
}
