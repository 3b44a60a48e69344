/** One push from the built command to the service: its plan, a row that cannot be sent, and the same push again. */
import { expect, test } from 'vitest';
import { published, push, written } from './support.js';
import { ends } from '../support/place.js';

test('a push sends the rows that can be sent, names the others, and sends nothing twice', async () => {
  const place = await published();
  try {
    const sql = "select 'one-' || i as user_id, if(i = 1, 'nan'::double, 2) as score from range(3) as r(i)";
    await ends(
      push(place, 'user-properties', '--sql', sql),
      1,
      /Pushed 2 rows to user-properties in 1 call .*1 rejected \(1 × score: /,
    );
    const again = JSON.parse(
      (await push(place, 'user-properties', '--sql', sql, '--json')).stdout,
    ) as unknown;
    expect(again).toMatchObject({ unchanged: 2, sent: 0, rejected: 1 });
    const sent = written(place).users.filter(({ userId }) => userId.startsWith('one-'));
    expect(sent.map(({ userId }) => userId).sort()).toEqual(['one-0', 'one-2']);
  } finally {
    await place.remove();
  }
});
