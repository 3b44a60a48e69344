import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig, type Config } from '../../src/config/config.js';
import { dayOf, shiftDay } from '../../src/ground/calendar.js';
import type { CrashPoint } from '../../src/ground/crash-points.js';
import { realEffects, type Effects } from '../../src/ground/effects.js';
import { DawnloadError, InterruptedError } from '../../src/ground/errors.js';
import { Journal } from '../../src/journal/journal.js';
import { STREAMS } from '../../src/streams/index.js';
import { Chance } from '../torture/chance.js';
import type { Counters } from '../torture/counters.js';
import { Clock, DAY_MS } from '../torture/trial.js';
import { Place } from '../support/dawnload.js';
import { directly, type Asked } from '../support/direct.js';
import { invocationOf, performCommand } from '../support/in-process.js';
import { assertKept, Books, readIfThere, realId, windowText } from './books.js';
import { damage, newestLine } from './damages.js';
import { Disk } from './disk.js';
import { outOfOrder, type Operation } from './order.js';
import { People, PUSH_YAML } from './people.js';
import { argumentsOf, fakeIn, FIRST_DAY, runEvents, type Wish } from './fake-warehouse.js';
import {
  CUT,
  FULL,
  KEPT_DAYS,
  nameOfPoint,
  ODD_TEXTS,
  PUSH_TROUBLES,
  SKEWS,
  TROUBLES,
  type Depth,
  type Kill,
  type Step,
} from './steps.js';

const MESSAGES = 10;
const YAML = `start_date: ${FIRST_DAY}
lookback_days: 1
request_timeout_seconds: 2
retries: 1
exports:
  budget: { records_per_run: 100000, records_per_month: 1000000 }
  max_wait_minutes: 0.05
`;

const SETTINGS_FILE = 'dawnload.yaml';

const SETTINGS: Readonly<Record<Depth, string>> = {
  file: YAML,
  duckdb: `${YAML}retention: { events: ${KEPT_DAYS}, landing: ${KEPT_DAYS} }\n${PUSH_YAML}`,
};

/** Clocks that differ by more than this pay nothing (`MOST_SKEW_MS`). */
const AGREEING_MS = 5 * 60_000;

/** The process is dead: whatever the abandoned code still tries fails with this. */
class Killed extends Error {}

const asked = z.object({ start: z.coerce.date() });

export class Life {
  /** Each death moves the folder to a new path: two instances of a database never open one path. */
  #folder = 0;
  /** True from a loss that must stop payments until `recover`. */
  #isDoubted = false;
  /** True until a run has loaded again what a lost warehouse had. */
  #isUnloaded = false;
  /** What the last command did, in its order. */
  recorded: readonly Operation[] = [];
  #skewMs = 0;
  /** True if somebody fills the disk while a paid request is on its way. */
  #fillsAtRequest = false;
  #settings: { readonly home: string; readonly config: Config } | undefined;
  #runs = 0;
  #earliest = FIRST_DAY;
  readonly people: People;
  readonly #books: Books;

  private constructor(
    readonly place: Place,
    readonly clock: Clock,
    readonly disk: Disk,
    readonly counters: Counters,
    private readonly kept: string,
    readonly depth: Depth,
  ) {
    this.people = new People(place.sandbox, () => this.data);
    this.#books = new Books(this);
  }

  static async begin(counters: Counters, depth: Depth = 'file'): Promise<Life> {
    const clock = new Clock();
    const place = await Place.make(YAML, { now: () => clock.now(), eventsPerDay: 12 });
    const kept = await mkdtemp(join(tmpdir(), 'dawnload-kept-'));
    const life = new Life(place, clock, Disk.watch(place.folder, kept), counters, kept, depth);
    await life.#configure();
    return life;
  }

  async end(): Promise<void> {
    this.disk[Symbol.dispose]();
    await this.place.remove();
    await rm(this.kept, { recursive: true, force: true });
  }

  /** Where commands run: the settings, and the data folder below. */
  get #home(): string {
    return join(this.place.folder, String(this.#folder));
  }

  get #backup(): string {
    return join(this.place.folder, 'backup');
  }

