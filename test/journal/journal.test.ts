import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, link, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError, DamageError, StorageError, UsageError } from '../../src/ground/errors.js';
import { ERASE } from '../../src/erasure/register.js';
import { EXPORT } from '../../src/exports/export.js';
import { doubtFrom } from '../../src/journal/doubt.js';
import { erasureNamed, Journal, PROJECT, RUN } from '../../src/journal/journal.js';
import { readWitness } from '../../src/journal/witness.js';
import { instantName } from '../../src/disk/paths.js';
import { PUSH, pushesOf } from '../../src/push/ledger.js';
import { dataFolder, filesBelow, rejection, testEffects } from '../landing/support.js';

const KEY = '2026-11-20.1';

/** A folder whose journal holds a project, a run, and an export that was requested. */
async function written() {
  const dataDir = await dataFolder();
  const effects = testEffects();
  const journal = await Journal.open({ dataDir }, effects);
  await journal.append(PROJECT, { event: 'made', folder: 'f', projectId: 'p' });
  await journal.append(RUN, { event: 'begun', runId: 'r', command: 'run', version: '1', processId: 1 });
  await journal.append(EXPORT, intent(KEY));
  await journal.append(EXPORT, { event: 'requested', key: KEY, exportId: 'exp-1' });
  await journal.close();
  const path = join(dataDir, 'ledger/journal.jsonl');
  const copyPath = join(dataDir, 'landing/ledger/journal.jsonl');
  const text = await readFile(path, 'utf8');
  const reopened = (): Promise<Journal> => Journal.open({ dataDir }, effects);
  return { dataDir, effects, path, copyPath, text, lines: text.trimEnd().split('\n'), reopened };
}

function intent(key: string) {
  return {
    event: 'intended' as const,
    key,
    day: key.slice(0, 10),
    messageData: true,
    pricePerRecord: 0,
  };
}

const events = (journal: Journal): string[] => journal.of(EXPORT).map(({ event }) => event);

