/**
 * Odd values: one value of one answer is broken, once or all night, wherever an answer has one. The night must publish, and
 * after a sound night the folder must be well: nothing is missing, `doctor` and `status` have nothing to say, and a rebuild
 * holds the same. The shapes are those of the sandbox's answers, learned on a sound night.
 */
import { rename } from 'node:fs/promises';
import type { Reply } from '../../sandbox/answer.js';
import type { EndpointName } from '../../sandbox/index.js';
import { copyData } from '../support/copies.js';
import { contents, differences } from '../support/contents.js';
import type { Ended } from '../support/dawnload.js';
import type { Bend } from '../support/faults/index.js';
import { isRecord } from '../support/faults/lies.js';
import { windowOf } from './audit.js';
import { Chance } from './chance.js';
import { Counters } from './counters.js';
import { Clock, DAY_MS, Trial } from './trial.js';

const YAML = `start_date: 2026-11-19
lookback_days: 2
request_timeout_seconds: 10
retries: 1
`;
const EXPORTS = `exports:
  budget: { records_per_run: 100000, records_per_month: 1000000 }
  max_wait_minutes: 1
`;
const LISTS = {
  E2: '  catalogs: true\n',
  E4: '  brand_templates: { sender_keys: [9f2c4e6a8b0d1f3e5a7c] }\n',
  E10: '  alimtalk_templates: true\n',
  E12: '  opt_outs: true\n',
} as const;

/** What the nights of an endpoint pull beside the statistics: exports, or one kind of lists. */
type Pulled = keyof typeof LISTS | 'exports';

function pulledFor(endpoint: EndpointName): Pulled {
  const list = endpoint === 'E5' ? 'E4' : endpoint;
  return list in LISTS ? (list as keyof typeof LISTS) : 'exports';
}

function settingsFor(pulled: Pulled): string {
  return YAML + (pulled === 'exports' ? EXPORTS : `reference:\n${LISTS[pulled]}`);
}

/** The night before, the odd one, and the sound one after it. */
const NIGHTS = ['2026-11-20T22:30:00Z', '2026-11-21T22:30:00Z', '2026-11-22T22:30:00Z'] as const;

/** What the job reads. */
const ENDPOINTS = ['E1', 'E2', 'E4', 'E5', 'E10', 'E12', 'E17', 'E18', 'E19', 'E20', 'E21'] as const;

/** In the place of a value, as JSON or as what should be JSON. */
const VALUES: Readonly<Record<string, string>> = {
  null: 'null',
  true: 'true',
  'a text': '"odd"',
  'an empty text': '""',
  'a number': '7',
  'a list': '[1,"a",null]',
  'an object': '{"a":1}',
  'an empty list': '[]',
  'an empty object': '{}',
  '2^63': '9223372036854775808',
  '2^63 - 1': '9223372036854775807',
  '-2^63': '-9223372036854775808',
  '-1': '-1',
  'a half': '0.5',
  '1e999': '1e999',
  '2^63 - 1 as text': '"9223372036854775807"',
  'half a pair': '"a\\ud83d"',
  'the other half': '"\\udc00b"',
  'many pairs': `"x${'🎁'.repeat(300)}"`,
  NUL: '"a\\u0000b"',
  'a bare NUL': '"a\u0000b"',
  '64 kB': `"${'가'.repeat(22_000)}"`,
  'an infinite day': '"infinity"',
  'a day beyond all': '"290000-01-01"',
  'an instant beyond all': '"294247-01-10 04:00:54Z"',
  'a word that is no value': 'None',
  depth: '['.repeat(3_000) + ']'.repeat(3_000),
};

/** With the place of a value, or what stands there. */
const CHANGES = ['gone', 'given twice', 'given twice alike', 'a twin in capitals'] as const;
const OF_LISTS = ['a list of thousands', 'a comma behind', 'two commas'] as const;

/** Pages without an end, as far as this harness goes. */
const ENDLESS = 'a list without an end';
const ENDLESS_PAGES = 40;

export const oddCounters = (): Counters =>
  new Counters({
    'odd value': [
      ...[...Object.keys(VALUES), ...CHANGES, ...OF_LISTS, ENDLESS],
      ...ENDPOINTS.map((endpoint) => `at ${endpoint}`),
    ],
  });

