/** Compares what landed with its manifests and, for paid exports, with the ledger. */
import type { Config } from '../config/config.js';
import { ERASE, mayBeCut } from '../erasure/register.js';
import { wereRemoved } from '../erasure/retention.js';
import { EXPORT, exportsOf, landedAmong } from '../exports/export.js';
import type { Effects } from '../ground/effects.js';
import { Journal } from '../journal/journal.js';
import { firstAnswers, LandingZone, rowsIn } from '../landing/landing-zone.js';
import { unlessDamaged } from '../disk/storage-error.js';
import { landedPages } from '../streams/events/reading.js';

interface Damage {
  readonly message: string;
  readonly hint?: string | undefined;
}

/**
 * Returns the number of landed files, and the damaged or missing ones. Compares the records of each paid export with the ledger, which reveals
 * missing pages.
 */
export async function landedDamage(
  config: Config,
  effects: Effects,
): Promise<{ readonly files: number; readonly damage: readonly Damage[] }> {
  const { dataDir } = config;
  const journal = await Journal.read(config, effects);
  const isCut = (pull: string): boolean => mayBeCut(journal.of(ERASE), pull);
  const landing = await LandingZone.open(dataDir, effects, undefined, isCut);
  const damage: Damage[] = [];
  const files = await landing.verifyAll((error) => damage.push(error));
  for (const entry of landedAmong(exportsOf(journal.of(EXPORT)).values())) {
    const { key, records } = entry;
    if (wereRemoved(journal, entry)) continue;
    const pull = await unlessDamaged(landing.exportPull(entry));
    const pages = pull === undefined ? [] : await landedPages(landing, pull.id, pull);
    const rows = rowsIn(firstAnswers(pages));
    if (rows === records) continue;
    damage.push({
      message: `The pages of export ${key} have ${rows} of its ${records ?? 0} records: pages are missing or damaged.`,
      hint: `To download them again at no cost: \`dawnload exports resume ${key}\`.`,
    });
  }
  return { files, damage };
}