describe('the journal', () => {
  it('reads back what was appended, by kind, with instants as dates', async () => {
    const { reopened } = await written();
    const journal = await reopened();
    expect(journal.of(EXPORT)).toEqual([
      { ...intent(KEY), seq: 3, at: testEffects().time },
      { event: 'requested', key: KEY, exportId: 'exp-1', seq: 4, at: testEffects().time },
    ]);
    expect(journal.of(PUSH)).toEqual([]);
    // What is folded from the lines of a kind is kept as long as there is no new one: a long journal is folded once a night.
    expect(journal.of(PUSH)).toBe(journal.of(PUSH));
    expect(pushesOf(journal)).toBe(pushesOf(journal));
    expect(journal.head).toMatchObject({ seq: 4, erase: '' });
    expect(journal.lacks).toBeUndefined();
  });

  it('knows each of its lines by its checksum, and no other', async () => {
    const { lines, reopened } = await written();
    const journal = await reopened();
    for (const [nth, line] of lines.entries()) {
      const sum = /"sum":"(\w+)"/.exec(line)?.[1] ?? '';
      expect(journal.holds({ seq: nth + 1, sum }), line).toBe(true);
      expect(journal.holds({ seq: nth + 1, sum: 'x' })).toBe(false);
      expect(journal.holds({ seq: nth + 2, sum })).toBe(false);
    }
    expect(journal.holds({ seq: 0, sum: '' })).toBe(false);
  });

  it('reads back any text in any field of a line, and goes on counting', async () => {
    const { path, reopened } = await written();
    const any = fc.string({ unit: 'binary' });
    const odd = ['\u2028', '\u2029', '\u0085', '\n', '\r\n', '","sum":"', '\ud800', '\ufeff', '한국', '\0'];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(any, fc.constantFrom(...odd)), { maxLength: 6 }), async (texts) => {
        const [one = '', ...rest] = texts;
        const journal = await reopened();
        const { seq } = journal.head;
        const summary = Object.fromEntries(rest.map((text, nth) => [`${nth}${text}`, { [text]: [text] }]));
        const end = { event: 'ended' as const, runId: one, exitCode: 0, outcome: rest.join(''), summary };
        await journal.append(RUN, end);
        await journal.append(EXPORT, { event: 'attached', key: KEY, exportId: `${one}x` });
        const again = await reopened();
        expect(again.head).toMatchObject({ seq: seq + 2 });
        expect(again.lacks).toBeUndefined();
        expect(again.of(RUN).at(-1)).toMatchObject(end);
        expect(again.of(EXPORT).at(-1)).toMatchObject({ exportId: `${one}x` });
        expect(await readFile(path, 'latin1')).toMatch(/^[\n\x20-\x7e]+$/);
      }),
      { numRuns: 50 },
    );
  });

  it('refuses a file in which a proven line is no line of a journal, and changes nothing', async () => {
    const { path, copyPath, text, reopened } = await written();
    for (const odd of ['{"kind":"run","seq":0', '{"kind":"run","seq":2', '{"kind":"run","seq":"9"', '[7'])
      for (const file of [path, copyPath]) {
        await writeFile(path, text);
        await writeFile(copyPath, text);
        const begun = `${text}${odd}`;
        const sum = createHash('sha256').update(begun).digest('hex').slice(0, 32);
        await writeFile(file, `${begun},"sum":"${sum}"}\n`);
        const before = await readFile(file, 'utf8');
        expect(await rejection(reopened())).toBeInstanceOf(DamageError);
        expect(await readFile(file, 'utf8')).toBe(before);
      }
  });

  it('writes each line to its second copy, and the witness after an intent and at the close', async () => {
    const { dataDir, copyPath, text, reopened } = await written();
    expect(await readFile(copyPath, 'utf8')).toBe(text);
    const journal = await reopened();
    expect(await readWitness(dataDir)).toMatchObject({ ...journal.head, folder: 'f' });
    await journal.append(EXPORT, { event: 'processing', key: KEY });
    expect(await readWitness(dataDir)).toMatchObject({ seq: 4 });
    await journal.append(EXPORT, intent('2026-11-20.2'));
    expect(await readWitness(dataDir)).toMatchObject(journal.head);
  });

  it('writes nothing when it is read, or is not accepted', async () => {
    const { dataDir, path, copyPath, text } = await written();
    await writeFile(path, text.slice(0, -20));
    await rm(copyPath);
    const journal = await Journal.read({ dataDir }, testEffects());
    expect((await rejection(journal.confirm(9))).message).toMatch(/opened for reading/);
    const accept = (): never => {
      throw new Error('another project');
    };
    expect((await rejection(Journal.open({ dataDir }, testEffects(), accept))).message).toBe(
      'another project',
    );
    expect(await readFile(path, 'utf8')).toBe(text.slice(0, -20));
    expect(await filesBelow(join(dataDir, 'landing'))).toEqual([]);
  });

  it('refuses a line of another shape, and stays as it was', async () => {
    const { path, text, reopened } = await written();
    const journal = await reopened();
    const odd = journal.append(EXPORT, { event: 'ready', key: KEY, pages: -1 });
    expect(await rejection(odd)).toBeInstanceOf(UsageError);
    expect(await readFile(path, 'utf8')).toBe(text);
  });
});

describe('a damaged journal heals silently from its copy', () => {
  it('when its copy lags behind by a line, also for the line that the copy lacks', async () => {
    const { path, copyPath, text, lines, reopened } = await written();
    await writeFile(copyPath, `${lines.slice(0, 3).join('\n')}\n`);
    await writeFile(path, text.replace('"run"', '"ran"'));
    const journal = await reopened();
    expect(journal.lacks).toBeUndefined();
    expect(events(journal)).toEqual(['intended', 'requested']);
    expect(await readFile(copyPath, 'utf8')).toBe(text);
  });

  it('and a copy that lags, was cut or is damaged is written again', async () => {
    const { copyPath, text, lines, reopened } = await written();
    for (const content of [`${lines[0] ?? ''}\n`, text.slice(0, -5), text.replace('"p"', '"q"')]) {
      await writeFile(copyPath, content);
      expect((await reopened()).lacks).toBeUndefined();
      expect(await readFile(copyPath, 'utf8')).toBe(text);
    }
  });
});

