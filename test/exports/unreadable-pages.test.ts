/** One grammar: what the download takes for a page loads, and what it does not is set aside, and the other pages load. */
import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPage } from '../../src/streams/events/answer.js';
import type { Place } from '../support/dawnload.js';
import { type Ended } from '../support/dawnload.js';
import { makePlace } from '../support/place.js';
import type { Pull } from '../../src/landing/landing-zone.js';
import { dayAfter, micros, record, shared, Workshop } from '../warehouse/support.js';
import { extended, long } from '../support/tags.js';

const DAY = '2026-11-20';
const ONE = JSON.stringify(record({ id: 'one' }));
const TWO = JSON.stringify(record({ id: 'two' }));
const SOUND = `{"status":"success","data":[${ONE},${TWO}],"total_page_count":3}`;

/** Texts of a page, each with the records that both readers find; undefined where it is none for both. */
const TEXTS: readonly (readonly [what: string, text: string | Buffer, records: number | undefined])[] = [
  ['a sound page', SOUND, 2],
  ['spaces and lines around everything', JSON.stringify(JSON.parse(SOUND), null, 2), 2],
  ['a byte order mark', `\ufeff${SOUND}`, 2],
  ['an empty list', SOUND.replace(/\[\{.*\}\]/, '[]'), 0],
  ['a comma behind the last record', SOUND.replace('],"total', ',],"total'), 2],
  ['a comma behind the last key', SOUND.replace(/\}$/, ',}'), 2],
  ['both, and half an emoji', SOUND.replace('],"total', ' , ],"total').replace('"one"', '"\\ud83d"'), 2],
  ['a comma before the first record', SOUND.replace('[{', '[,{'), 2],
  ['two commas between records', SOUND.replace('},{', '},,{'), 2],
  ['a comma and no record', SOUND.replace(/\[\{.*\}\]/, '[,]'), 0],
  ['commas before the first key', SOUND.replace('{"status"', '{ , ,"status"'), 2],
  ['no comma between records', SOUND.replace('},{', '} {'), undefined],
  ['data of null', SOUND.replace(/\[\{.*\}\]/, 'null'), undefined],
  ['no data', SOUND.replace(/"data":\[\{.*\}\],/, ''), undefined],
  ['data that is an object', SOUND.replace(/\[\{.*\}\]/, ONE), undefined],
  ['data that is a text', SOUND.replace(/\[\{.*\}\]/, '"[]"'), undefined],
  ['data given twice', SOUND.replace('"data"', `"data":[${ONE}],"data"`), undefined],
  ['data given twice, once with an escape', SOUND.replace('"data"', '"d\\u0061ta":[],"data"'), undefined],
  ['data given twice, and no JSON', SOUND.replace('"data"', '"data":[01],"data"'), undefined],
  ['status given twice', SOUND.replace('"status"', '"status":"processing","status"'), undefined],
  ['an unknown key given twice', SOUND.replace('"data"', '"x":1,"x":2,"data"'), 2],
  ['an unknown key given twice, and half an emoji', SOUND.replace('"data"', '"x":1,"x":"\\ud83d","data"'), 2],
  ['a twin of data in capitals', SOUND.replace('"data"', '"Data":[1],"DATA":null,"data"'), 2],
  ['keys in capitals alone', SOUND.replace('"data"', '"DATA"'), undefined],
  ['another list called data before', SOUND.replace('"data"', '"meta":{"data":[{"a":0}]},"data"'), 2],
  ['a text that looks like the list', SOUND.replace('"data"', '"note":"\\"data\\":[1,","odd":0.1,"data"'), 2],
  ['a record that is no JSON', SOUND.replace('"one"', '01'), undefined],
  ['words of another language', SOUND.replace('"data"', '"a":None,"b":TRUE,"c":+1,"data"'), undefined],
  [
    'words that JavaScript knows',
    SOUND.replace('"one"', 'NaN').replace('"data"', '"a":-Infinity,"data"'),
    undefined,
  ],
  ['a number beyond all', SOUND.replace('"one"', '1e999'), 2],
  ['brackets that do not match', SOUND.replace('"one"', '[1}'), undefined],
  ['control characters', SOUND.replace('"one"', '"a\u0000\u0001\n"'), 2],
  ['half of an emoji in a key', SOUND.replace('"data"', '"\\udc00":1,"data"'), 2],
  ['bytes that are not UTF-8', Buffer.from(SOUND.replace('one', '\u00ff'), 'latin1'), 2],
  ['depth', SOUND.replace('"one"', '['.repeat(9_000) + ']'.repeat(9_000)), 2],
  ['a list around it', `[${SOUND}]`, undefined],
  ['two of them', `${SOUND}\n${SOUND}`, undefined],
  ['a byte behind it', `${SOUND}\u0000`, undefined],
  ['half of it', SOUND.slice(0, SOUND.length / 2), undefined],
  ['single quotes', SOUND.replaceAll('"', "'"), undefined],
];

/** An export of a sound page and of that one, which holds so many records. */
function exported(workshop: Workshop, text: string | Buffer, records: number, at = 0): Pull {
  const file = join(workshop.folder, `odd-${at}.json.gz`);
  const day = dayAfter(DAY, -at);
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const dated = bytes.toString('latin1').replaceAll(micros(DAY), micros(day));
  writeFileSync(file, gzipSync(Buffer.from(dated, 'latin1')));
  const sound = workshop.events(day, [[record({ id: 'sound', time: micros(day) })]]);
  return { ...sound, files: [...sound.files, { file, rows: records, bytes: 0 }] };
}

