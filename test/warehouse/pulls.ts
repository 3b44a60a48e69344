/** Any pulls of the four streams of days, for properties that hold in any order of loading. */
import fc from 'fast-check';
import type { Pull } from '../../src/landing/landing-zone.js';
import { micros, record, statistic, type Row, type Workshop } from './support.js';

export const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20'] as const;
const DAY = DAYS[2];
const day = fc.constantFrom(...DAYS);
const sent = fc.constantFrom(0, 3, 10);

/** Answers may lose rows or whole days, so that some are held back, and some believed the next night. */
export const anyPull = fc.oneof(
  fc.record({
    stream: fc.constant('statistics' as const),
    days: fc.tuple(day, day),
    rows: fc.array(
      fc.record({
        date: day,
        channel: fc.constantFrom('email', 'webhook'),
        message_sent: sent,
        conversion: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), count: fc.nat(2) }), {
          maxLength: 2,
        }),
      }),
      { maxLength: 4 },
    ),
  }),
  fc.record({
    stream: fc.constant('subchannels' as const),
    day,
    rows: fc.array(fc.record({ resource_id: fc.constantFrom('a', 'b'), message_sent: sent }), {
      maxLength: 2,
    }),
  }),
  fc.record({
    stream: fc.constant('campaigns' as const),
    days: fc.tuple(day, day),
    complete: fc.boolean(),
    gone: fc.subarray(['c1', 'c2']),
    campaigns: fc.dictionary(
      fc.constantFrom('c1', 'c2'),
      fc.array(fc.record({ date: day, count: fc.nat(3) }), { maxLength: 3 }),
    ),
  }),
  fc.record({
    stream: fc.constant('events' as const),
    day,
    records: fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        event_name: fc.constantFrom('send_success', 'push_click'),
        second: fc.constantFrom(0, 1, 86_400, 86_401),
        message: fc.constantFrom(null, 'x', 'y'),
        channel: fc.constantFrom('push-notification', 'chatapp-alimtalk', 'webhook'),
      }),
      { maxLength: 5 },
    ),
  }),
);

export type Given = typeof anyPull extends fc.Arbitrary<infer T> ? T : never;

/** Only keys that the channel knows: of a message that moves to another export, the drift stays where it was told. */
const MESSAGES: Readonly<Record<string, (text: string) => Row>> = {
  'push-notification': (text) => ({ title: text }),
  'chatapp-alimtalk': (text) => ({ content: text, buttons: [{ name: text }] }),
  webhook: (text) => ({ url: text, data: text }),
};

/** Pulls of those answers, one each night. */
export function pullsOf(workshop: Workshop, given: readonly Given[], accepted = false): Pull[] {
  return given.map((one, night): Pull => {
    const pulledAt = new Date(Date.parse('2026-11-21T22:10:00Z') + night * 86_400_000);
    const when = { pulledAt, accepted };
    const [start = DAY, end = DAY] = 'days' in one ? [...one.days].sort() : [one.day, one.day];
    switch (one.stream) {
      case 'statistics':
        return workshop.statistics(
          { start, end },
          one.rows.map((row) => statistic(row)),
          when,
        );
      case 'subchannels':
        return workshop.subchannels(
          one.day,
          one.rows.map((row) => statistic({ ...row, date: one.day })),
          when,
        );
      case 'campaigns': {
        const stats = Object.entries(one.campaigns).map(([id, counts]) => {
          const dailyCounts = counts.map((daily) => ({
            ...daily,
            dimensionCounts: [{ dimensionKey: 'k', count: daily.count }],
          }));
          return [
            id,
            { data: { stats: [{ metricName: 'send_success', dailyCounts }] }, error: null },
          ] as const;
        });
        const { complete, gone } = one;
        const more = { ...when, complete, gone: accepted ? [] : gone };
        return workshop.campaigns({ start, end }, Object.fromEntries(stats), more);
      }
      case 'events': {
        const records = one.records.map(({ second, message, ...more }) => {
          const message_data = message === null ? null : MESSAGES[more.channel]?.(message);
          return record({ ...more, time: micros(one.day, second), message_data });
        });
        return workshop.events(one.day, [records], { pulledAt });
      }
    }
  });
}