describe('a journal that lacks lines says so, and restores what its copy holds', () => {
  it.each([
    ['is missing', undefined, /was missing/],
    ['ends two lines early', 2, /lacked 2 lines/],
    ['ends one line early', 3, /lacked 1 line\./],
  ])('when it %s', async (_, kept, why) => {
    const { path, text, lines, reopened } = await written();
    if (kept === undefined) await rm(path);
    else await writeFile(path, `${lines.slice(0, kept).join('\n')}\n`);
    const journal = await reopened();
    expect(journal.lacks).toMatch(why);
    expect(events(journal)).toEqual(['intended', 'requested']);
    // The doubt is written with the lines that were restored.
    const [restored, doubt] = (await readFile(path, 'utf8')).split(/(?<=\n)(?={"kind":"run","seq":5)/);
    expect([restored, doubt]).toEqual([text, expect.stringContaining('"event":"unsure"')]);
    expect(doubtFrom(await reopened(), [])?.why).toBe(journal.lacks);
  });

  it.each([
    ['missing', 0, 1],
    ['missing', 0, 3],
    ['shorter', 2, 1],
    ['shorter', 2, 3],
  ])('when it is %s, and its copy is damaged, which is kept', async (_, kept, damaged) => {
    const { path, copyPath, lines, effects, reopened } = await written();
    if (kept === 0) await rm(path);
    else await writeFile(path, `${lines.slice(0, kept).join('\n')}\n`);
    const copy = lines.map((line, nth) => (nth + 1 === damaged ? line.replace('"at"', '"At"') : line));
    await writeFile(copyPath, `${copy.join('\n')}\n`);
    expect((await reopened()).lacks).toMatch(/was missing|damaged, and .* lacks lines/);
    const aside = `${copyPath}.set-aside-${instantName(effects.now())}`;
    expect(await readFile(aside, 'utf8')).toBe(`${copy.join('\n')}\n`);
  });

  it('when the first line is damaged in both', async () => {
    const { path, copyPath, text, reopened } = await written();
    for (const file of [path, copyPath]) await writeFile(file, text.replace('"p"', '"q"'));
    expect((await reopened()).lacks).toMatch(/journal\.jsonl is damaged in its first line\.$/);
  });

  it('when its copy is another journal of the folder, the lines of which are kept', async () => {
    const { dataDir, path, copyPath, reopened } = await written();
    const other = await written();
    other.effects.time = new Date('2026-11-22T00:00:00Z');
    const longer = await other.reopened();
    await longer.append(EXPORT, intent('2026-11-21.1'));
    await rm(copyPath);
    const first = await reopened();
    await first.append(EXPORT, { event: 'processing', key: KEY });
    await copyFile(other.copyPath, copyPath);
    for (const _ of [1, 2]) {
      const journal = await reopened();
      expect(journal.lacks).toMatch(/different journals/);
      expect(journal.others).toHaveLength(5);
      await journal.append(RUN, { event: 'unsure', why: journal.lacks ?? '' });
    }
    expect(await readFile(copyPath, 'utf8')).toBe(await readFile(other.copyPath, 'utf8'));
    const journal = await reopened();
    expect(events(journal)).toEqual(['intended', 'requested', 'processing']);
    await journal.confirm(5);
    expect(await readFile(copyPath, 'utf8')).toBe(await readFile(path, 'utf8'));
    const aside = (await filesBelow(join(dataDir, 'landing'))).find((name) => name.includes('set-aside'));
    expect(await readFile(join(dataDir, 'landing', aside ?? ''), 'utf8')).toBe(
      await readFile(other.copyPath, 'utf8'),
    );
    expect((await reopened()).others).toEqual([]);
  });
});

describe('the journal of another data folder in the place of the copy', () => {
  /** A journal of the same project, in a folder of its own. */
  async function another() {
    const other = await written();
    for (const file of [other.path, other.copyPath]) await rm(file);
    const journal = await Journal.open({ dataDir: other.dataDir }, other.effects);
    await journal.append(PROJECT, { event: 'made', folder: 'g', projectId: 'p' });
    await journal.append(EXPORT, intent('2026-11-19.1'));
    await journal.close();
    return other;
  }

  it.each(['in the landing zone', 'where the settings say'])('is refused and kept, %s', async (where) => {
    const { dataDir, effects, copyPath, path, text } = await written();
    const other = await another();
    const theirs = await readFile(other.path);
    const ledgerCopy = where === 'in the landing zone' ? undefined : join(dataDir, '../copy.jsonl');
    const file = ledgerCopy ?? copyPath;
    await copyFile(other.path, file);
    for (const how of ['open', 'read'] as const) {
      const error = await rejection(Journal[how]({ dataDir, ledgerCopy }, effects));
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toContain('is the journal of another data folder');
    }
    // Not even after its own journal was lost.
    await rm(path);
    expect(await rejection(Journal.open({ dataDir, ledgerCopy }, effects))).toBeInstanceOf(ConfigError);
    expect(await readFile(file)).toEqual(theirs);
    await writeFile(path, text);
  });

  it('is refused in a new folder, and restored in one that the witness knows', async () => {
    const other = await another();
    const ledgerCopy = other.path;
    const fresh = await dataFolder();
    const error = await rejection(Journal.open({ dataDir: fresh, ledgerCopy }, other.effects));
    expect(error.hint).toContain(`copy it there`);
    const { dataDir, effects } = await written();
    const place = { dataDir, ledgerCopy: join(dataDir, '../copy.jsonl') };
    const journal = await Journal.open(place, effects);
    await journal.append(EXPORT, { event: 'processing', key: KEY });
    await journal.close();
    await rm(join(dataDir, 'ledger/journal.jsonl'));
    const restored = await Journal.open(place, effects);
    expect(restored.lacks).toMatch(/was missing/);
    expect(events(restored)).toEqual(['intended', 'requested', 'processing']);
  });
});

/** The name of the erasure of the id `d`. */
const NAME = erasureNamed(['d']);

describe('the heads that other files carry', () => {
  it('are known, or show that the journal was lost, until a person confirms it', async () => {
    const { dataDir, effects, path, copyPath, reopened } = await written();
    const { head } = await reopened();
    const known = [{ ...head, place: 'the witness' }];
    expect(doubtFrom(await reopened(), known)).toBeUndefined();
    await rm(path);
    await rm(copyPath);
    const empty = await Journal.open({ dataDir }, effects);
    expect(doubtFrom(empty, known)).toMatchObject({
      why: 'The journal lacks line 4, although the witness was written after it.',
      erase: undefined,
      newest: 4,
    });
    await empty.append(RUN, { event: 'unsure', why: 'It was lost.' });
    expect(doubtFrom(empty, [])?.why).toBe('It was lost.');
    expect(doubtFrom(empty, [], 'The witness is missing.')?.why).toBe('The witness is missing.');
    await empty.append(RUN, { event: 'confirmed', forgotten: 4, lost: [] }, 5);
    expect(doubtFrom(await reopened(), known)).toBeUndefined();
    expect((await reopened()).head.seq).toBe(5);
    expect(doubtFrom(await reopened(), [{ ...head, seq: 6, place: 'a manifest' }])).toBeDefined();
  });

  it('show it from the first line on, and the doubt stays whatever runs came after it', async () => {
    const { reopened } = await written();
    const journal = await reopened();
    expect(
      doubtFrom(journal, [{ seq: 1, sum: 'of another journal', erase: '', place: 'a manifest' }])?.why,
    ).toBe('The journal lacks line 1, although a manifest was written after it.');
    await journal.append(RUN, { event: 'unsure', why: 'It was lost.' });
    await journal.append(RUN, { event: 'begun', runId: 's', command: 'run', version: '1', processId: 1 });
    await journal.append(RUN, { event: 'ended', runId: 's', exitCode: 0, outcome: 'done', summary: {} });
    expect(doubtFrom(await reopened(), [])?.why).toBe('It was lost.');
  });

  it('keep an erasure missing although a person confirmed the rest', async () => {
    const { reopened } = await written();
    const journal = await reopened();
    const erased = [{ seq: 9, sum: 'x', erase: NAME, place: 'the published file' }];
    await journal.append(RUN, { event: 'confirmed', forgotten: 9, lost: [] }, 10);
    expect(doubtFrom(journal, erased)).toMatchObject({ erase: NAME });
    await journal.append(ERASE, { event: 'begun', key: 'k', persons: 1, ids: ['d'], entered: true });
    expect(doubtFrom(journal, erased)).toBeUndefined();
    expect(journal.head.erase).toBe(NAME);
  });
});

describe('an erasure that only a head knows', () => {
  it('stays known when the witness that knew it is written anew', async () => {
    const { dataDir, reopened } = await written();
    const journal = await reopened();
    await journal.append(RUN, { event: 'unsure', why: 'It was lost.', erase: NAME });
    expect(doubtFrom(await reopened(), [])).toMatchObject({ erase: NAME });
    await journal.append(RUN, { event: 'confirmed', forgotten: 9, lost: [] }, 10);
    await journal.close();
    expect(await readWitness(dataDir)).toMatchObject({ seq: 10, erase: NAME });
    expect(doubtFrom(await reopened(), [])).toMatchObject({ erase: NAME });
    await journal.append(ERASE, { event: 'begun', key: 'k', persons: 1, ids: ['d'], entered: true });
    expect(doubtFrom(await reopened(), [])).toBeUndefined();
  });

  it('has one name whatever the order of its ids, is lacked until it is entered, and counts once', async () => {
    expect(erasureNamed(['d', 'e'])).toBe(erasureNamed(['e', 'd']));
    const { reopened } = await written();
    const journal = await reopened();
    const pair = erasureNamed(['d', 'e']);
    await journal.append(RUN, { event: 'unsure', why: 'It was lost.', erase: `${NAME} ${pair}` });
    expect(journal.lackedErasures).toEqual([NAME, pair]);
    await journal.append(ERASE, { event: 'begun', key: 'k', persons: 1, ids: ['e', 'd'], entered: true });
    await journal.append(ERASE, { event: 'done', of: 6 });
    expect([journal.erasures, journal.lackedErasures]).toEqual([[pair], [NAME]]);
    expect(journal.head.erase).toBe(`${pair} ${NAME}`);
  });

  it('is not believed to a head whose line the journal holds', async () => {
    const { reopened } = await written();
    const { head } = await reopened();
    const altered = [{ ...head, erase: 'another', place: 'private/witness.json' }];
    expect(doubtFrom(await reopened(), altered)).toBeUndefined();
  });
});

describe('a disk that refuses', () => {
  it('at the copy alone does not fail the append, and the next line completes the copy', async () => {
    const { effects, path, copyPath, reopened } = await written();
    const journal = await reopened();
    let full = 1;
    effects.onReach = (point) => {
      if (point.endsWith('/copy/before-fsync') && full-- > 0)
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    await journal.append(EXPORT, { event: 'processing', key: KEY });
    await journal.append(EXPORT, { event: 'ready', key: KEY, pages: 1 });
    expect(await readFile(copyPath, 'utf8')).toBe(await readFile(path, 'utf8'));
  });
});

it('refuses a file that another process changed meanwhile', async () => {
  const { path, text, reopened } = await written();
  const journal = await reopened();
  await writeFile(path, `${text}x`);
  expect(await rejection(journal.append(EXPORT, { event: 'processing', key: KEY }))).toBeInstanceOf(
    DamageError,
  );
});

it('keeps its copy where the settings say', async () => {
  const { dataDir, effects, text } = await written();
  const ledgerCopy = join(dataDir, '../elsewhere/copy.jsonl');
  await mkdir(join(dataDir, '../elsewhere'));
  const journal = await Journal.open({ dataDir, ledgerCopy }, effects);
  expect(journal.lacks).toMatch(/copy.jsonl is missing/);
  await journal.append(EXPORT, { event: 'processing', key: KEY });
  const copied = await readFile(ledgerCopy, 'utf8');
  expect([copied.slice(0, text.length), copied.slice(text.length)]).toEqual([
    text,
    expect.stringContaining('processing'),
  ]);
});

it.each(['an old copy', 'nothing yet'])('keeps its copy behind a link that leads to %s', async (what) => {
  const { dataDir, effects, lines } = await written();
  const [ledgerCopy, real] = [join(dataDir, '../copy'), join(dataDir, '../disk/real.jsonl')];
  await mkdir(dirname(real));
  await symlink('via', ledgerCopy);
  await symlink('disk/real.jsonl', join(dataDir, '../via'));
  if (what === 'an old copy') await writeFile(real, `${lines[0]}\n`);
  const journal = await Journal.open({ dataDir, ledgerCopy }, effects);
  await journal.append(EXPORT, { event: 'processing', key: KEY });
  expect((await lstat(ledgerCopy)).isSymbolicLink()).toBe(true);
  expect(await readFile(real, 'utf8')).toBe(await readFile(journal.path, 'utf8'));
});

it.each([
  ['another file', 'notes.txt', 'notes', ConfigError],
  ['a folder', '.', undefined, StorageError],
  ['the journal itself', 'data/ledger/journal.jsonl', undefined, ConfigError],
])('refuses a place of its copy that is %s, and changes nothing', async (_, name, content, error) => {
  const { dataDir, effects } = await written();
  const ledgerCopy = join(dataDir, '..', name.replace('data', basename(dataDir)));
  if (content !== undefined) await writeFile(ledgerCopy, content);
  expect(await rejection(Journal.open({ dataDir, ledgerCopy }, effects))).toBeInstanceOf(error);
  if (content !== undefined) expect(await readFile(ledgerCopy, 'utf8')).toBe(content);
});

it.each([
  ['a pipe, as a device would be', (copy: string) => execFileSync('mkfifo', [copy])],
  ['a link to the journal', (copy: string, path: string) => symlink(path, copy)],
  ['another name of the journal', (copy: string, path: string) => link(path, copy)],
])('refuses a place of its copy that is %s, and waits for nothing', async (_, make) => {
  const { dataDir, effects, path, text } = await written();
  const ledgerCopy = join(dataDir, '../place');
  await make(ledgerCopy, path);
  expect(await rejection(Journal.open({ dataDir, ledgerCopy }, effects))).toBeInstanceOf(ConfigError);
  expect(await readFile(path, 'utf8')).toBe(text);
});

it('is not used where its copy cannot be written at all', async () => {
  const { dataDir, effects } = await written();
  await writeFile(join(dataDir, '../file'), '');
  const ledgerCopy = join(dataDir, '../file/copy.jsonl');
  const error = await rejection(Journal.open({ dataDir, ledgerCopy }, effects));
  expect(error).toBeInstanceOf(StorageError);
  expect(String(error)).toContain(ledgerCopy);
  expect(error.hint).toContain('correct ledger_copy');
});
