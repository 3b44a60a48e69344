// @module-tag long
/** A person is found, shown and erased everywhere; whoever brings the data back, it is cut again. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyData } from '../support/copies.js';
import { contents, differences, filesWith, landedPages } from '../support/contents.js';
import { NOW, Place, type Ended } from '../support/dawnload.js';
import { extended } from '../support/tags.js';

const YAML = `start_date: 2026-11-18
lookback_days: 1
reference: { opt_outs: true }
exports:
  budget: { records_per_run: 1000000, records_per_month: 1000000 }
`;

interface Row {
  readonly user_id?: string;
  readonly recipientNo?: string;
  readonly message_data?: { readonly recipientNo?: string; readonly title?: string };
}

interface Page {
  readonly data: Row[];
}

let place: Place;
let now = new Date(NOW);
let person: string;
let number: string;
const data = (): string => join(place.folder, 'data');
const base = (): string => join(place.folder, 'base');
/** The data folder after the erasure of the person. */
const erasedBase = (): string => join(place.folder, 'erased');

beforeAll(async () => {
  place = await Place.make(YAML, { eventsPerDay: 300, now: () => now });
  expect((await place.run(['run'])).code).toBe(0);
  [person, number] = await somebody();
  await copyData(data(), base());
  expect((await forget('--user-id', person, '--yes')).code).toBe(0);
  await copyData(data(), erasedBase());
}, 120_000);

async function begin(folder: string): Promise<void> {
  await copyData(folder, data());
}

beforeEach(() => begin(base()));

afterAll(() => place.remove());

/** The journal and its second copy are gone. */
async function loseJournal(): Promise<void> {
  for (const name of ['ledger', 'landing/ledger']) await rm(join(data(), name), { recursive: true });
}

/** A user with texts, the most of all. */
async function somebody(): Promise<[string, string]> {
  const records = (await pages()).flatMap(({ page }) => page.data);
  const texts = records.filter(
    (one) => one.user_id !== undefined && one.message_data?.recipientNo !== undefined,
  );
  const counts = new Map<string, number>();
  for (const { user_id = '' } of texts) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  const [most = ['', 0]] = [...counts].sort(([, a], [, b]) => b - a);
  const own = texts.find((one) => one.user_id === most[0]);
  return [most[0], own?.message_data?.recipientNo ?? ''];
}

const pages = async (folder = data(), stream?: string): Promise<{ file: string; page: Page }[]> =>
  (await landedPages(folder, stream)) as { file: string; page: Page }[];

const recordsOf = (found: readonly { page: Page }[]): number =>
  found.reduce((sum, { page }) => sum + page.data.length, 0);

/** Every manifest as it is on disk. */
async function manifests(folder = data()): Promise<string[]> {
  const names = await readdir(join(folder, 'landing'), { recursive: true });
  const files = names.filter((name) => name.endsWith('pull.json')).sort();
  return Promise.all(files.map((name) => readFile(join(folder, 'landing', name), 'utf8')));
}

const leftIn = (...texts: readonly string[]): Promise<string[]> => filesWith(data(), texts);

const doctorOf = async (name: string): Promise<unknown> => {
  const { stdout } = await place.run(['doctor', '--deep', '--json']);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; verdict: string }[] };
  return checks.find((check) => check.name === name)?.verdict;
};
const forget = (...args: readonly string[]): Promise<Ended> => place.run(['forget', ...args]);
const spellings = (): string[] => [
  person,
  number,
  number.replace(/^(...)(....)(....)$/, '$1-$2-$3'),
  number.replace(/^0(..)(....)(....)$/, '+82 $1 $2 $3'),
];
const isTheirs = ({ user_id, recipientNo, message_data }: Row): boolean =>
  user_id === person || recipientNo === number || message_data?.recipientNo === number;

