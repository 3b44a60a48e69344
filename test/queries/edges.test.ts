/** What bundled queries make of counts that nobody expects. */
import { describe, expect, test } from 'vitest';
import { asked, micros, modelled, record, statistic, type Row } from '../warehouse/support.js';

const DAY = '2026-11-16';

test('of counts below zero there is no rank by a rate, and very large ones count', async () => {
  const workshop = await modelled((workshop) => [
    workshop.statistics(DAY, [
      statistic({ date: DAY, message_sent: 1000, message_failed: 0, click: -100 }),
      statistic({ date: DAY, campaign_id: 'c2', message_sent: 4e9, message_failed: 0, click: 4e8 }),
    ]),
  ]);
  const rows = await asked(workshop, 'top-campaigns', { measure: 'click_rate' });
  expect(rows).toMatchObject([{ campaign_id: 'c2' }]);
});

describe('ids', () => {
  const of = (id: string, ids: Row): Row =>
    record({
      id,
      user_id: null,
      service_user_id: null,
      device_id: null,
      service_device_id: null,
      time: micros(DAY, Number(id)),
      ...ids,
    });

  test('an empty id is nobody', async () => {
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [[1, 2, 3].map((n) => of(String(n), { user_id: '', device_id: `d${n}` }))]),
    ]);
    expect(await asked(workshop, 'reach')).toMatchObject([{ people_reached: '3' }]);
  });
});
