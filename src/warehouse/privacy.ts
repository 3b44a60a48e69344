/** How recipients' numbers are kept. The file records the setting, since rows of two settings must not be mixed. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../errors.js';
import type { Session } from './session.js';

/** The key of the hashes never enters the database file. */
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
 * Makes sure that what the file holds was written under this setting, and notes it in a new file.
 *
 * @throws ConfigError when it was written under another one, or with another key
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

/** Distinguishes two keys without revealing them; only hashes depend on the key. */
function fingerprintOf({ recipients, key }: Privacy): string | undefined {
  if (recipients !== 'hash') return undefined;
  return createHash('sha256').update('dawnload').update(key).digest('hex').slice(0, 16);
}