  get data(): string {
    return join(this.#home, 'data');
  }

  /** @throws Broken when a promise is not kept */
  async play(step: Step): Promise<void> {
    const before = this.place.sandbox.bills().length;
    const wasDoubted = this.#isDoubted;
    await this.#take(step);
    this.counters.count('step', step.kind);
    this.counters.play(this.place.sandbox, []);
    const bills = this.place.sandbox.bills();
    const paid = bills.length - before;
    assertKept(
      paid === 0 || Math.abs(this.#skewMs) <= AGREEING_MS,
      'something was paid while the clocks differ',
    );
    assertKept(paid === 0 || !wasDoubted, 'something was paid although the journal lacks lines');
    await this.#books.audit(this.#isDoubted, this.#isUnloaded);
  }

  /** Quiet nights, and every decision: in the end no day is left to nobody. */
  async finish(): Promise<void> {
    this.#books.lookAgain();
    await this.play({ kind: 'recover' });
    for (let round = 0; round < 8; round++) {
      await this.play({ kind: 'night', days: 0, skew: 0 });
      if ((await this.#books.left()).length === 0 && (await this.#books.waiting()).length === 0)
        return this.#finishPushes();
      await this.play({ kind: 'decide', which: 0, how: 'attach' });
    }
    const left = await this.#books.left();
    assertKept(left.length === 0, `${left.join(', ')} left to nobody`);
  }

  /** Pushes end as well: what waits is decided, and all rows come. */
  async #finishPushes(): Promise<void> {
    for await (const args of this.people.remaining()) await this.#command(args, undefined);
  }

  async #take(step: Step): Promise<void> {
    const { counters, clock, place } = this;
    this.#skewMs = 0;
    switch (step.kind) {
      case 'night':
      case 'backfill': {
        if (step.trouble !== undefined)
          counters.play(place.sandbox, [TROUBLES[step.trouble % TROUBLES.length] ?? TROUBLES[0]]);
        if (step.kind === 'night') {
          clock.shift(step.days * DAY_MS);
          const skew = SKEWS[step.skew % SKEWS.length] ?? SKEWS[0];
          this.#skewMs = skew.ms;
          counters.count('mishap', skew.name);
        } else this.#earliest = shiftDay(this.#earliest, -step.days);
        const odd = step.odd === undefined ? undefined : ODD_TEXTS[step.odd % ODD_TEXTS.length];
        if (odd !== undefined) this.#bend(odd);
        const { kill, room } = step;
        if (typeof room === 'number') this.disk.room = room;
        this.#fillsAtRequest = room === 'until a request';
        await this.#run(
          step.kind === 'night'
            ? { night: FIRST_DAY }
            : { start: this.#earliest, end: shiftDay(this.#earliest, 1) },
          kill,
          step.trouble === undefined && odd === undefined,
        );
        const isPlain =
          kill === undefined && room === undefined && step.trouble === undefined && odd === undefined;
        if (step.kind === 'night' && isPlain && this.#skewMs === 0 && !this.#isDoubted)
          await this.#books.assertPublished();
        place.sandbox.bend(undefined);
        return;
      }
      case 'decide':
        return this.#decide(step);
      case 'recover': {
        const before = this.#confirmations.length;
        const newest = newestLine(this.data);
        const code = await this.#command(['recover', '--yes'], step.kill);
        await this.#books.forgive();
        // You have agreed: what was pushed and is on no record may come again.
        if (this.#isDoubted) this.people.allowed++;
        // A death after the agreement was recorded leaves it.
        const confirmed = this.#confirmations;
        if (code === 0 || confirmed.length > before) this.#isDoubted = false;
        assertKept(
          confirmed.length <= before || Number(confirmed.at(-1)) > newest,
          `after an agreement lines count from ${confirmed.at(-1)}, and a file knows line ${newest}`,
        );
        // The command looks into a warehouse of DuckDB for the newest line, and agrees to its loss.
        if (code === 0 && this.depth === 'file') {
          const { head } = await Journal.read({ dataDir: this.data }, realEffects({}));
          const fake = fakeIn(this.data);
          if (fake.heads.length > 0) fake.close(head);
        }
        return;
      }
      case 'rebuild':
        if (this.depth === 'duckdb') await this.#command(['rebuild'], step.kill);
        return;
      case 'backup':
        if (this.#isDoubted) return;
        // A backup takes the place of the one before.
        await rm(this.#backup, { recursive: true, force: true });
        await this.#command(['backup', this.#backup], step.kill);
        return;
      case 'forget': {
        const user = await this.people.someone(step.which);
        if (user === undefined || this.#isDoubted) return;
        const args = ['forget', '--user-id', user, '--yes'];
        let code = await this.#command(args, step.kill);
        // What was begun before the death is resumed; if nothing was, the person is named again.
        for (let turn = 0; turn < 2 && code === undefined; turn++) {
          if (turn === 0) await this.#command(args, undefined);
          else code = await this.#command(args, undefined);
        }
        assertKept(code === 0, `forget ended with ${code}`);
        this.people.gone.add(user);
        const left = await this.people.left();
        assertKept(left === undefined, left ?? '');
        return;
      }
      case 'push':
        if (step.trouble !== undefined)
          counters.play(place.sandbox, [
            PUSH_TROUBLES[step.trouble % PUSH_TROUBLES.length] ?? PUSH_TROUBLES[0],
          ]);
        // Troubles are those of a journey.
        await this.#command(
          this.people.pushing(step.trouble === undefined ? step.which : 0, step.rows),
          step.kill,
        );
        return;
      case 'decide push': {
        const args = await this.people.decision();
        if (args === undefined) return;
        counters.count('decision', args.at(-1) ?? '');
        await this.#command(args, step.kill);
        return;
      }
      case 'move': {
        const from = this.#home;
        this.#folder++;
        return rename(from, this.#home);
      }
      case 'damage': {
        // Of an erasure that two lost files knew alone, nothing is left to supply it.
        if (this.people.gone.size > 0) return;
        const done = damage(this.data, this.#backup, step.what, step.amount);
        if (done === undefined) return;
        counters.count('damage', done.name);
        this.#isDoubted ||= done.doubts;
        this.#isUnloaded ||= done.unloads === true;
      }
    }
  }

  /** The service names the next export oddly, or refuses it with an odd text. */
  #bend({ name, id, refusal }: (typeof ODD_TEXTS)[number]): void {
    let isDone = false;
    this.place.sandbox.bend((endpoint, answer) => {
      if (endpoint !== 'E20' || isDone || answer.status !== 200) return answer;
      isDone = true;
      this.counters.count('odd value', name);
      const real = z.object({ export_id: z.string() }).parse(JSON.parse(answer.body.toString())).export_id;
      const odd = id === undefined ? undefined : `${id}${real}`;
      return {
        ...answer,
        body: Buffer.from(JSON.stringify(odd === undefined ? { error: refusal } : { export_id: odd })),
      };
    });
  }

  async #decide({ which, how, kill }: Extract<Step, { kind: 'decide' }>): Promise<void> {
    const { counters } = this;
    const waiting = await this.#books.waiting();
    const entry = waiting[which % Math.max(1, waiting.length)];
    if (entry === undefined) return;
    const window = windowText(entry);
    const id = realId(entry);
    const bill =
      id ??
      (entry.exportId === undefined
        ? (await this.#books.orphans()).find(({ start, end }) => `${start}/${end}` === window)?.export_id
        : undefined);
    if (how === 'again') {
      counters.count('decision', 'pay again');
      this.#books.consent(window, 1);
      await this.#run({ again: entry.key }, kill);
      // A consent that is not on record was not used: nothing may have been requested on its word.
      if (!(await this.#books.entries()).some(({ again }) => again === entry.key))
        this.#books.consent(window, -1);
    } else if (how === 'attach' && bill !== undefined) {
      counters.count('decision', 'attach');
      await this.#command(['exports', 'decide', entry.key, '--attach', bill, '--yes'], kill);
    } else {
      counters.count('decision', 'abandon');
      await this.#command(['exports', 'decide', entry.key, '--abandon'], kill);
    }
  }

  /** A run that lives to its end leaves no request of unknown outcome without saying so. */
  async #run(wish: Wish, kill: Kill | undefined, isUndisturbed = false): Promise<void> {
    const known = new Set(this.place.sandbox.bills().map(({ export_id }) => export_id));
    const end = await (this.depth === 'duckdb'
      ? this.#command(argumentsOf(wish), kill)
      : this.#runEvents(wish, kill));
    if (end === undefined) return;
    if (this.disk.refusals > 0) {
      // Room is kept for the id that a paid request brings.
      const [orphan] = isUndisturbed
        ? (await this.#books.orphans()).filter(
            ({ export_id }) => !this.#books.forgiven.has(export_id) && !known.has(export_id),
          )
        : [];
      assertKept(orphan === undefined, `a full disk lost the id of the bill for ${orphan?.start}`);
      return;
    }
    const left = (await this.#books.entries()).find(({ state }) => state === 'intended');
    assertKept(left === undefined, `a run left ${left?.key} intended`);
  }

  #runEvents(wish: Wish, kill: Kill | undefined): Promise<unknown> {
    const { disk } = this;
    return this.#mortal(kill, async (effects): Promise<unknown> => {
      const runId = `${this.clock.now().toISOString()} ${this.#runs++}`;
      const invocation = invocationOf({ effects, runId });
      // A run that cannot write its own record ends with this.
      const { failure } = await runEvents(wish, this.#config(), invocation, MESSAGES).catch(
        (failure: unknown) => {
          if (disk.refusals === 0) throw failure;
          return { failure };
        },
      );
      assertKept(failure === undefined || failure instanceof DawnloadError, `unforeseen: ${String(failure)}`);
      this.#isUnloaded &&= failure !== undefined && disk.refusals > 0;
      return 'ended';
    });
  }

  #command(args: readonly string[], kill: Kill | undefined): Promise<number | undefined> {
    const from = this.data;
    return this.#mortal(kill, async (effects) => {
      const { environment } = this.place;
      const clock = { now: () => effects.now(), moveTo: () => undefined };
      const result = await performCommand(
        args,
        this.#home,
        environment,
        clock,
        undefined,
        undefined,
        effects,
      );
      assertKept(!result.stderr.includes('unforeseen') || from !== this.data, result.stderr);
      return result.code;
    });
  }

  /** Does something that dies at a crash point: then the folder is what is left on the disk. Undefined after a death. */
  async #mortal<T>(kill: Kill | undefined, work: (effects: Effects) => Promise<T>): Promise<T | undefined> {
    const { clock, disk, counters, place } = this;
    let left = kill?.at ?? 0;
    let dead: CrashPoint | undefined;
    const from = this.data;
    const effects: Effects = {
      ...realEffects({}),
      now: () => new Date(clock.now().getTime() + this.#skewMs),
      sleep: async (ms) => {
        if (dead !== undefined) throw new InterruptedError('Dead.');
        await new Promise((resolve) => setImmediate(resolve));
        clock.shift(ms);
      },
      random: () => 0.5,
      identify: disk.identify,
      // What a dead process still sends does not arrive.
      service: directly(place.sandbox.listener, () => dead !== undefined, this.#watchRequest),
      reach: (point: CrashPoint) => {
        if (dead === undefined && ((kill?.point ?? point) !== point || --left !== 0)) return;
        if (dead === undefined && kill !== undefined) {
          dead = point;
          this.#folder++;
          const lost = disk.leave(from, this.data, kill.cut === undefined ? undefined : new Chance(kill.cut));
          if (lost.length > 0) counters.count('damage', CUT);
        }
        throw new Killed(point);
      },
    };
    disk.refusals = 0;
    const result = await work(effects).catch((error: unknown) => {
      if (dead === undefined) throw error;
      return undefined;
    });
    disk.room = Number.POSITIVE_INFINITY;
    this.#fillsAtRequest = false;
    if (disk.refusals > 0) counters.count('mishap', FULL);
    const died = dead && nameOfPoint(dead, this.depth);
    if (died !== undefined) counters.count('crash point', died);
    this.recorded = disk.operations.splice(0);
    const [first] = outOfOrder(from, this.recorded, from === this.data);
    assertKept(first === undefined, first ?? '');
    if (from !== this.data) {
      await rm(from, { recursive: true, force: true });
      await this.#configure();
      return undefined;
    }
    return result;
  }

  async #configure(): Promise<void> {
    await this.place.configure(SETTINGS[this.depth]);
    await mkdir(this.#home, { recursive: true });
    await copyFile(join(this.place.folder, SETTINGS_FILE), join(this.#home, SETTINGS_FILE));
  }

  /** The settings of the folder, which are read once: a run spends a tenth of its time on them. */
  #config(): Config {
    const home = this.#home;
    if (this.#settings?.home !== home)
      this.#settings = { home, config: loadConfig(STREAMS, {}, this.place.environment, home) };
    return this.#settings.config;
  }

  /** Notes a request that must be sent once. */
  readonly #watchRequest = ({ method, path, body }: Asked): void => {
    const { operations } = this.disk;
    if (method === 'POST' && path.endsWith('/campaign-event-data/exports')) {
      if (this.#fillsAtRequest) this.disk.room = 0;
      operations.push({ did: 'sent', what: 'export', day: dayOf(asked.parse(JSON.parse(body)).start) });
    } else if (/^\/track-event|\/user-journeys\/[^/]+\/enter$/.test(path))
      operations.push({ did: 'sent', what: 'push' });
  };

  /** The numbers of the lines that say that a person agreed to what is lost. */
  get #confirmations(): string[] {
    const journal = readIfThere(join(this.data, 'ledger', 'journal.jsonl'));
    return [...journal.matchAll(/"seq":(\d+),.*"event":"confirmed"/g)].map(([, seq = '']) => seq);
  }
}
