/** The remembered rows of earlier calls, as the journal and a person's decision judge these calls. */
import { z } from 'zod';
import { RefusedError } from '../ground/errors.js';
import { agreedUpTo, forgottenError } from '../journal/doubt.js';
import type { Journal } from '../journal/journal.js';
import type { PushedRows } from '../landing/pushed-rows.js';
import type { Session } from '../warehouse/session.js';
import { isUnfinished, type Call, type PushLedger } from './ledger.js';

/** A person's decision about the calls of a push whose outcome is unknown. */
export interface Decision {
  readonly id: string;
  /** True if their rows are to be sent again; otherwise they are left out. */
  readonly again: boolean;
}

const line = z.object({ push: z.string(), call: z.number(), sum: z.string(), made_with: z.string() });
export type CallLine = z.infer<typeof line>;

/** Reads the file of a target into the tables `remembered` and `rejected`; returns the lines of its calls. */
export async function readRemembered(
  session: Session,
  { path }: PushedRows,
  target: string,
  ledger: PushLedger,
  decision?: Decision,
): Promise<CallLine[]> {
  const pushes = ledger.of(target);
  const calls = pushes.flatMap(({ id: push, calls: own }) =>
    [...own].map(([call, { state }]) => {
      const isDecided = push === decision?.id && state === 'ambiguous';
      return { push, call, state: isDecided ? (decision.again ? 'again' : 'in_doubt') : state };
    }),
  );
  const unfinished = pushes.filter(isUnfinished).map(({ id }) => id);
  await session.set({ file: path, calls: JSON.stringify(calls), unfinished });
  await session.run('push/remembered');
  return session.rows('push/calls', line);
}

/** States of calls whose rows must not be sent again. */
const COUNTED: readonly Call['state'][] = ['acknowledged', 'ambiguous', 'in_doubt'];

/**
 * Compares the calls of E13 and E16 in the journal with their lines in `ledger/pushed/`. Returns true if lines are
 * missing, and a person has confirmed that they are lost.
 *
 * @throws DamageError if lines are missing and nobody knew it
 * @throws RefusedError if rows were hashed with another key
 */
export async function assertRemembered(
  lines: readonly CallLine[],
  target: string,
  ledger: PushLedger,
  journal: Journal,
  fingerprint: string,
): Promise<boolean> {
  const pushes = ledger.of(target).filter(({ once }) => once);
  if (pushes.length > 0 && lines.some(({ made_with }) => made_with !== fingerprint)) {
    throw new RefusedError(
      'The rows in ledger/pushed were hashed with another key than private/hmac.key. Nothing was sent.',
      { hint: 'Rows could be sent twice. Restore the key from its newest backup.' },
    );
  }
  const sums = new Set(lines.map(({ sum }) => sum));
  const lost = pushes
    .flatMap(({ calls }) => [...calls.values()])
    .filter((call) => COUNTED.includes(call.state) && !sums.has(call.line));
  const agreed = agreedUpTo(journal);
  if (lost.some(({ seq }) => seq > agreed)) {
    const why = `ledger/pushed lacks rows that were sent to ${target}, or they were altered.`;
    await journal.append('run', { event: 'unsure', why });
    throw forgottenError({ why, forgotten: journal.head.seq });
  }
  const done = pushes.filter(({ state }) => state === 'done');
  return lost.some(({ at }) => done.every(({ begunAt }) => begunAt <= at));
}
