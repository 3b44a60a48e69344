import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusedError, UsageError } from '../../src/ground/errors.js';
import { type Export, blocksPayingAgain, EXPORT, exportsOf } from '../../src/exports/export.js';
import { Ledger } from '../../src/exports/ledger.js';
import { Journal } from '../../src/journal/journal.js';
import { readWitness } from '../../src/journal/witness.js';
import { HELD, MORNING, placeOf, readLedger, testEffects } from '../landing/support.js';

const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'] as const;
const day = fc.constantFrom(...DAYS);
const key = fc.tuple(day, fc.integer({ min: 1, max: 3 })).map(([ofDay, n]) => `${ofDay}.${n}`);
const note = fc.string({ maxLength: 20 });

type Step = (ledger: Ledger) => Promise<unknown>;

/** What a caller may ask with such values. */
function asking<T>(values: fc.Arbitrary<T>, ask: (ledger: Ledger, value: T) => Promise<unknown>, weight = 1) {
  return {
    weight,
    arbitrary: values.map(
      (value): Step =>
        (ledger) =>
          ask(ledger, value),
    ),
  };
}

/** Anything that a caller may ask of the ledger, sensible or not. */
const step: fc.Arbitrary<Step> = fc.oneof(
  asking(
    fc.record({ day, messageData: fc.boolean(), estimate: fc.option(fc.nat(9_999), { nil: undefined }) }),
    (l, intent) => l.intend({ ...intent, pricePerRecord: 0.1 }),
    4,
  ),
  asking(fc.tuple(key, fc.string({ maxLength: 8, unit: 'binary' })), (l, [k, id]) => l.requested(k, id), 4),
  asking(key, (l, k) => l.record({ event: 'processing', key: k })),
  asking(fc.tuple(key, fc.nat(9)), (l, [k, pages]) => l.record({ event: 'ready', key: k, pages })),
  asking(fc.tuple(key, fc.nat(9), fc.nat(9_999)), (l, [k, pages, records]) =>
    l.record({ event: 'landed', key: k, pages, records, landedAt: MORNING }),
  ),
  asking(key, (l, k) => l.record({ event: 'loaded', key: k })),
  asking(
    fc.tuple(key, fc.constantFrom('ambiguous', 'failed', 'withdrawn', 'troubled', 'abandoned'), note),
    (l, [k, event, why]) => l.record({ event, key: k, note: why }),
    5,
  ),
  asking(fc.tuple(key, fc.string({ minLength: 1, maxLength: 8 })), (l, [k, id]) => l.attach(k, id)),
  asking(key, (l, k) => l.payAgain(k, { messageData: true, estimate: 1, pricePerRecord: 0 })),
);

const story = fc.array(step, { minLength: 1, maxLength: 14 });

interface Told {
  readonly data: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** What the ledger held after each line: the n-th after n lines. */
  readonly states: Export[][];
}

/** Tells a story to a new ledger, some of it at the same time, and hands over what came of it. */
async function told<T>(steps: readonly Step[], atOnce: number, then: (told: Told) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'dawnload-ledger-'));
  try {
    const effects = testEffects();
    const journal = await Journal.open({ dataDir: data }, effects);
    const ledger = new Ledger(placeOf(data), journal, effects, HELD);
    const states: Export[][] = [[]];
    effects.onReach = (point) => {
      // The file says it before the ledger does: one line further than what was seen last.
      if (/^journal\/export\/[^/]*\/durable$/.test(point)) states.push([]);
    };
    for (let i = 0; i < steps.length; i += atOnce) {
      const results = await Promise.allSettled(steps.slice(i, i + atOnce).map((one) => one(ledger)));
      for (const result of results) {
        if (result.status === 'rejected' && !isRefusal(result.reason)) throw result.reason;
      }
    }
    await journal.close();
    const path = join(data, 'ledger/journal.jsonl');
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    // What each prefix of whole lines means, from the lines themselves.
    const lines = journal.of(EXPORT);
    for (let n = 0; n < states.length; n++) states[n] = [...exportsOf(lines.slice(0, n)).values()];
    expect(states).toHaveLength(lines.length + 1);
    expect(ledger.entries()).toEqual(states.at(-1));
    return await then({ data, path, bytes, states });
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof UsageError || error instanceof RefusedError;
}

const runs = { numRuns: 15 };

describe('whatever is asked of the ledger, in whatever order', () => {
  it('no two exports that count ever share a day', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.integer({ min: 1, max: 5 }), (steps, atOnce) =>
        told(steps, atOnce, async ({ states }) => {
          for (const entries of states) {
            const counting = entries.filter(({ state }) => blocksPayingAgain(state));
            for (const [i, a] of counting.entries()) {
              // An abandoned export may come back by its id beside the one that was paid instead: by a person alone.
              const others = counting.slice(i + 1).filter((b) => b.again === undefined);
              expect(others.filter((b) => a.day === b.day)).toEqual([]);
            }
          }
          await Promise.resolve();
        }),
      ),
      runs,
    );
  });

  it('a cut anywhere brings back the last state from the second copy, and without one is a state that was reached', async () => {
    await fc.assert(
      fc.asyncProperty(
        story,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (steps, where, copied) =>
          told(steps, 1, async ({ data, path, bytes, states }) => {
            fc.pre(bytes.length > 0);
            const at = Math.floor(where * (bytes.length - 1));
            await writeFile(path, bytes.subarray(0, at));
            if (!copied) await rm(join(data, 'landing/ledger/journal.jsonl'));
            const whole = bytes.subarray(0, at).toString().split('\n').length - 1;
            const reached = copied ? states.at(-1) : states[whole];
            expect((await readLedger(data)).entries()).toEqual(reached);
            const journal = await Journal.open({ dataDir: data }, testEffects());
            const witness = await readWitness(data);
            // Whatever is missing shows: in the copy, or in the witness once something was intended since.
            const isWhole = copied ? journal.lacks === undefined : whole === states.length - 1;
            if (witness !== undefined && isWhole) expect(journal.holds(witness)).toBe(true);
            const next = new Ledger(placeOf(data), journal, testEffects(), HELD);
            expect(next.entries()).toEqual(reached);
            await next.settle();
            await next.intend({ day: '2026-01-01', messageData: true, estimate: 1, pricePerRecord: 0 });
            expect((await readLedger(data)).entries()).toEqual(next.entries());
          }),
      ),
      runs,
    );
  });

  it('a flipped bit anywhere heals from the second copy', async () => {
    await fc.assert(
      fc.asyncProperty(
        story,
        // The last newline is a byte like others.
        fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
        fc.integer({ min: 0, max: 7 }),
        (steps, where, bit) =>
          told(steps, 1, async ({ data, path, bytes }) => {
            fc.pre(bytes.length > 0);
            const at = Math.floor(where * (bytes.length - 1));
            const changed = Buffer.from(bytes);
            changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
            await writeFile(path, changed);
            const journal = await Journal.open({ dataDir: data }, testEffects());
            expect(journal.lacks).toBeUndefined();
            expect(await readFile(path)).toEqual(bytes);
          }),
      ),
      runs,
    );
  });
});
