/**
 * What a full refresh cannot compute again: the rows of days whose events left the file (ops.archived_days). They are set
 * aside before the model is made again, and put back into it.
 */
import { z } from 'zod';
import { sparesArchived } from './dependence.js';
import { columnOf, isIncremental, type IncrementalModel, type Model } from './model-file.js';
import type { Session } from './session.js';

const keepable = z.object({ relation: z.string(), column: z.string() });

export class KeptRows {
  readonly #session: Session;
  readonly #aside = new Set<string>();

  private constructor(session: Session) {
    this.#session = session;
  }

  /** Sets the tables of models aside that hold rows of days that are archived, by the same unit of time. Before they are dropped. */
  static async setAside(session: Session, changed: readonly Model[]): Promise<KeptRows> {
    const kept = new KeptRows(session);
    if (changed.length === 0) return kept;
    const tables = await session.rows('refresh/keepable', keepable);
    for (const model of changed.filter(isIncremental)) {
      const column = columnOf(model.incremental);
      const isThere = tables.some((table) => table.relation === model.relation && table.column === column);
      if (!isThere || !sparesArchived(model.incremental)) continue;
      await session.run('refresh/set_aside', namesOf(model));
      kept.#aside.add(model.relation);
    }
    return kept;
  }

  has({ relation }: Model): boolean {
    return this.#aside.has(relation);
  }

  /** Puts the rows back that are not to be computed again, as far as both versions have the same columns. */
  async putBack(model: IncrementalModel): Promise<void> {
    if (!this.#aside.delete(model.relation)) return;
    const names = namesOf(model);
    const { columns } = await this.#session.row(
      'refresh/kept_columns',
      z.object({ columns: z.string() }),
      names,
    );
    await this.#session.run('refresh/put_back', { ...names, columns });
  }
}

function namesOf({ relation, incremental }: IncrementalModel): Record<string, string> {
  const [schema = '', table = ''] = relation.split('.');
  const { partition } = incremental;
  return { relation, schema, aside: `${table}_before`, partition, column: columnOf(incremental) };
}
