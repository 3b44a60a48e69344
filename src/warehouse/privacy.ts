/**
 * Applies the privacy settings to recipients' numbers, ids and message keys. The file records the settings, because rows written under
 * different settings must not be mixed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, DamageError } from '../ground/errors.js';
import { quoted, type Session } from './session.js';
import { escaped } from '../disk/duckdb.js';
import { join } from 'node:path';
import type { Effects } from '../ground/effects.js';
import { DurableFolder } from '../disk/atomic-file.js';
import { foldersOf } from '../disk/paths.js';
import { readIfThere } from '../disk/storage-error.js';
import type { ColumnRule } from '../documents/personal.js';

export interface Privacy {
  readonly recipients: 'keep' | 'hash' | 'drop';
  /** Id columns of `events`, and keys of messages, to hash or drop. */
  readonly columns?: readonly { readonly name: string; readonly rule: 'hash' | 'drop' }[];
  readonly key: Uint8Array;
}

export const storedPrivacy = z.object({
  recipients: z.string().nullable(),
  columns: z.string().nullable(),
  key_fingerprint: z.string().nullable(),
  has_rows: z.boolean(),
});

type StoredPrivacy = z.infer<typeof storedPrivacy>;

/**
 * Checks that the file was written under these settings. A new file gets them recorded.
 *
 * @throws ConfigError if the file was written under other settings or with another key
 */
export async function keepToPrivacy(session: Session, privacy: Privacy): Promise<void> {
  const stored = await session.row('ops/privacy_stored', storedPrivacy);
  assertSamePrivacy([stored], privacy);
  if (isSamePrivacy(stored, privacy)) return;
  await session.transaction(() => session.run('ops/note_privacy', noted(privacy)));
}

const noted = (privacy: Privacy) => ({
  recipients: privacy.recipients,
  columns: columnsText(privacy),
  key_fingerprint: fingerprintOf(privacy),
});

/** @throws ConfigError when a file has rows that were written under another setting, or with another key */
export function assertSamePrivacy([before]: readonly StoredPrivacy[], privacy: Privacy): void {
  if (before?.has_rows !== true || isSamePrivacy(before, privacy)) return;
  throw new ConfigError(sentenceOf(before, noted(privacy)), {
    hint: 'To rebuild it under the current setting, without any request: `dawnload rebuild`.',
  });
}

function isSamePrivacy(before: StoredPrivacy, privacy: Privacy): boolean {
  const now = noted(privacy);
  return (
    before.recipients === now.recipients &&
    (before.columns ?? '') === now.columns &&
    before.key_fingerprint === (now.key_fingerprint ?? null)
  );
}

function sentenceOf(before: StoredPrivacy, now: ReturnType<typeof noted>): string {
  if (before.recipients !== now.recipients)
    return `The warehouse was made with privacy.recipients ${before.recipients ?? 'unknown'}; the setting is now ${now.recipients}.`;
  const columns = before.columns ?? '';
  if (columns !== now.columns)
    return `The warehouse was made with privacy.columns { ${columns} }; the setting is now { ${now.columns} }.`.replaceAll(
      '{  }',
      '{}',
    );
  return 'The warehouse has hashes that were made with another key than private/hmac.key.';
}

/** The rules of columns as text, such as `device_id: drop, user_id: hash`, in alphabetical order; empty if all are kept. */
function columnsText({ columns = [] }: Privacy): string {
  return columns
    .map(({ name, rule }) => `${name}: ${rule}`)
    .sort()
    .join(', ');
}

/** Identifies privacy settings, including the hash key. */
export const privacyMark = (privacy: Privacy): string =>
  [privacy.recipients, columnsText(privacy), fingerprintOf(privacy) ?? ''].join('; ');

/** A fingerprint that distinguishes keys without revealing them; undefined if nothing is hashed. */
export function fingerprintOf({ recipients, columns = [], key }: Privacy): string | undefined {
  const hashes = recipients === 'hash' || columns.some(({ rule }) => rule === 'hash');
  return hashes ? keyFingerprint(key) : undefined;
}

export function keyFingerprint(key: Uint8Array): string {
  return createHash('sha256').update('dawnload').update(key).digest('hex').slice(0, 16);
}

export const KEY_BYTES = 32;

/**
 * Returns the key of a data folder (32 bytes), and creates it on the first call. Requires the lock. Throws `DamageError` if the file is not
 * a key, `StorageError` if it cannot be read or written.
 */
export async function hmacKey(dataDir: string, effects: Pick<Effects, 'reach'>): Promise<Buffer> {
  const path = join(foldersOf(dataDir).private, 'hmac.key');
  const stored = await readIfThere(path);
  if (stored?.length === KEY_BYTES) return stored;
  if (stored !== undefined) {
    throw new DamageError(`${path} is not a valid key.`, {
      hint: 'Restore it from a backup. With another key the same recipient would get another hash.',
    });
  }
  const key = randomBytes(KEY_BYTES);
  await new DurableFolder(dataDir, effects).write(path, key, 'hmac-key');
  return key;
}

