/** Root in the data folder of another account: nothing is written where this account could not read it. */
import { existsSync } from 'node:fs';
import { chown, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Accounts } from '../../src/ground/effects.js';
import { OtherAccountError } from '../../src/ground/errors.js';
import { assertAccount } from '../../src/landing/account.js';
import { ended } from '../support/dawnload.js';
import { testEffects } from '../landing/support.js';
import { ends, Hook, makePlace } from '../support/place.js';

/** The account of the process, the owner of the folder, and the owner of what is made there. */
type Staged = readonly [own: number | undefined, owner: number, made: number | undefined];

const accountsOf = ([own, owner, made]: Staged): Accounts => ({
  own: () => own,
  ownerOf: () => Promise.resolve(owner),
  ownerOfNew: () => Promise.resolve(made),
  nameOf: (account) => Promise.resolve(account === 1_000 ? 'dawnload' : `#${account}`),
});

const attempt = (staged: Staged, flags = {}): Promise<void> =>
  assertAccount(
    { dataDir: '/nowhere/data' },
    { effects: { ...testEffects(), accounts: accountsOf(staged) }, flags },
    'exports decide',
  );

test.each<[string, Staged]>([
  ['an account in its own folder', [1_000, 1_000, 1_000]],
  ['an account in a folder of root', [1_000, 0, 1_000]],
  ['root in its own folder', [0, 0, 0]],
  ['root that a mount maps to the owner (user namespace)', [0, 1_000, 1_000]],
  ['root that a mount maps to nobody (root-squash)', [0, 1_000, 65_534]],
  ['root that may not write there', [0, 1_000, undefined]],
  ['Windows', [undefined, 0, 0]],
])('%s is not refused', async (_, staged) => {
  await attempt(staged);
});

test('root whose files stay its own is refused, with the line to use', async () => {
  const refused = await attempt([0, 1_000, 0]).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(OtherAccountError);
  expect(refused).toMatchObject({
    message: '/ belongs to dawnload, which could not read the files that root leaves there.',
    hint: 'Use `sudo -u dawnload dawnload exports decide …`. To write there as root anyway, add --allow-root.',
  });
  expect(await attempt([0, 1_234, 0]).catch((error: unknown) => error)).toMatchObject({
    message: expect.stringContaining('/ belongs to account 1234,') as string,
    hint: expect.stringContaining("`sudo -u '#1234' dawnload exports decide …`") as string,
  });
  await attempt([0, 1_000, 0], { allowRoot: true });
});

const COMMANDS = ['run', 'rebuild', 'forget --user-id user-1 --yes'];

describe.runIf(process.geteuid?.() === 0)('in fact', () => {
  test(
    'every command that writes there is refused as root, and leaves nothing',
    { tags: ['long'] },
    async () => {
      const hook = await Hook.listen();
      const place = await makePlace(
        `start_date: 2026-11-19\nlookback_days: 2\nalerts: [{ url: ${hook.url}, on: [failure] }]\n`,
      );
      const data = join(place.folder, 'data');
      expect((await place.execute(['run'])).code).toBe(0);
      // As the job would have left them, under its own account.
      for (const name of ['.', ...(await readdir(data, { recursive: true }))])
        await chown(join(data, name), 1_000, 1_000);
      const before = (await readdir(data, { recursive: true })).sort();
      for (const command of COMMANDS)
        await ends(
          place.execute(command.split(' ')),
          2,
          /belongs to (account 1000|\w+), which/,
          /Use `sudo -u \S+ dawnload /,
        );
      expect((await readdir(data, { recursive: true })).sort()).toEqual(before);
      for (const name of before) expect((await stat(join(data, name))).uid).toBe(1_000);
      // The failure of the night is told all the same.
      expect(hook.take()).not.toEqual([]);
      // Readers write nothing.
      await ends(place.execute(['query', '--sql', 'select 1']), 0);
      await ends(place.execute(['run', '--allow-root']), 0);
    },
  );

  test('a folder that is not there yet counts by the one that it would be in', async () => {
    const place = await makePlace('start_date: 2026-11-19\nlookback_days: 2\n');
    await chown(place.folder, 1_000, 1_000);
    await ends(ended(place.start(['run'])), 2, 'belongs to', 'sudo -u');
    expect(existsSync(join(place.folder, 'data'))).toBe(false);
  });
});
