/** What bundled queries make of counts that nobody expects. */
import { describe, expect, test } from 'vitest';
import { asked, dayAfter, micros, modelled, record, statistic, type Row } from '../warehouse/support.js';

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

  test('a person is one over a chain of ids that is learned day by day', { tags: ['long'] }, async () => {
    const ids = [
      { service_device_id: 'sd1' },
      { service_device_id: 'sd1', device_id: 'd1' },
      { device_id: 'd1', user_id: 'u1' },
    ];
    const workshop = await modelled((workshop) =>
      ids.map((own, day) =>
        workshop.events(dayAfter(DAY, day), [
          [{ ...of(String(day + 1), own), time: micros(dayAfter(DAY, day)) }],
        ]),
      ),
    );
    expect(await asked(workshop, 'reach')).toMatchObject([{ people_reached: '1', messages: '3' }]);
    expect(await asked(workshop, 'event-rates')).toMatchObject([{ events: '3', users: '1' }]);
  });
});
