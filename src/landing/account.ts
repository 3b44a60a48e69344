/** Whether the account of this process may write into a data folder. */
import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { OtherAccountError } from '../ground/errors.js';
import { quoteShell } from '../ground/text.js';
import { dataFiles, foldersOf } from './paths.js';
import { clauseOf, nearestExisting } from './storage-error.js';

/**
 * Refuses root in another account's data folder: the next night of this account could not read what root leaves. Only a file
 * made there shows who would own it, because mounts may map root to another account (root-squash, user namespaces).
 *
 * @throws OtherAccountError
 */
export async function assertAccount(
  { dataDir }: Pick<Config, 'dataDir'>,
  { effects: { accounts }, flags }: Pick<Invocation, 'effects' | 'flags'>,
  command: string,
): Promise<void> {
  if (accounts.own() !== 0 || flags.allowRoot === true) return;
  const folder = nearestExisting(resolve(dataDir));
  const owner = await accounts.ownerOf(folder);
  if (owner === 0 || (await accounts.ownerOfNew(folder)) !== 0) return;
  const name = await accounts.nameOf(owner);
  const account = name.startsWith('#') ? `account ${owner}` : name;
  throw new OtherAccountError(
    `${folder} belongs to ${account}, which could not read the files that root leaves there.`,
    {
      hint: `Use \`sudo -u ${quoteShell(name)} dawnload ${command} …\`. To write there as root anyway, add --allow-root.`,
    },
  );
}

/** The first folder or file of a run that this account cannot write, and the remedy; undefined if it can write all of them. */
export async function unwritable({
  dataDir,
  ledgerCopy = dataDir,
}: Pick<Config, 'dataDir' | 'ledgerCopy'>): Promise<{ reason: string; remedy: string } | undefined> {
  const { working, published } = dataFiles(dataDir);
  const folders = [nearestExisting(dataDir), ...Object.values(foldersOf(dataDir))];
  for (const path of [...folders, working, published, nearestExisting(ledgerCopy)]) {
    if (!existsSync(path)) continue;
    try {
      await access(path, constants.W_OK);
    } catch (cause) {
      return {
        reason: `${path} cannot be written: ${clauseOf(cause)}.`,
        remedy:
          'Mount it writable, give it to the account that runs dawnload (chown -R), or correct data_dir and ledger_copy.',
      };
    }
  }
  return undefined;
}
