/** Night after night: asks what is due, runs it, and asks again. One run at a time, since it waits for each. */
import { formatKst } from '../calendar.js';
import { EXIT } from '../errors.js';
import type { PastRun } from '../run/journal.js';
import type { Terminal } from '../terminal/terminal.js';
import { attemptsOf, type OwnRun } from './attempts.js';
import { decide, nightOf, type Attempt, type Decision, type Reason } from './due.js';
import type { SchedulerState } from './health.js';
import type { JobEnd } from './job.js';
import type { TimeOfDay } from './time-of-day.js';

export interface Surroundings {
  readonly at: TimeOfDay;
  readonly signal: AbortSignal;
  readonly terminal: Pick<Terminal, 'note'>;
  readonly now: () => Date;
  /** The runs on record, and when the record last changed. */
  readonly journal: { changedAt(): Promise<number>; runs(): Promise<PastRun[]> };
  readonly run: () => Promise<JobEnd>;
  /** Resolves at that instant or before, and when the signal aborts. */
  readonly pause: (until: Date) => Promise<void>;
}

/** What is said before a run, and of one that is to come. */
const WORDS: Readonly<Record<Reason, readonly [now: string, later: string]>> = {
  night: ['Starting the nightly run.', 'The next run is at'],
  failed: ['Trying the night again.', 'The run failed. Trying again at'],
  waiting: ['Coming back for an export.', 'The service is still making an export. Coming back at'],
  busy: ['Trying again, after another run.', 'Another run is at work, or was stopped. Trying again at'],
};

export class Nights {
  readonly #world: Surroundings;
  readonly #since: Date;
  #own: OwnRun[] = [];
  #recorded: PastRun[] = [];
  #recordedAt = -1;
  #attempts: readonly Attempt[] = [];
  #next: Decision | undefined;
  #runningSince: Date | undefined;

  constructor(world: Surroundings) {
    this.#world = world;
    this.#since = world.now();
  }

  get state(): SchedulerState {
    return {
      at: this.#world.at,
      since: this.#since,
      runningSince: this.#runningSince,
      attempts: this.#attempts,
      next: this.#next,
    };
  }

  /** Keeps the nights until the signal aborts. `atOnce` runs first, whether anything is due or not. */
  async keep(atOnce: boolean): Promise<void> {
    const { signal, terminal } = this.#world;
    if (atOnce) await this.#try();
    let announced = '';
    while (!signal.aborted) {
      const next = await this.#look();
      if (next.kind === 'run') {
        terminal.note(this.#sentenceBefore(next), { event: 'scheduled_run', reason: next.reason });
        await this.#try();
        continue;
      }
      const announcement = `${WORDS[next.reason][1]} ${formatKst(next.at)}.`;
      if (announcement !== announced) {
        terminal.note(announcement, { event: 'next_run', at: next.at.toISOString(), reason: next.reason });
      }
      announced = announcement;
      await this.#world.pause(next.at);
    }
  }

  /** What is due, after all runs that are on record by now: somebody may have started one by hand. */
  async #look(): Promise<Decision> {
    const { journal, now, at } = this.#world;
    const changedAt = await journal.changedAt();
    if (changedAt !== this.#recordedAt) {
      // A record that cannot be read decides nothing; the run that follows reports it.
      this.#recorded = await journal.runs().catch(() => this.#recorded);
      this.#recordedAt = changedAt;
    }
    this.#attempts = attemptsOf(this.#recorded, this.#own);
    this.#next = decide(now(), at, this.#attempts);
    return this.#next;
  }

  #sentenceBefore({ at: now, reason }: Decision): string {
    const { start } = nightOf(now, this.#world.at);
    return reason === 'night' && now.getTime() - start.getTime() > LATE_MS
      ? `The nightly run of ${formatKst(start)} has not happened. Starting it now.`
      : WORDS[reason][0];
  }

  async #try(): Promise<void> {
    const { now, run, signal, terminal } = this.#world;
    const startedAt = now();
    this.#runningSince = startedAt;
    const end = await run();
    this.#runningSince = undefined;
    this.#own = [...this.#own, { ...end, startedAt, endedAt: now() }].slice(-KEPT);
    await this.#look();
    if (!signal.aborted || end.exitCode !== EXIT.interrupted) {
      terminal.note(`The run ended with exit code ${end.exitCode}.`, {
        event: 'run_ended',
        exit_code: end.exitCode,
      });
    }
  }
}

/** A night that starts so much later is one that was missed. */
const LATE_MS = 5 * 60_000;

/** More runs than a night can have. */
const KEPT = 200;
