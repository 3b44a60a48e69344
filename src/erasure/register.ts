/**
 * The register of erasures, `data/private/erasures.jsonl`: append-only, fsynced, with lines chained by checksums. It
 * names persons only by keyed digests. Data that arrives after an erasure, from any source, is compared with it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.js';
import { ConfigError, DamageError } from '../errors.js';
import { DurableFolder } from '../storage/atomic-file.js';
import { ChainFile } from '../storage/chain.js';
import { foldersOf } from '../storage/paths.js';
import { unlessMissing } from '../storage/duckdb.js';
import { Reader } from '../warehouse/reader.js';
import type { ErasureRow } from '../warehouse/rows.js';
import { statement } from '../warehouse/session.js';

const line = z.discriminatedUnion('event', [
  /** `erase`: the ids to erase, recorded before anything is erased. */
  z.object({
    event: z.literal('erase'),
    at: z.iso.datetime(),
    key: z.string(),
    persons: z.number(),
    ids: z.array(z.string()),
  }),
  /** `cut`: records were cut from landed pages, and rows left the warehouse. */
  z.object({
    event: z.literal('cut'),
    at: z.iso.datetime(),
    of: z.number(),
    records: z.number(),
    rows: z.number(),
  }),
  /** `done`: the erasure is complete and nothing remains. */
  z.object({ event: z.literal('done'), at: z.iso.datetime(), of: z.number() }),
  /** `late`: records that arrived after the erasure and were cut. */
  z.object({ event: z.literal('late'), at: z.iso.datetime(), records: z.number() }),
]);

type Line = z.infer<typeof line>;

/** An erasure, as `ops.erasures` shows it. */
export interface Erasure extends ErasureRow {
  /** True if the erasure is complete. */
  readonly done: boolean;
}

/** The last line of the register that another place knows. */
export type Mark = Pick<Erasure, 'line' | 'sum'>;

export class Register {
  readonly path: string;
  readonly #file: ChainFile;
  readonly #lines: { readonly seq: number; readonly sum: string; readonly body: Line }[] = [];

  private constructor(file: ChainFile) {
    this.path = file.path;
    this.#file = file;
  }

  /**
   * Reads the register; it is empty if nobody was erased.
   *
   * @param fingerprint the fingerprint of the hash key
   * @throws DamageError when a line was altered
   * @throws ConfigError when the register was made with another key
   */
  static async open(
    dataDir: string,
    fingerprint: string,
    effects: Pick<Effects, 'reach'>,
  ): Promise<Register> {
    const path = join(foldersOf(dataDir).private, 'erasures.jsonl');
    const file = await ChainFile.open(path, new DurableFolder(dataDir, effects), effects, (what) =>
      damaged(path, what),
    );
    const register = new Register(file);
    for (const [i, { body, sum }] of file.lines.entries()) {
      const read = line.safeParse(body);
      if (!read.success) throw damaged(path, `Line ${i + 1} is not that of an erasure.`);
      if (read.data.event === 'erase' && read.data.key !== fingerprint) {
        throw new ConfigError(`${register.path} was made with another key than private/hmac.key.`, {
          hint: 'Restore the key and the register from one backup. With another key nobody in the register is recognised.',
        });
      }
      register.#lines.push({ seq: i + 1, sum, body: read.data });
    }
    return register;
  }

  /** The digests of all erased persons. */
  get ids(): string[] {
    return [...new Set(this.#lines.flatMap(({ body }) => (body.event === 'erase' ? body.ids : [])))];
  }

  get erasures(): Erasure[] {
    const erasures = new Map<number, Erasure>();
    let last = 0;
    for (const { seq, sum, body } of this.#lines) {
      if (body.event === 'erase') {
        const erasedAt = new Date(body.at);
        const none = { records: 0, rows: 0, lateRecords: 0, done: false };
        erasures.set(seq, { line: seq, sum, erasedAt, persons: body.persons, ...none });
        last = seq;
        continue;
      }
      const of = erasures.get(body.event === 'late' ? last : body.of);
      if (of === undefined) continue;
      if (body.event === 'late') erasures.set(last, { ...of, lateRecords: of.lateRecords + body.records });
      else if (body.event === 'done') erasures.set(body.of, { ...of, done: true });
      else erasures.set(body.of, { ...of, records: body.records, rows: body.rows });
    }
    return [...erasures.values()];
  }

  /** The erasure that was begun and is not complete. */
  get unfinished(): Erasure | undefined {
    return this.erasures.find(({ done }) => !done);
  }

  /** The last erasure; undefined if there is none. */
  get mark(): Mark | undefined {
    return this.erasures.at(-1);
  }

  /** Throws `DamageError` if another place knows erasures that the register lacks. */
  assertHolds(mark: Mark | undefined, place: string): void {
    if (mark === undefined) return;
    if (this.#lines.some(({ seq, sum }) => seq === mark.line && sum === mark.sum)) return;
    throw new DamageError(
      `${this.path} is older than what ${place} remembers of it, or another one: an erasure of line ${mark.line} is missing.`,
      {
        hint: 'Restore the register from its newest backup. Until then no run begins, since who was erased would come back.',
      },
    );
  }

  /** Appends a line; resolves with its number once it is durable. Throws `StorageError`. */
  async append(body: Line): Promise<number> {
    const { sum } = await this.#file.append(body, `erasures/${body.event}`);
    const seq = this.#lines.length + 1;
    this.#lines.push({ seq, sum, body });
    return seq;
  }
}

function damaged(path: string, what: string): DamageError {
  return new DamageError(`${path} is damaged. ${what}`, {
    hint: 'Restore it from its newest backup. Until then no run begins, since who was erased would come back.',
  });
}

const remembered = z.object({ line: z.number(), sum: z.string() });

/** Compares the register with both files of the warehouse; neither may be open. Throws as `assertHolds` does. */
export async function assertRemembered(register: Register, files: readonly string[]): Promise<void> {
  for (const file of files) {
    if (!existsSync(file)) continue;
    let reader: Reader | undefined;
    let mark: Mark | undefined;
    try {
      reader = await Reader.open(file, 'read');
      const rows = await unlessMissing(reader.objects(statement('erasure/remembered')), []);
      mark = remembered.optional().parse(rows[0]);
    } catch {
      // A file that cannot be read is reported where it is opened.
      continue;
    } finally {
      await reader?.close();
    }
    register.assertHolds(mark, file);
  }
}
