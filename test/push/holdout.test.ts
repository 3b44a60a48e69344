/** The groups of a holdout become properties of the users at the service, as docs/holdouts.md shows. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from '../support/dawnload.js';
import { ends } from '../support/place.js';
import { written } from './support.js';
import { answeringHere } from '../support/here.js';

answeringHere();

test('a night pushes the group of each user of a holdout, once', { tags: ['long'] }, async () => {
  const place = await Place.make(
    `start_date: 2026-11-19
lookback_days: 1
push: { rows_per_run: 1000, rows_per_month: 10000 }
tables:
  members: { from: ./members.csv, keys: { user_id: member } }
audiences: { members: { table: members, person: user_id } }
holdouts:
  c1: { audience: members, share: 30% }
  c2: { audience: members, share: 50% }
pushes:
  - { name: holdout, target: user-properties, query: holdout-members, params: { holdout: c1 } }
`,
    { eventsPerDay: 60 },
  );
  try {
    const members = Array.from({ length: 100 }, (_, n) => `m-${n}`);
    await writeFile(join(place.folder, 'members.csv'), ['member', ...members, ''].join('\n'));
    await ends(place.run(['run']), 0);
    const arms = await place.rows(
      "select user_id, arm from own.holdouts where holdout = 'c1' order by user_id",
    );
    expect(new Set(arms.map(({ arm }) => arm))).toEqual(new Set(['holdout', 'messages']));
    const sent = written(place)
      .users.filter(({ userId }) => userId.startsWith('m-'))
      .sort((one, other) => (one.userId < other.userId ? -1 : 1));
    expect(sent.map(({ userId, properties }) => ({ userId, properties }))).toEqual(
      arms.map(({ user_id: userId, arm }) => ({
        userId,
        properties: { holdout: 'c1', holdout_arm: arm },
      })),
    );
  } finally {
    await place.remove();
  }
});