describe('a page is the same to the download and to the load', () => {
  const workshop = shared(async () => {
    const made = new Workshop();
    const pages = TEXTS.flatMap(([, text, records], at) =>
      records === undefined ? [] : [exported(made, text, records, at)],
    );
    await made.loadTogether(...pages);
    return made;
  });
  test.each(TEXTS.map(([what, text, records], at) => ({ what, text, records, at })))(
    '$what',
    async ({ text, records, at }) => {
      expect(readPage(Buffer.from(text), 1)?.records).toBe(records);
      const held = `select count(*) from events where export_date = '${dayAfter(DAY, -at)}'`;
      expect(await workshop.lines(held)).toEqual([String(1 + (records ?? -1))]);
      if (records !== undefined) return;
      await expect(workshop.load(exported(workshop, text, 1, at))).rejects.toThrow(
        /expected shape|not a page|not JSON|records together/,
      );
    },
  );

  extended(
    'with any bytes changed',
    async () => {
      const pieces = fc.constantFrom(
        ...'{ } [ ] " , : \\ 0'.split(' '),
        ...[' ', '\n', 'null', '"data":', '\ufeff', '\u0000', '\\ud83d'],
      );
      const changes = fc.array(fc.tuple(fc.nat(SOUND.length), fc.nat(3), pieces), {
        minLength: 1,
        maxLength: 3,
      });
      await fc.assert(
        fc.asyncProperty(changes, async (made) => {
          let text = SOUND;
          for (const [at, removed, piece] of made)
            text = text.slice(0, at) + piece + text.slice(at + removed);
          const records = readPage(Buffer.from(text), 1)?.records;
          if (records !== undefined) await workshop.load(exported(workshop, text, records));
        }),
        { numRuns: 100 },
      );
    },
    240_000,
  );
});

const YAML =
  'start_date: 2026-11-20\nlookback_days: 1\nretries: 0\n' +
  'exports:\n  budget: { records_per_run: 100000, records_per_month: 1000000 }\n  max_wait_minutes: 0\n';

/** Three pages, one of which comes as that makes it, for so many answers. */
async function night(
  odd: number,
  make: (text: string) => string | Buffer,
  { times = Infinity, yaml = YAML } = {},
): Promise<{ place: Place; run: Ended; asked: number }> {
  const place = await makePlace(yaml, { eventsPerDay: 1_900 });
  let left = times;
  let asked = 0;
  place.sandbox.bend((endpoint, answer, query) => {
    if (endpoint !== 'E21' || Number(query.get('page') ?? 0) !== odd || left-- <= 0) return answer;
    asked++;
    const made = make(answer.body.toString());
    return { ...answer, body: typeof made === 'string' ? Buffer.from(made) : made };
  });
  const run = await place.run(['run']);
  return { place, run, asked };
}

async function events(place: Place): Promise<number> {
  return Number((await place.rows('select count(*)::int as n from events'))[0]?.['n']);
}

const withoutData = (text: string): string => text.replace(/"data":\[[^]*\],"total/, '"data":null,"total');

describe('a page of a paid export that cannot be read', () => {
  extended('is set aside and named every night until a person resumes the export, at no cost', async () => {
    const { place, run } = await night(1, withoutData);
    const records = place.sandbox.bills()[0]?.records ?? 0;
    expect(await events(place)).toBe(records - 1_000);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('is loaded without page 1, which cannot be read');
    const rejected = await readdir(join(place.folder, 'data', 'landing', 'rejected'), { recursive: true });
    expect(rejected.filter((name) => /e21/i.test(name))).not.toHaveLength(0);
    const asked = place.sandbox.requests().E21;
    const next = await place.run(['run']);
    expect([next.code, next.stderr]).toEqual([1, expect.stringContaining('is loaded without page 1')]);
    expect(place.sandbox.requests().E21).toBe(asked);
    expect(await events(place)).toBe(records - 1_000);
    place.sandbox.bend(undefined);
    expect((await place.run(['exports', 'resume', '2026-11-20.1'])).code).toBe(0);
    expect(await events(place)).toBe(records);
    expect(place.sandbox.bills()).toHaveLength(1);
    expect((await place.run(['run'])).code).toBe(0);
  });

  test('is asked for as often as retries says, and noted', { tags: ['long'] }, async () => {
    const yaml = YAML.replace('retries: 0', 'retries: 1');
    const { place, run, asked } = await night(0, (text) => text.slice(0, 500), { yaml });
    expect(asked).toBe(2);
    expect(run.stderr).toContain('is loaded without page 0, which cannot be read');
    expect(await events(place)).toBe((place.sandbox.bills()[0]?.records ?? 0) - 1_000);
    const notes =
      "select subject, records::int as records from ops.load_notes where note = 'unreadable_page'";
    expect(await place.rows(notes)).toEqual([{ subject: 'page 0', records: null }]);
  });

  long('and comes whole when it is asked for again is no matter', async () => {
    const { place, run } = await night(0, withoutData, {
      times: 2,
      yaml: YAML.replace('retries: 0', 'retries: 2'),
    });
    expect(run.code).toBe(0);
    expect(await events(place)).toBe(place.sandbox.bills()[0]?.records);
  });
});
