/**
 * What a full refresh cannot compute again: the rows of days whose events left the file (ops.archived_days). They are set
 * aside before the model is made again, and put back into it.
 */
import { z } from 'zod';
import { sparesArchived } from './dirty-days.js';
import { columnOf, isIncremental, type IncrementalModel, type Model } from './model-file.js';
import type { Session } from './session.js';

export class KeptRows {
  readonly #session: Session;
  readonly #aside = new Set<string>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Sets the table of a model aside, where it holds rows of days that are archived. Before it is dropped. */
  async setAside(model: Model): Promise<void> {
    if (!isIncremental(model) || !sparesArchived(model.incremental)) return;
    const names = namesOf(model);
    const { can_keep } = await this.#session.row(
      'refresh/can_keep',
      z.object({ can_keep: z.boolean() }),
      names,
    );
    if (!can_keep) return;
    await this.#session.run('refresh/set_aside', names);
    this.#aside.add(model.relation);
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
