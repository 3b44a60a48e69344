/** The modelling stage: views are made again when their definition changed, tables are brought forward by dirty days. */
import { z } from 'zod';
import { DawnloadError, messageOf } from '../errors.js';
import { DirtyDays } from './dirty-days.js';
import { KeptRows } from './kept-rows.js';
import { columnOf, isIncremental, models, type IncrementalModel, type Model } from './model-file.js';
import type { Refresh } from './refresh.js';
import type { Session } from './session.js';

const knownModel = z.object({
  relation: z.string(),
  kind: z.enum(['view', 'table', 'seed']),
  fingerprint: z.string(),
});

/** Brings all models to what the tables hold now. Inside a transaction. */
export async function refreshModels(session: Session): Promise<void> {
  const noted = await session.rows('refresh/known', knownModel);
  const known = new Map(noted.filter(({ kind }) => kind !== 'seed').map((model) => [model.relation, model]));
  const wanted = models();
  const changed = wanted.filter(
    ({ relation, fingerprint }) => known.get(relation)?.fingerprint !== fingerprint,
  );
  const gone = [...known.keys()].filter((name) => !wanted.some(({ relation }) => relation === name));
  const kept = await KeptRows.setAside(session, changed);
  // Those that read others go first.
  for (const relation of [...gone, ...changed.map((model) => model.relation).reverse()]) {
    const kind = known.get(relation)?.kind;
    if (kind !== undefined) await session.run('refresh/drop', { relation, kind });
  }
  await note(session, gone, changed);
  const dirty = await DirtyDays.open(session);
  for (const model of wanted) {
    try {
      const full = changed.includes(model);
      if (full)
        await session.run(`refresh/${kindOf(model)}`, { relation: model.relation, select: model.select });
      if (isIncremental(model)) await bringForward(session, { dirty, kept }, model, full);
    } catch (cause) {
      if (cause instanceof DawnloadError) throw cause;
      // What it is stays in front: a full disk is told apart by it.
      throw new Error(`${messageOf(cause)} (in the model ${model.relation})`, { cause });
    }
  }
}

async function note(session: Session, gone: readonly string[], changed: readonly Model[]): Promise<void> {
  if (gone.length + changed.length === 0) return;
  const relations = changed.map(({ relation }) => relation);
  await session.set({
    former_relations: [...gone, ...relations],
    relations,
    kinds: changed.map(kindOf),
    fingerprints: changed.map(({ fingerprint }) => fingerprint),
  });
  await session.run('refresh/note');
}

function kindOf(model: Model): 'view' | 'table' {
  return isIncremental(model) ? 'table' : 'view';
}

async function bringForward(
  session: Session,
  { dirty, kept }: { dirty: DirtyDays; kept: KeptRows },
  model: IncrementalModel,
  full: boolean,
): Promise<void> {
  const { relation, select, incremental } = model;
  const { partition, uniqueKey } = incremental;
  const keepsRows = !full || kept.has(model);
  const refresh: Refresh = { ...incremental, full, keepsRows };
  if ((await dirty.find(refresh)) === 0 && !kept.has(model)) return;
  const rows = { relation, partition, column: columnOf(incremental), full: String(full) };
  if (!full) await session.run('refresh/clear', rows);
  // First, since a row that stays is the only one with its key.
  await kept.putBack(model);
  await dirty.forEachBatch(refresh, () =>
    uniqueKey === undefined
      ? session.run('refresh/fill', { relation, select })
      : session.run('refresh/fill_unique', { relation, select, unique_key: uniqueKey }),
  );
  await session.run('refresh/note_days', rows);
}
