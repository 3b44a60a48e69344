/** A person is cut out of a page that is too large to be read at once, and nobody else. */
import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { Erasures } from '../../src/erasure/landed.js';
import { Register } from '../../src/erasure/register.js';
import { Journal } from '../../src/journal/journal.js';
import { LandingZone } from '../../src/landing/landing-zone.js';
import { readWhole } from '../../src/landing/page-file.js';
import { limitsOf } from '../../src/warehouse/memory-limit.js';
import { hashingSession } from '../../src/warehouse/warehouse.js';
import { keyFingerprint } from '../../src/warehouse/privacy.js';
import { dataFolder, testEffects } from '../landing/support.js';
import { micros, record, temporaryFolder } from '../warehouse/support.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-20';

long('a person is cut out of a page of 20 MB', async () => {
  const [data, tempDirectory, key] = [await dataFolder(), temporaryFolder(), randomBytes(16)];
  const effects = testEffects();
  const journal = await Journal.open({ dataDir: data }, effects);
  const landing = await LandingZone.open(data, effects, () => journal.head);
  const records = Array.from({ length: 300 }, (_, nth) =>
    record({
      id: `e${nth}`,
      channel: 'text-message',
      time: micros(DAY),
      message_data: {
        recipientNo: nth % 100 === 99 ? '01012345678' : `0109${String(nth).padStart(7, '0')}`,
        body: '가'.repeat(23_000),
      },
    }),
  );
  const body = Buffer.from(JSON.stringify({ status: 'success', data: records, total_page_count: 1 }));
  const writer = await landing.reading({ day: DAY, key: `${DAY}.1`, exportId: 'x' });
  const page = await writer.land(body, 300, 0);
  expect(page.bytes).toBeGreaterThan(2 ** 24);
  const pull = await writer.finish([page], { exportId: 'x' }, effects.now());
  const register = new Register(journal, keyFingerprint(key));
  const erasures = new Erasures(
    { dataDir: data, tempDirectory, key, limits: limitsOf({}) },
    register,
    effects,
    () => hashingSession({ brand: 'service', messenger: 'chatapp', fields: [] }, key, tempDirectory),
  );
  const digest = createHmac('sha256', key).update('01012345678').digest('hex');
  const line = await erasures.begin({ origins: [digest], ids: [digest] });
  await erasures.guard([pull]);
  expect(await erasures.cutBy(line)).toEqual({ records: 3, pulls: 1 });
  const left: unknown = JSON.parse((await readWhole(page.file)).toString());
  expect(left).toEqual({
    status: 'success',
    data: records.filter((_, nth) => nth % 100 !== 99),
    total_page_count: 1,
  });
  expect(readdirSync(tempDirectory).filter((name) => name.startsWith('sliced'))).toEqual([]);
});
