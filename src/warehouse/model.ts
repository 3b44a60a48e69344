/**
 * The modelling stage: views are made anew when their definition changed, tables are brought forward by the days that
 * loads touched. So a night costs what its days cost, however old the warehouse is.
 */
import { z } from 'zod';
import { DawnloadError, messageOf } from '../errors.js';
import { models, type Keeping, type Model } from './model-file.js';
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
  // Those that read others go first.
  for (const relation of [...gone, ...changed.map((model) => model.relation).reverse()]) {
    const kind = known.get(relation)?.kind;
    if (kind !== undefined) await drop(session, relation, kind);
  }
  for (const model of wanted) {
    try {
      const anew = changed.includes(model);
      if (anew) await create(session, model);
      if (model.keeping !== undefined) await bringForward(session, model, model.keeping, anew);
    } catch (cause) {
      if (cause instanceof DawnloadError) throw cause;
      // What it is stays in front: a full disk is told apart by it.
      throw new Error(`${messageOf(cause)} (in the model ${model.relation})`, { cause });
    }
  }
}

async function drop(session: Session, relation: string, kind: string): Promise<void> {
  await session.run('refresh/drop', { relation, kind });
  await session.runWith('refresh/forget', { relation });
}

async function create(session: Session, model: Model): Promise<void> {
  const { relation, select, fingerprint } = model;
  const kind = model.keeping === undefined ? 'view' : 'table';
  // Versions before this one made views without noting them.
  await session.run('refresh/drop', { relation, kind });
  if (kind === 'table') await session.run('refresh/no_days');
  await session.run(`refresh/${kind}`, { relation, select });
  await session.runWith('refresh/note', { relation, kind, fingerprint });
}

async function bringForward(
  session: Session,
  { relation, select }: Model,
  { by, streams, reach, once }: Keeping,
  anew: boolean,
): Promise<void> {
  const days = reach === 'onward' ? undefined : reach;
  await session.set({ anew, streams: [...streams], reach: days, by_week: by === 'week' });
  await session.run('refresh/stale_days');
  const weeks = await session.rows('refresh/weeks', z.object({ week: z.string() }));
  if (weeks.length === 0) return;
  await session.run(`refresh/clear_${by}`, { relation });
  for (const { week } of weeks) {
    await session.set({ week: { day: week } });
    await session.run('refresh/week');
    if (once === undefined) await session.run('refresh/fill', { relation, select });
    else await session.run('refresh/fill_once', { relation, select, once });
  }
}