interface Oddity {
  readonly endpoint: EndpointName;
  /** Keys and `[]`, from the outside in; '' is the whole answer. */
  readonly place: string;
  readonly kind: string;
  /** Which of the values of that place, counted around. */
  readonly nth: number;
  readonly allNight: boolean;
}

type Path = readonly (string | number)[];

/** Every place of an answer, with the paths that lead to its values. */
function placesOf(value: unknown, path: Path = [], found = new Map<string, Path[]>()): Map<string, Path[]> {
  const place = path.map((step) => (typeof step === 'number' ? '[]' : step)).join('.');
  // Pushed, not copied: a list may have many thousands of values.
  const paths = found.get(place) ?? [];
  paths.push(path);
  found.set(place, paths);
  if (Array.isArray(value)) value.forEach((one, i) => placesOf(one, [...path, i], found));
  else if (isRecord(value))
    for (const [key, one] of Object.entries(value)) placesOf(one, [...path, key], found);
  return found;
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The answer with the value broken; undefined where it has no such place. */
function broken(body: Buffer, { place, kind, nth }: Oddity): string | undefined {
  const json = jsonOf(body);
  const paths = json === undefined ? [] : (placesOf(json).get(place) ?? []);
  const path = paths[nth % Math.max(1, paths.length)];
  return path === undefined ? undefined : spelled(json, path, kind);
}

/** A value as JSON, with what lies at the path broken. */
function spelled(value: unknown, path: Path, kind: string): string {
  const [step, ...rest] = path;
  if (step === undefined) return oddValue(value, kind);
  const members = (one: unknown, key: string | number): string[] => {
    const name = typeof key === 'number' ? '' : `${JSON.stringify(key)}:`;
    if (key !== step) return [name + JSON.stringify(one)];
    return rest.length > 0 ? [name + spelled(one, rest, kind)] : oddMembers(name, one, kind);
  };
  return Array.isArray(value)
    ? `[${value.flatMap(members).join(',')}]`
    : `{${Object.entries(value as object)
        .flatMap(([key, one]) => members(one, key))
        .join(',')}}`;
}

function oddMembers(name: string, value: unknown, kind: string): string[] {
  const given = name + JSON.stringify(value);
  switch (kind) {
    case 'gone':
      return [];
    case 'given twice':
      return [`${name}{"a":1}`, given];
    case 'given twice alike':
      return [given, given];
    case 'a twin in capitals':
      return [`${name.toUpperCase()}"twin"`, given];
    default:
      return [name + oddValue(value, kind)];
  }
}

function oddValue(value: unknown, kind: string): string {
  const given = JSON.stringify(value);
  switch (kind) {
    case 'a list of thousands':
      return `[${Array<string>(3_000)
        .fill(given.slice(1, -1) || '1')
        .join(',')}]`;
    case 'a comma behind':
      return given.replace(/\]$/, ',]');
    case 'two commas':
      return given.replace(/^\[/, '[1,,');
    default:
      // What can only be done to a member leaves nothing of the whole.
      return VALUES[kind] ?? '';
  }
}

/** Sends pages on and on. */
function endless(endpoint: EndpointName): Bend {
  let first: Record<string, unknown> | undefined;
  let pages = 0;
  return (name, answer, query) => {
    if (name !== endpoint || pages >= ENDLESS_PAGES) return answer;
    const json = jsonOf(answer.body);
    if (isRecord(json) && answer.status === 200) first ??= json;
    if (first === undefined) return answer;
    pages++;
    const next = structuredClone(first);
    if (endpoint === 'E2') {
      const cursor = `odd-${pages}`;
      const data = isRecord(next['data']) ? next['data'] : {};
      Object.assign(data, { next_cursor: cursor, links: { next: `/next?cursor=${cursor}` } });
      next['data'] = data;
      return reply(answer, JSON.stringify(next), { link: `</next?cursor=${cursor}>; rel="next"` });
    }
    const size = Number(query.get('pageSize') ?? 1_000);
    const holder = [next, next['data'], next['templateListResponse']].find(
      (one): one is Record<string, unknown> =>
        isRecord(one) && Object.values(one).some((held) => Array.isArray(held)),
    );
    for (const [key, list] of Object.entries(holder ?? {})) {
      if (!Array.isArray(list) || holder === undefined) continue;
      const [row] = list as unknown[];
      holder[key] = Array.from({ length: size }, (_, i) =>
        isRecord(row) ? { ...row, id: `odd-${pages}-${i}`, recipientNo: `0101${pages}${10_000 + i}` } : row,
      );
    }
    return reply(answer, JSON.stringify(next));
  };
}

function reply(answer: Reply, text: string, headers: Record<string, string> = {}): Reply {
  return { ...answer, status: 200, headers: { ...answer.headers, ...headers }, body: Buffer.from(text) };
}

/** What broke a night, or left the folder unwell. */
export interface Finding {
  readonly seed: number;
  readonly what: string;
  readonly why: string;
}

/** The data folders that odd nights begin from, and their service. */
export class OddNights {
  private constructor(
    readonly trial: Trial,
    readonly clock: Clock,
    /** The places of each endpoint's answers. */
    readonly shapes: ReadonlyMap<EndpointName, readonly string[]>,
    /** Those whose values are lists. */
    readonly lists: ReadonlySet<string>,
  ) {}

  static async begin(): Promise<OddNights> {
    const clock = new Clock(NIGHTS[0]);
    const trial = await Trial.make(YAML, { eventsPerDay: 60, exportSeconds: 0 }, clock, 'inside');
    const shapes = new Map<EndpointName, Set<string>>();
    const lists = new Set<string>();
    trial.place.sandbox.bend((endpoint, answer) => {
      const json = jsonOf(answer.body);
      const known = shapes.get(endpoint) ?? new Set();
      for (const [place, [path = []]] of placesOf(json)) {
        known.add(place);
        const value = path.reduce<unknown>((held, key) => (held as Path)[key as number], json);
        if (Array.isArray(value)) lists.add(`${endpoint} ${place}`);
      }
      shapes.set(endpoint, known);
      return answer;
    });
    for (const pulled of ['exports', ...Object.keys(LISTS)] as Pulled[]) {
      clock.set(NIGHTS[0]);
      await trial.place.configure(settingsFor(pulled));
      const first = await trial.run(['run']);
      trial.assert(first.code === 0, 'the night before is not sound', first);
      await rename(trial.data, `${trial.data}-${pulled}`);
    }
    trial.place.sandbox.bend(undefined);
    return new OddNights(
      trial,
      clock,
      new Map([...shapes].map(([name, places]) => [name, [...places]])),
      lists,
    );
  }

  /** The oddity of a seed: each endpoint as often as any other. Few places are lists, so what is done to lists comes more often there. */
  oddityOf(seed: number): Oddity {
    const chance = new Chance(seed);
    // Neighbouring seeds differ little at first.
    chance.next();
    const endpoint = chance.pick(ENDPOINTS);
    const place = chance.pick(this.shapes.get(endpoint) ?? ['']);
    const isList = this.lists.has(`${endpoint} ${place}`);
    const hasPages = ['E2', 'E4', 'E10', 'E12'].includes(endpoint);
    const kinds = isList && chance.happens(0.5) ? OF_LISTS : [...Object.keys(VALUES), ...CHANGES];
    const kind = hasPages && chance.below(12) === 0 ? ENDLESS : chance.pick(kinds);
    return { endpoint, place, kind, nth: chance.below(1_000), allNight: chance.happens(0.5) };
  }

  nameOf({ endpoint, place, kind, allNight }: Oddity): string {
    return `${kind} at ${endpoint} ${place === '' ? '(all of it)' : place}${allNight ? ', all night' : ', once'}`;
  }

  /** @throws Broken when the night does not publish, or the folder is not well after the next one */
  async night(oddity: Oddity, counters = oddCounters()): Promise<Ended> {
    const { trial, clock } = this;
    const { sandbox } = trial.place;
    const pulled = pulledFor(oddity.endpoint);
    // A template is read in full (E5) on the night that shows it first.
    const before = oddity.endpoint === 'E5' ? 'exports' : pulled;
    await copyData(`${trial.data}-${before}`, trial.data);
    await trial.place.configure(settingsFor(pulled));
    trial.story.length = 0;
    trial.tell(this.nameOf(oddity));
    const billsBefore = trial.bills().length;

    clock.set(NIGHTS[1]);
    let struck = 0;
    const bend: Bend =
      oddity.kind === ENDLESS
        ? endless(oddity.endpoint)
        : (endpoint, answer) => {
            if (endpoint !== oddity.endpoint || (struck > 0 && !oddity.allNight)) return answer;
            const text = broken(answer.body, oddity);
            return text === undefined ? answer : { ...answer, body: Buffer.from(text) };
          };
    sandbox.bend((endpoint, answer, query) => {
      const bent = bend(endpoint, answer, query);
      if (!bent.body.equals(answer.body)) struck++;
      return bent;
    });
    const night = await trial.run(['run']);
    sandbox.bend(undefined);
    counters.count('odd value', oddity.kind, struck);
    counters.count('odd value', `at ${oddity.endpoint}`, struck);
    trial.assert([0, 1, 3].includes(night.code ?? -1), 'the odd night ends in an undeclared way', night);
    // Without a token there is nothing to publish that was not there before.
    trial.assert(
      oddity.endpoint === 'E1' || night.stderr.includes('Published'),
      'the odd night does not publish',
      night,
    );
    trial.assert(
      !/\b(?:[A-Z]\w+ )+Error:/.test(night.stderr),
      'the odd night shows an error of the database',
      night,
    );

    const next = await this.soundNight(billsBefore);
    const bills = trial.bills().slice(billsBefore);
    trial.assert(
      new Set(bills.map(({ start }) => start)).size === bills.length,
      'a window was billed twice',
      night,
    );
    for (const command of [['doctor'], ['status']]) {
      const result = await trial.run(command);
      trial.assert(result.code === 0, `${command.join(' ')} finds something after a sound night`, result);
    }
    const published = await contents(trial.place.published);
    const rebuilt = await trial.run(['rebuild']);
    trial.assert(rebuilt.code === 0, 'the rebuild is not whole', rebuilt);
    const differing = differences(published, await contents(trial.place.published));
    trial.assert(differing.length === 0, `the rebuild differs: ${differing.join('; ')}`, next);
    return night;
  }

  /** Nights on which the service is well: nothing may be left that keeps it from being whole. */
  private async soundNight(billsBefore: number): Promise<Ended> {
    const { trial } = this;
    for (let night = 0; ; night++) {
      // What two nights have to agree on takes two.
      this.clock.set(new Date(Date.parse(NIGHTS[2]) + night * DAY_MS).toISOString());
      const result = await trial.run(['run']);
      if (result.code === 0) return result;
      trial.assert(night < 2, 'a sound night is not whole', result);
      await this.attachBilled(billsBefore);
    }
  }

  /** What a person does about exports whose id is unknown, or wrong: the service's operator names the right one. */
  private async attachBilled(billsBefore: number): Promise<void> {
    const { trial } = this;
    for (const entry of await trial.entries()) {
      const bill = trial
        .bills()
        .slice(billsBefore)
        .find(({ start, end }) => `${start}/${end}` === windowOf(entry));
      if (bill === undefined || bill.export_id === entry.exportId) continue;
      const result = await trial.run(['exports', 'decide', entry.key, '--attach', bill.export_id, '--yes']);
      trial.assert(result.code === 0, 'the right id cannot be attached', result);
    }
  }

  async end(): Promise<void> {
    await this.trial.remove();
  }
}

/** So many odd nights, from a seed on, and up to `most` while something has not happened yet; resolves with those that broke something. */
export async function oddNights(
  {
    first,
    count,
    most = count,
    workers,
  }: {
    readonly first: number;
    readonly count: number;
    readonly most?: number;
    readonly workers: number;
  },
  isWanted: (name: string) => boolean,
  say: (line: string) => void,
  counters = oddCounters(),
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let seed = first;
  let done = 0;
  const work = async (): Promise<void> => {
    const nights = await OddNights.begin();
    // A part of a name that no oddity has would be looked for for ever.
    for (const end = first + count * 10_000; counters.goesOn(done, count, most) && seed < end;) {
      const own = seed++;
      const oddity = nights.oddityOf(own);
      const what = nights.nameOf(oddity);
      if (!isWanted(what)) continue;
      done++;
      const begun = Date.now();
      try {
        const { code } = await nights.night(oddity, counters);
        say(`${own}: ${what}: ${code}, well, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        findings.push({ seed: own, what, why });
        say(`BROKEN with seed ${own}: ${what}: ${why}`);
      }
    }
    await nights.end();
  };
  await Promise.all(Array.from({ length: workers }, work));
  return findings;
}
