/**
 * Catalog items in messages: a whole word of a link or text that is an item's id, of catalogs that a setting names.
 *
 * @module-tag long
 */
import { describe, expect, test } from 'vitest';
import { referenceWorkshop, type Message, type Reference } from './reference.js';
import { asked, record, Workshop, type Row } from './support.js';

const text = (id: string, body: string, more: Partial<Message> = {}): Message => ({
  id,
  at: '2026-11-10T03:00:00Z',
  recipient: 'r',
  body,
  ...more,
});

const SHOES = { catalog: 'products', id: 'shoe-1', item: { name: '운동화' }, from: '2026-11-09' };

const mentioned = async (
  reference: Reference,
  itemMentions: readonly string[] = ['products'],
): Promise<Row[]> => asked(await referenceWorkshop(reference, { itemMentions }), 'item-mentions');

describe('an item is mentioned', () => {
  test('by a whole word that is its id, of four characters at least, in a catalog that the setting names', async () => {
    const reference: Reference = {
      items: [
        SHOES,
        { catalog: 'products', id: 'abc', from: '2026-11-09' },
        { catalog: 'products', id: 'hat_22', item: { title: '모자' }, from: '2026-11-09' },
        { catalog: 'other', id: 'shoe-1', from: '2026-11-09' },
      ],
      messages: [
        text('link', '보기: https://shop.example/p/shoe-1?ref=abc'),
        text('twice', 'shoe-1, shoe-1과 hat_22'),
        text('longer', 'shoe-10 xshoe-1 shoe-1-red SHOE-1 hat-22'),
        text('failed', 'shoe-1', { event: 'send_failure', campaign: 'c2' }),
        text('link', '', { event: 'text_click', at: '2026-11-14T03:00:00Z' }),
        text('link', '', { event: 'text_click', at: '2026-11-18T03:00:00Z' }),
      ],
    };
    const rows = await mentioned(reference);
    expect(rows.map((row) => [row['item_id'], row['item_name'], row['sent'], row['clicked']])).toEqual([
      ['shoe-1', '운동화', '3', '1'],
      ['hat_22', '모자', '1', '0'],
    ]);
    // Of three messages one failed.
    expect(rows[0]).toMatchObject({ catalog_name: 'products', click_rate: 0.5, campaigns_and_journeys: '2' });
    expect(await mentioned(reference, [])).toEqual([]);
    expect(await mentioned(reference, ['products', 'other'])).toHaveLength(3);
  });

  test('if the catalog had it on the day of the message, or in its first snapshot', async () => {
    const days = ['2026-11-01', '2026-11-09', '2026-11-11', '2026-11-12'];
    const workshop = await referenceWorkshop(
      {
        items: [
          { ...SHOES, to: '2026-11-10' },
          { catalog: 'products', id: 'boots', from: '2026-11-12' },
        ],
        messages: days.map((day) => text(day, 'shoe-1 boots', { at: `${day}T03:00:00Z` })),
      },
      { itemMentions: ['products'] },
    );
    await workshop.change(
      `insert into ops.snapshots (stream, list, date) values
         ('catalogs', 'products', '2026-11-09'), ('catalogs', 'products', '2026-11-10'),
         ('catalogs', 'products', '2026-11-12'), ('catalogs', 'other', '2026-11-11');
       delete from ops.models where relation = 'marts.daily_item_mentions'`,
    );
    await workshop.with((warehouse) => warehouse.model());
    expect(
      await workshop.look(
        'select date::varchar as date, item_id from marts.daily_item_mentions order by all',
      ),
    ).toEqual([
      { date: '2026-11-01', item_id: 'shoe-1' },
      { date: '2026-11-09', item_id: 'shoe-1' },
      // Nothing was read that night: the snapshot before it tells.
      { date: '2026-11-11', item_id: 'shoe-1' },
      { date: '2026-11-12', item_id: 'boots' },
    ]);
  });

  test(
    'in whatever a message carries: titles, links, buttons, shared contents',
    { tags: ['long'] },
    async () => {
      const day = '2026-11-20';
      const workshop = new Workshop({ itemMentions: ['products'] });
      const shapes: Record<string, Row> = {
        'push-notification': { title: '보기', body: 'item-body', link: 'app://p/item-link' },
        email: { title: 'item-subject', body: { html: '<a href="https://s.example/item-html">', text: 'x' } },
        'chatapp-friendtalk': {
          content: '보기',
          buttons: [{ ordering: 1, type: 'WL', name: '보기', linkMo: 'https://s.example/item-button' }],
        },
        'in-app-message': { content: '보기', imageUrl: 'https://s.example/item-image' },
      };
      await workshop.load(
        workshop.events(day, [
          Object.entries(shapes).map(([channel, message_data]) =>
            record({ id: channel, channel, message_data }),
          ),
        ]),
      );
      const ids = [
        'item-body',
        'item-link',
        'item-subject',
        'item-html',
        'item-button',
        'item-image',
        'item-none',
      ];
      await workshop.change(
        ids
          .map(
            (id) => `insert into catalog_items_history values ('products', '${id}', '{}', '${day}', null);`,
          )
          .join(''),
      );
      await workshop.with((warehouse) => warehouse.model());
      const rows = await workshop.look('select item_id from marts.daily_item_mentions order by all');
      expect(rows.map(({ item_id }) => item_id)).toEqual(ids.filter((id) => id !== 'item-none').toSorted());
    },
  );
});

test(
  'a changed setting, and the first snapshot of a catalog, look at all days again',
  { tags: ['long'] },
  async () => {
    const messages = [text('m', 'shoe-1')];
    const workshop = await referenceWorkshop({ messages }, { itemMentions: ['products'] });
    const model = (itemMentions: readonly string[]): Promise<Row[]> => {
      const again = new Workshop({ itemMentions, path: workshop.path });
      return again
        .with(async (warehouse) => {
          await warehouse.model();
          await warehouse.check();
        })
        .then(() => workshop.look('select item_id from marts.daily_item_mentions'));
    };
    expect(await model(['products'])).toEqual([]);
    await workshop.change(
      `insert into catalog_items_history values ('products', 'shoe-1', '{}', '2026-11-21', null)`,
    );
    expect(await model(['products'])).toEqual([{ item_id: 'shoe-1' }]);
    expect(await model([])).toEqual([]);
    expect(await model(['products'])).toEqual([{ item_id: 'shoe-1' }]);
  },
);