/** Returns the hash key for readers, which never create one. If the file is missing, an empty key, whose hashes match nothing. */
export async function storedKey(dataDir: string): Promise<Buffer> {
  return (await readIfThere(join(foldersOf(dataDir).private, 'hmac.key'))) ?? Buffer.alloc(0);
}

/** The rules by key, including the service's own names, such as `acme_user_id`. */
export function rulesOf({ columns = [] }: Privacy, brand: string): ColumnRule[] {
  return columns.flatMap(({ name, rule }) => {
    const ofService = /^service_((?:user|device)_id)$/.exec(name)?.[1];
    const keys = ofService === undefined ? [name] : [name, `${brand}_${ofService}`];
    return [...new Set(keys)].map((key) => ({ key, name, rule }));
  });
}

/** The rules as statements need them. The pattern matches a key with its closing quote, which may be escaped. */
export function ruledKeys(
  rules: readonly ColumnRule[],
): Record<'ruled_keys' | 'rules', string[]> & { ruled_pattern: string } {
  const patterns = rules.map(({ key }) =>
    JSON.stringify(key)
      .slice(1, -1)
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  return {
    ruled_pattern: `"(?:${patterns.join('|')})`,
    ruled_keys: rules.map(({ key }) => key),
    rules: rules.map(({ rule }) => rule),
  };
}

/** A column with ids of persons: the kind of the ids, which is also the name of the column, and the privacy rule for them. */
export interface KeyColumn {
  readonly kind: string;
  readonly rule: 'keep' | 'hash';
}

type Rules = Pick<Privacy, 'recipients' | 'columns'>;

/** The privacy rule for ids of a kind, or for a column of that name. */
const ruleOf = (name: string, { recipients, columns = [] }: Rules): 'keep' | 'hash' | 'drop' =>
  name === 'recipient' ? recipients : (columns.find((one) => one.name === name)?.rule ?? 'keep');

/** The columns for ids of these kinds, without dropped ones. */
export const storedKeys = (kinds: readonly string[], rules: Rules): KeyColumn[] =>
  kinds.flatMap((kind) => {
    const rule = ruleOf(kind, rules);
    return rule === 'drop' ? [] : [{ kind, rule }];
  });

/** A condition for rows of erased persons, using the table `erased_ids`. Hashed columns are compared with the digests. */
export function isErased(keys: readonly KeyColumn[]): string {
  const digests = keys.map(({ kind, rule }) =>
    rule === 'hash' && kind !== 'recipient' ? `"${kind}"` : `person_digest('${kind}', "${kind}")`,
  );
  return digests.map((digest) => `coalesce(${digest} in (from erased_ids), false)`).join(' or ') || 'false';
}

const words = z.object({ ids: z.string() });

/** A pattern for the ids of erased persons that occur in texts of a file, using the session's table `erased_ids`; '' if no such id occurs. */
export async function erasedWords(session: Session, file: string, texts: readonly string[]): Promise<string> {
  if (texts.length === 0) return '';
  const ofText = (name: string): string =>
    `coalesce(regexp_extract_all(${quoted(name)}::varchar, '[\\w.@+%~-]{5,}\\w'), [])`;
  const read = { file: escaped(file), words: texts.map(ofText).join(' || ') };
  return (await session.row('streams/own/pull/erased_words', words, read)).ids;
}

/** A column of a table to read. A key column is a text and has the name of its kind. */
export interface ReadColumn {
  readonly name: string;
  readonly kind: 'key' | 'text' | 'telephone' | 'document' | 'value';
}

/**
 * An expression for the stored value of a column, with an alias; undefined if the column is left out. It needs the macros of own tables.
 *
 * @param ids a pattern for the ids of erased persons; undefined if nobody was erased
 */
export function storedColumn({ name, kind }: ReadColumn, rules: Rules, ids?: string): string | undefined {
  const how = `'${rules.recipients}'`;
  const rule = ruleOf(name, rules);
  if (rule === 'drop' || (kind === 'telephone' && rules.recipients === 'drop')) return undefined;
  const isRuled = rule === 'hash' && name !== 'recipient';
  const column = isRuled ? `_ruled('${escaped(name)}', ${quoted(name)}::varchar)` : quoted(name);
  const isFree = ids === undefined || kind === 'value' || kind === 'key';
  const kept = isFree ? column : `without_erased(${column}, ${kind === 'document'}, '${ids}')`;
  const values = {
    key: name === 'recipient' ? `_recipient(${column}, ${how})` : `_redacted_field(${column}, ${how})`,
    telephone: `_recipient(${kept}, ${how})`,
    text: `redacted(${kept}, false, ${how})`,
    document: `redacted(${kept}, true, ${how})::json`,
    value: column,
  };
  return `${values[kind]} as ${quoted(name)}`;
}