describe('forget', () => {
  test('cuts the records of a person out of landed pages and leaves every other record as it came', async () => {
    await begin(erasedBase());
    const before = await pages(base());
    const after = await pages();
    expect(after.map(({ file }) => file)).toEqual(before.map(({ file }) => file));
    for (const [i, { page }] of after.entries()) {
      const others = before[i]?.page.data.filter((one) => !isTheirs(one)) ?? [];
      expect(page).toEqual({ ...before[i]?.page, data: others });
    }
    const [optOuts, left] = [await pages(base(), 'opt_outs'), await pages(data(), 'opt_outs')];
    const cut = recordsOf(before) - recordsOf(after) + recordsOf(optOuts) - recordsOf(left);
    expect(cut).toBeGreaterThan(0);
    expect(await place.rows('select records from ops.erasures')).toEqual([{ records: String(cut) }]);
    // Manifests say what landed.
    expect(await manifests()).toEqual(await manifests(base()));
    expect(await doctorOf('landing zone')).toBe('ok');
  });

  test('leaves no spelling of the ids in any file, also in the text of somebody else, and says so in a receipt; with --also-service it asks the service first (E15)', async () => {
    const found = await pages();
    const [other] = found.flatMap(({ file, page }) =>
      page.data.flatMap((one, at) =>
        one.user_id !== person && one.message_data?.recipientNo === undefined ? [{ file, at, page }] : [],
      ),
    );
    const { file = '', at = 0, page = { data: [] } } = other ?? {};
    const spelled = spellings()[2] ?? '';
    const record = {
      ...page.data[at],
      message_data: { title: `친구 ${spelled} 님의 초대`, link: `app://join?from=${person}` },
    };
    const changed = { ...page, data: page.data.with(at, record) };
    await writeFile(join(data(), file), gzipSync(JSON.stringify(changed)));
    expect(await leftIn(...spellings())).not.toEqual([]);
    const { code } = await forget(
      ...['--recipient', number, '--also-service', '--yes', '--reference', 'request 7'],
    );
    expect(code).toBe(0);
    expect(place.sandbox.requests()).toMatchObject({ E15: 1 });
    expect(await leftIn(...spellings())).toEqual([]);
    // The record of somebody else stays.
    const kept = (await pages()).find((one) => one.file === file);
    const [starred, invited] = [spelled, person].map((one) => '*'.repeat(one.length));
    expect(JSON.stringify(kept?.page)).toContain(
      `친구 ${starred} 님의 초대","link":"app://join?from=${invited}`,
    );
    const receipts = join(data(), 'private', 'receipts');
    const [json = '', text = ''] = (await readdir(receipts)).sort();
    const receipt = JSON.parse(await readFile(join(receipts, json), 'utf8')) as Record<string, unknown>;
    const written = await readFile(join(receipts, text), 'utf8');
    expect(receipt['text_sha256']).toBe(createHash('sha256').update(written).digest('hex'));
    expect(receipt).toMatchObject({ reference: 'request 7', search: { left: [] } });
    expect(receipt['service_deleted_rows']).toBeTypeOf('number');
    expect(written).toContain('none found');
    expect(written).toMatch(/: 1 (row|record)$/m);
    expect(written).not.toMatch(/\b1 (rows|records|pulls)\b/);
  });

  extended('erases nothing here where the service refuses', async () => {
    place.sandbox.setFaults([
      { endpoint: 'E15', kind: 'status', status: 400, body: { data: null, error: 'Bad user' } },
    ]);
    const { code, stderr } = await forget('--user-id', person, '--also-service', '--yes');
    place.sandbox.setFaults([]);
    expect(code).toBe(1);
    expect(stderr).toContain('The service did not delete these persons (E15)');
    expect(await pages()).toEqual(await pages(base()));
  });

  test('leaves a warehouse equal to one that is rebuilt from the landing zone without the person', async () => {
    await begin(erasedBase());
    const erased = await contents(place.published);
    expect(await place.rows(`select count(*) as n from events where user_id = '${person}'`)).toEqual([
      { n: '0' },
    ]);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(differences(erased, await contents(place.published))).toEqual([]);
    expect((await place.run(['doctor', '--deep'])).stdout).not.toMatch(/damaged/);
  });

  test('asks nothing of the service, and is no lack of the paid exports: the next night pays for its own day, and nobody has to decide', async () => {
    const users = (await pages()).flatMap(({ page }) => page.data.flatMap(({ user_id }) => user_id ?? []));
    const some = [...new Set(users)].slice(0, 30);
    const list = join(place.folder, 'persons.txt');
    await writeFile(list, some.map((user) => `user_id ${user}\n`).join(''));
    const requests = place.sandbox.requests();
    expect((await forget('-f', list, '--yes')).code).toBe(0);
    expect(place.sandbox.requests()).toEqual(requests);
    now = new Date(Date.parse(NOW) + 86_400_000);
    const night = await place.run(['run'], { DAWNLOAD_NOW: now.toISOString() });
    now = new Date(NOW);
    expect(night.stderr).not.toMatch(/may lack|events_agree|unusual/);
    expect(night.code).toBe(0);
    expect(place.sandbox.requests().E20).toBe(requests.E20 + 1);
    expect(await leftIn(...some)).toEqual([]);
  });

  test('shows everything as JSON, counts it, and changes nothing', async () => {
    const { stdout, code } = await forget('--user-id', person, '--show');
    expect(code).toBe(0);
    const shown = JSON.parse(stdout) as { warehouse: Record<string, Row[]>; landing: { own: boolean }[] };
    const held = (await pages()).flatMap(({ page }) => page.data.filter((one) => one.user_id === person));
    expect(shown.warehouse['events']).toHaveLength(held.length);
    const counted = await forget('--user-id', person, '--dry-run', '--json');
    expect(JSON.parse(counted.stdout)).toMatchObject({ landing: { records: held.length } });
    expect(
      differences(await contents(place.published), await contents(join(base(), 'warehouse.duckdb'))),
    ).toEqual([]);
    expect(await pages()).toEqual(await pages(base()));
  });

  test('says that nothing is held of somebody who is nowhere', async () => {
    const { code, stdout, stderr } = await forget('--user-id', 'nobody-at-all', '--show');
    expect([code, stderr]).toEqual([0, expect.stringContaining('No data about them was found.')]);
    expect(JSON.parse(stdout)).toEqual({ ids: [], warehouse: {}, landing: [] });
  });

  test('does nothing without a yes, and names what is wrong with an id', async () => {
    expect(await forget('--user-id', person)).toMatchObject({ code: 3 });
    // An id that was cut from CSV, whose lines end in CR LF.
    expect(await forget('--user-id', `${person}\r`, '--yes')).toMatchObject({ code: 2 });
    expect((await forget()).stderr).toContain('No person was given');
    for (const [option, value, needs] of [
      ['--recipient', 'somebody', 'a telephone number, such as 010-1234-5678'],
      ['--email', 'somebody', 'an e-mail address, such as kim@example.com'],
    ] as const)
      expect(await forget(option, value)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${option} needs ${needs}.`) as string,
      });
    const wide = number.replaceAll(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    for (const spelled of [wide, number.replace(/^(...)(....)/, '($1) $2–')])
      expect((await forget('--recipient', spelled, '--dry-run')).stdout).toContain('warehouse, events');
    expect(await pages()).toEqual(await pages(base()));
  });
});

extended('erases while the journal lacks the exports, and the night after is published', async () => {
  await loseJournal();
  const erased = await forget('--user-id', person, '--yes');
  expect([erased.code, erased.stderr]).toEqual([0, expect.stringContaining('The receipt is')]);
  expect((await place.run(['recover', '--yes'])).code).toBe(0);
  const run = await place.run(['run']);
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('Published')]);
});

test('records nothing where the published file cannot be replaced', async () => {
  const published = join(data(), 'warehouse.duckdb');
  await rename(published, `${published}.real`);
  await symlink(`${published}.real`, published);
  const refused = await forget('--user-id', person, '--yes');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is a link to')]);
  expect(existsSync(join(data(), 'private', 'erasing.json'))).toBe(false);
  expect(await readFile(join(data(), 'ledger', 'journal.jsonl'), 'utf8')).not.toContain('"kind":"erase"');
});

describe('what arrives after an erasure', () => {
  test(
    'is cut when an older copy of the landing zone is put back, and counted',
    { tags: ['extended'] },
    async () => {
      await begin(erasedBase());
      const erased = await contents(place.published);
      await rm(join(data(), 'landing', 'events'), { recursive: true });
      await cp(join(base(), 'landing', 'events'), join(data(), 'landing', 'events'), {
        recursive: true,
        preserveTimestamps: true,
      });
      expect((await place.run(['run'])).code).toBe(0);
      expect(await leftIn(person)).toEqual([]);
      expect(differences(erased, await contents(place.published))).toEqual([]);
      const [{ late }] = (await place.rows('select late_records > 0 as late from ops.erasures')) as [
        { late: boolean },
      ];
      expect(late).toBe(true);
    },
  );

  extended(
    'loads and is cut again where a process was killed between two pages, which no look goes on with, and where an older copy of a page comes back',
    async () => {
      const before = await pages();
      const optOuts = await pages(data(), 'opt_outs');
      const killed = await place.dying(['forget', '--user-id', person, '--yes'], {
        DAWNLOAD_CRASH_AT: 'erasures/page/durable',
      });
      expect(killed.signal).toBe('SIGKILL');
      const cut = (await pages()).filter(({ page }, at) => page.data.length !== before[at]?.page.data.length);
      expect(cut).toHaveLength(1);
      for (const look of ['--show', '--dry-run']) {
        const { code, stdout, stderr } = await forget('--user-id', person, look);
        expect([code, stdout, stderr]).toEqual([
          3,
          '',
          expect.stringContaining('An earlier erasure is unfinished'),
        ]);
      }
      expect(await readdir(join(data(), 'private'))).not.toContain('receipts');
      const putBack = (): Promise<void> =>
        cp(join(base(), cut[0]?.file ?? ''), join(data(), cut[0]?.file ?? ''));
      // The day holds fewer records than its manifest says.
      expect((await place.run(['rebuild'])).code).toBe(0);
      await putBack();
      expect((await forget()).code).toBe(0);
      const gone =
        recordsOf(before) -
        recordsOf(await pages()) +
        recordsOf(optOuts) -
        recordsOf(await pages(data(), 'opt_outs'));
      const erased = await contents(place.published);
      await putBack();
      expect((await place.run(['run'])).code).toBe(0);
      expect(await leftIn(...spellings())).toEqual([]);
      expect(differences(erased, await contents(place.published))).toEqual([]);
      expect(await place.rows('select records from ops.erasures')).toEqual([{ records: String(gone) }]);
      expect(await doctorOf('landing zone')).toBe('ok');
    },
  );

  test(
    'stops the run each time the journal lacks the erasure, until recover enters it from the warehouse, and where an older journal was restored',
    { tags: ['extended'] },
    async () => {
      await begin(erasedBase());
      const erased = await contents(place.published);
      await cp(join(data(), 'ledger'), join(data(), 'backup'), { recursive: true });
      const recovers = async (): Promise<void> => {
        expect((await place.run(['recover', '--yes'])).code).toBe(0);
        expect((await place.run(['run'])).code).toBe(0);
      };
      await loseJournal();
      await cp(join(base(), 'landing', 'events'), join(data(), 'landing', 'events'), { recursive: true });
      for (const command of [
        ['run'],
        ['rebuild'],
        ['push', 'user-properties', '--sql', 'select 1 as user_id'],
      ])
        expect((await place.run(command)).code, command[0]).toBe(1);
      expect(differences(erased, await contents(place.published))).toEqual([]);
      await recovers();
      expect(await leftIn(person)).toEqual([]);
      expect(await place.rows('select count(*)::int as n from ops.erasures')).toEqual([{ n: 1 }]);
      await loseJournal();
      await recovers();
      // Older than the second copy of the journal.
      await rm(join(data(), 'ledger'), { recursive: true });
      await rename(join(data(), 'backup'), join(data(), 'ledger'));
      await recovers();
      expect(await leftIn(person)).toEqual([]);
    },
  );

  extended(
    'stops the run where only the witness knows the erasure, until the journal is restored',
    async () => {
      await begin(erasedBase());
      await cp(join(data(), 'ledger'), join(data(), 'backup'), { recursive: true });
      await loseJournal();
      for (const name of ['warehouse.duckdb', 'private/warehouse.duckdb']) await rm(join(data(), name));
      for (const command of [['run'], ['rebuild'], ['recover', '--yes']]) {
        const { code, stderr } = await place.run(command);
        expect(code, command[0]).toBe(1);
        expect(stderr).toContain('Erased persons could come back');
      }
      await rm(join(data(), 'ledger'), { recursive: true });
      await rename(join(data(), 'backup'), join(data(), 'ledger'));
      expect((await place.run(['recover', '--yes'])).code).toBe(0);
      expect((await place.run(['run'])).code).toBe(0);
      expect(await leftIn(person)).toEqual([]);
    },
  );

  extended('ends with a stopped erasure whose journal was lost: recover enters it again', async () => {
    const args = ['forget', '--user-id', person, '--yes'];
    const killed = await place.dying(args, { DAWNLOAD_CRASH_AT: 'erasures/page/durable' });
    expect(killed.signal).toBe('SIGKILL');
    await loseJournal();
    expect((await place.run(['run'])).stderr).toContain('Erased persons could come back');
    expect((await place.run(['recover', '--yes'])).code).toBe(0);
    // The journal does not know any more which pages were cut, so the days are loaded again from what is left.
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect((await place.run(['forget'])).code).toBe(0);
    expect((await place.run(['run'])).code).toBe(0);
    expect(await leftIn(person)).toEqual([]);
    expect(await doctorOf('erasures')).toBe('ok');
  });

  extended('is not taken for the erasure of somebody else, the record of which was damaged', async () => {
    const other = (await pages()).flatMap(({ page }) => page.data).find((one) => one.user_id !== person);
    const killed = await place.dying(['forget', '--user-id', person, '--yes'], {
      DAWNLOAD_CRASH_AT: 'journal/erase/begun/durable',
    });
    expect(killed.signal).toBe('SIGKILL');
    await writeFile(join(data(), 'private', 'erasing.json'), '');
    expect(await forget('--user-id', other?.user_id ?? '', '--yes')).toMatchObject({ code: 0 });
    expect(await leftIn(person)).toEqual([]);
    expect(await doctorOf('erasures')).toBe('ok');
    expect(await place.rows('select count(*)::int as n from ops.erasures')).toEqual([{ n: 2 }]);
    // An older copy comes back: whoever the register names is cut, also without the record.
    await cp(join(base(), 'landing', 'events'), join(data(), 'landing', 'events'), { recursive: true });
    expect((await place.run(['run'])).code).toBe(0);
    expect(await leftIn(other?.user_id ?? '')).toEqual([]);
    expect(await forget('--user-id', person, '--yes')).toMatchObject({ code: 0 });
    expect(await doctorOf('erasures')).toBe('ok');
  });

  test('is cut when an older copy is moved back, whose times are older than the erasure', async () => {
    await begin(erasedBase());
    // As a folder that was on the same disk all the time: no file of it changes when it is moved.
    const [events, older] = [join(data(), 'landing', 'events'), join(place.folder, 'older')];
    await rm(older, { recursive: true, force: true });
    await cp(join(base(), 'landing', 'events'), older, { recursive: true, preserveTimestamps: true });
    expect((await place.run(['run'])).code).toBe(0);
    await rm(events, { recursive: true });
    await rename(older, events);
    expect((await place.run(['rebuild'])).code).toBe(0);
    expect(await leftIn(person)).toEqual([]);
  });

  extended('is searched for behind links too, wherever the landing zone is', async () => {
    const elsewhere = join(place.folder, 'elsewhere');
    await rm(elsewhere, { recursive: true, force: true });
    await rename(join(data(), 'landing'), elsewhere);
    await symlink(elsewhere, join(data(), 'landing'));
    const rejected = join(elsewhere, 'rejected', '2026-11-20');
    await mkdir(rejected, { recursive: true });
    await writeFile(join(rejected, 'mine.gz'), gzipSync(`an answer about ${person}`));
    const { code } = await forget('--user-id', person, '--yes');
    expect(code).toBe(0);
    expect(existsSync(join(rejected, 'mine.gz'))).toBe(false);
  });

  test('is not recognized by a new key, which is therefore never made', async () => {
    await begin(erasedBase());
    const key = join(data(), 'private', 'hmac.key');
    await rm(key);
    const run = await place.run(['run']);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('another key')]);
    // The journal lacks nothing, and yet nothing works.
    const asked = await place.run(['recover', '--yes']);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Restore private/hmac.key')]);
    for (const part of ['ledger', join('landing', 'ledger')])
      await rm(join(data(), part), { recursive: true });
    const recovered = await place.run(['recover', '--yes']);
    expect([recovered.code, recovered.stderr]).toEqual([2, expect.stringContaining('another key')]);
    expect(existsSync(key)).toBe(false);
    await cp(join(base(), 'private', 'hmac.key'), key);
    expect((await place.run(['recover', '--yes'])).code).toBe(0);
    expect((await place.run(['run'])).code).toBe(0);
    expect(await leftIn(person)).toEqual([]);
  });
});

extended(
  'a device that more than three persons share is not followed where only landed pages tell who shares it',
  async () => {
    const owners = new Set<string>();
    for (const { file, page } of await pages()) {
      const records = page.data.map((one) => {
        const { user_id = '', message_data } = one;
        if (message_data?.recipientNo !== undefined || owners.has(user_id)) return one;
        if (user_id !== person && owners.size >= 5) return one;
        owners.add(user_id);
        return { ...one, device_id: 'tablet-000001' };
      });
      await writeFile(join(data(), file), gzipSync(JSON.stringify({ ...page, data: records })));
    }
    expect(owners.has(person)).toBe(true);
    const own = (await pages()).flatMap(({ page }) => page.data.filter((one) => one.user_id === person));
    await place.configure(`${YAML}privacy: { recipients: drop }\n`);
    expect((await place.run(['rebuild'])).code).toBe(0);
    const counted = await forget('--recipient', number, '--dry-run', '--json');
    await place.configure(YAML);
    expect(JSON.parse(counted.stdout)).toMatchObject({ landing: { records: own.length } });
  },
);

extended(
  'a page with half of a surrogate pair, which DuckDB rejects, is searched and cut, and the half stays',
  async () => {
    const half = String.raw`\ud83d`;
    for (const { file, page } of await pages()) {
      const other = new RegExp(`"user_id":"(?!${person}")[^"]+`);
      await writeFile(join(data(), file), gzipSync(JSON.stringify(page).replace(other, `$&${half}`)));
    }
    const ended = await forget('--user-id', person, '--yes', '--json');
    expect(ended.code, ended.stderr).toBe(0);
    const left = await pages();
    const others = (await pages(base())).flatMap(({ page }) => page.data.filter((one) => !isTheirs(one)));
    expect(recordsOf(left)).toBe(others.length);
    expect(left.flatMap(({ page }) => page.data.filter(isTheirs))).toEqual([]);
    expect(JSON.stringify(left)).toContain(half);
  },
);

extended(
  'an id in decomposed Hangul is found by its composed form, and one that is an address in the text of somebody else, however it is written there',
  async () => {
    const [theirs, others, address] = ['회원-김민수', '회원-김민', 'kim.minsu@mail.example'];
    const users = new Set((await pages()).flatMap(({ page }) => page.data.map(({ user_id }) => user_id)));
    const names = new Map<unknown, string>(
      [...users]
        .filter((user) => user !== undefined)
        .slice(0, 3)
        .map((user, nth) => [user, [theirs.normalize('NFD'), others.normalize('NFD'), address][nth] ?? '']),
    );
    let mentions = 0;
    for (const { file, page } of await pages()) {
      const records = page.data.map((one) => {
        const name = names.get(one.user_id);
        if (name !== undefined) return { ...one, user_id: name };
        if (one.message_data?.title === undefined) return one;
        mentions++;
        return { ...one, message_data: { ...one.message_data, title: '친구 Kim.Minsu%40MAIL.example' } };
      });
      await writeFile(join(data(), file), gzipSync(JSON.stringify({ ...page, data: records })));
    }
    expect(mentions).toBeGreaterThan(0);
    expect((await place.run(['rebuild'])).code).toBe(0);
    // The warehouse holds ids composed; the landed pages stay as they came.
    const held = `select count(*)::int as n from events where user_id in ('${theirs}', '${others}')`;
    expect(await place.rows(held)).not.toEqual([{ n: 0 }]);
    expect(await place.rows('select 1 from events where user_id <> nfc_normalize(user_id)')).toEqual([]);
    const persons = join(place.folder, 'persons');
    await writeFile(persons, `user_id ${theirs}\nuser_id ${address}\n`);
    const ended = await forget('-f', persons, '--yes', '--json');
    expect(ended.code, ended.stderr).toBe(0);
    const ids = (await pages()).flatMap(({ page }) => page.data.map(({ user_id }) => user_id));
    expect(ids).not.toContain(theirs.normalize('NFD'));
    expect(ids).toContain(others.normalize('NFD'));
    expect(await place.rows(`select 1 from events where nfc_normalize(user_id) = '${theirs}'`)).toEqual([]);
    expect(await leftIn(address, 'Kim.Minsu%40MAIL.example')).toEqual([]);
  },
);
