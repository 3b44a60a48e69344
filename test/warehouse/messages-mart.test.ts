/** `marts.messages` and `marts.person_ids`: what each person was sent, with its text and price. */
import { expect } from 'vitest';
import { KEY, micros, modelled, record, statistic } from './support.js';
import { long } from '../support/tags.js';

const DAY = '2026-11-20';
const sent = {
  service_user_id: 'null',
  device_id: '0',
  service_device_id: null,
  event_name: 'send_success',
  campaign_id: 'c1',
  time: micros(DAY, 36_000),
};

long(
  'a message has its text, its person and the price of its sub-channel; placeholders are nobody',
  async () => {
    const workshop = await modelled((workshop) => [
      workshop.events(DAY, [
        [
          record({
            ...sent,
            id: 'm1',
            user_id: 'u1',
            channel: 'text-message',
            channel_metadata: { channel_subtype: 'LMS' },
            message_data: { title: '(광고) 세일', body: '오늘만', adYn: 'Y', messageType: 'LMS' },
          }),
          // The text that is sent instead of it is no message of its own.
          record({
            ...sent,
            id: 'm2',
            user_id: 'undefined',
            channel: 'chatapp-alimtalk',
            event_name: 'send_failure',
            failure_reason: '3018',
            message_data: { templateCode: 'T1', content: '주문' },
          }),
          record({
            ...sent,
            id: 'm2',
            user_id: 'undefined',
            channel: 'chatapp-alimtalk',
            event_name: 'failover_text_message_send_success',
          }),
          record({
            ...sent,
            id: 'm3',
            user_id: 'u1',
            device_id: 'd1',
            channel: 'in-app-message',
            event_name: 'in_app_message_show',
            message_data: { content: '쿠폰' },
          }),
          record({
            ...sent,
            id: 'm3',
            user_id: 'u1',
            channel: 'in-app-message',
            event_name: 'main_button_click',
          }),
        ],
      ]),
    ]);
    await workshop.with(async (warehouse) => {
      await warehouse.note({ prices: [{ channel: 'text-message', sub_channel: 'lms', price: 28 }] });
    });
    expect(
      await workshop.lines(
        `select channel, outcome, resource_id, title, text, template, is_ad, price, failure_reason, person is not null
      from marts.messages order by event_id`,
      ),
    ).toEqual([
      'text-message | succeeded | c1 | (광고) 세일 | 오늘만 | - | true | 28 | - | true',
      'chatapp-alimtalk | failed | c1 | - | 주문 | T1 | - | - | 3018 | false',
      'in-app-message | shown | c1 | - | 쿠폰 | - | - | - | - | true',
    ]);
    expect(
      await workshop.lines(
        'select count(distinct person), kind, id from marts.person_ids group by all order by all',
      ),
    ).toEqual(['1 | device_id | d1', '1 | user_id | u1']);
    // BI tools read neither of these types.
    expect(
      await workshop.lines(
        `select table_name, column_name from duckdb_columns()
      where schema_name = 'marts' and regexp_matches(data_type, 'UBIGINT|MAP')`,
      ),
    ).toEqual([]);
  },
);

long(
  'a channel without sub-channels on a day keeps its messages; a hashed placeholder of the settings is nobody',
  async () => {
    const ids = { service_user_id: null, device_id: null, service_device_id: null };
    const workshop = await modelled(
      (workshop) => [
        workshop.statistics(DAY, [
          statistic({ channel: 'text-message' }),
          statistic({ channel: 'email', campaign_id: 'c2' }),
        ]),
        workshop.subchannels(DAY, [
          { ...statistic(), resource_id: 'c1', channel: 'text-message', channel_sub: 'Lms', message_sent: 5 },
        ]),
        workshop.events(DAY, [
          [
            record({ ...ids, id: 'm1', user_id: '0012' }),
            record({ ...ids, id: 'm2', user_id: 'Guest-User' }),
            record({ ...ids, id: 'm3', user_id: 'undefined' }),
          ],
        ]),
      ],
      {
        placeholderIds: ['Guest-User'],
        privacy: { recipients: 'keep', key: KEY, columns: [{ name: 'user_id', rule: 'hash' }] },
      },
    );
    expect(
      await workshop.lines('select event_id from marts.messages where person is not null order by all'),
    ).toEqual(['m1']);
    const prices = [
      { channel: 'text-message', sub_channel: 'lms', price: 28 },
      { channel: 'email', sub_channel: 'failover', price: 5 },
    ];
    await workshop.with((warehouse) => warehouse.note({ prices }));
    expect(
      await workshop.lines(
        'select channel, succeeded, priced, cost from marts.message_costs order by channel',
      ),
    ).toEqual(['email | 9 | 0 | -', 'text-message | 4 | 4 | 112']);
  },
);
