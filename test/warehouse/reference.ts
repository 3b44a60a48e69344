/** Warehouses with reference data, made by SQL of rows that a test names. */
import type { Day } from '../../src/ground/calendar.js';
import type { WarehouseOptions } from '../../src/warehouse/opening.js';
import { Workshop } from './support.js';
import { refreshModels } from '../../src/warehouse/models.js';

export interface Template {
  readonly kind?: 'brand' | 'alimtalk';
  readonly name: string;
  readonly id?: string;
  readonly sender?: string;
  readonly status?: string;
  readonly text?: string;
  readonly from: Day;
  readonly to?: Day;
  readonly created?: string;
}

export interface Message {
  readonly id: string;
  /** An instant. */
  readonly at: string;
  readonly recipient?: string | null;
  readonly channel?: 'text-message' | 'chatapp-alimtalk' | 'chatapp-brand-message' | 'chatapp-friendtalk';
  readonly campaign?: string;
  readonly template?: string;
  readonly sender?: string;
  readonly event?: string;
  readonly body?: string;
}

export interface OptOut {
  readonly recipient: string | null;
  readonly at: string;
  readonly number?: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly copy?: number;
}

export interface Item {
  readonly catalog: string;
  readonly id: string;
  readonly item?: Record<string, unknown>;
  readonly from: Day;
  readonly to?: Day;
}

export interface Reference {
  readonly templates?: readonly Template[];
  readonly messages?: readonly Message[];
  readonly optOuts?: readonly OptOut[];
  readonly items?: readonly Item[];
  /** KST days on which each stream has a snapshot. */
  readonly snapshots?: Readonly<Record<string, readonly Day[]>>;
  /** KST days of events held; those with messages by default. */
  readonly eventDays?: readonly Day[];
}

const quoted = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
};

function insert(table: string, rows: readonly Readonly<Record<string, unknown>>[]): string {
  return rows
    .map(
      (row) =>
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(quoted).join(', ')});`,
    )
    .join('\n');
}

/** The KST day of an instant. */
export function dayOfInstant(at: string): Day {
  return new Date(Date.parse(at) + 9 * 3_600_000).toISOString().slice(0, 10);
}

/** SQL that puts the rows into a warehouse as loads do. */
export function sqlOf({
  templates = [],
  messages = [],
  optOuts = [],
  items = [],
  snapshots = {},
  eventDays,
}: Reference): string {
  const brand = templates.filter(({ kind = 'brand' }) => kind === 'brand');
  const alimtalk = templates.filter(({ kind }) => kind === 'alimtalk');
  const held = eventDays ?? [...new Set(messages.map(({ at }) => dayOfInstant(at)))];
  const first = new Map<string, Message>();
  // What happens to a message comes with its id, and the message stands with the first of them.
  const sends = messages.filter(({ event = '' }) => !/_click$|_delivered$/.test(event));
  for (const message of sends) if (!first.has(message.id)) first.set(message.id, message);
  return [
    insert(
      'brand_templates_history',
      brand.map((one) => ({
        template_id: one.id ?? one.name,
        template_name: one.name,
        sender_key: one.sender ?? 'sender',
        content_text: one.text,
        status: one.status,
        created_at: one.created,
        valid_from: one.from,
        valid_to: one.to,
      })),
    ),
    insert(
      'alimtalk_templates_history',
      alimtalk.map((one) => ({
        channel_id: one.id ?? 'channel',
        template_code: one.name,
        template_name: `이름 ${one.name}`,
        status_code: one.status,
        content: one.text,
        template: { senderKey: one.sender, buttons: [{ name: '보기' }] },
        valid_from: one.from,
        valid_to: one.to,
      })),
    ),
    insert(
      'opt_outs_history',
      optOuts.map(({ recipient, at, number = '0801234567', from, to, copy = 1 }) => ({
        unsubscribe_number: number,
        recipient,
        requested_at: at,
        copy,
        valid_from: from ?? dayOfInstant(at),
        valid_to: to,
      })),
    ),
    insert(
      'catalog_items_history',
      items.map(({ catalog, id, item = {}, from, to }) => ({
        catalog_name: catalog,
        item_id: id,
        item: { id, ...item },
        valid_from: from,
        valid_to: to,
      })),
    ),
    insert(
      'events',
      messages.map((one) => ({
        event_id: one.id,
        channel: one.channel ?? 'text-message',
        event_name: one.event ?? 'send_success',
        resource_type: 'campaign',
        campaign_id: one.campaign ?? 'c1',
        occurred_at: one.at,
        date: dayOfInstant(one.at),
        export_date: dayOfInstant(one.at),
      })),
    ),
    ...[...first.values()].map((one) => messageOf(one)),
    insert(
      'ops.coverage',
      held.map((date) => ({
        stream: 'events',
        date,
        rows: messages.filter(({ at }) => dayOfInstant(at) === date).length,
      })),
    ),
    ...Object.entries(snapshots).flatMap(([stream, days]) => [
      insert(
        'ops.coverage',
        days.map((date) => ({ stream, date, rows: 1 })),
      ),
      insert(
        'ops.snapshots',
        days.map((date) => ({ stream, list: '*', date, rows: 1 })),
      ),
    ]),
    insert('ops.touched_days', [
      ...[...new Set([...held, ...messages.map(({ at }) => dayOfInstant(at))])].map((date) => ({
        stream: 'events',
        date,
      })),
      ...Object.entries(snapshots).flatMap(([stream, days]) => days.map((date) => ({ stream, date }))),
    ]),
  ].join('\n');
}

/** What an ad says at its end: the two numbers of the tests. */
const FOOTER = '무료수신거부 080-123-4567 또는 0807654321';

function messageOf({
  id,
  at,
  recipient,
  channel = 'text-message',
  template,
  sender,
  body = FOOTER,
}: Message): string {
  const date = dayOfInstant(at);
  const common = { event_id: id, date, export_date: date };
  switch (channel) {
    case 'text-message':
      return insert('text_messages', [{ ...common, template_id: template, recipient_no: recipient, body }]);
    case 'chatapp-friendtalk':
      return insert('friendtalk_messages', [{ ...common, recipient_no: recipient, content: body }]);
    case 'chatapp-alimtalk':
      return insert('alimtalk_messages', [
        { ...common, template_code: template, sender_key: sender, recipient_no: recipient, content: body },
      ]);
    case 'chatapp-brand-message':
      return insert('brand_messages', [{ ...common, template_name: template }]);
  }
}

/** A modelled warehouse that holds those rows. */
export async function referenceWorkshop(
  reference: Reference,
  options: Partial<WarehouseOptions> = {},
): Promise<Workshop> {
  const workshop = new Workshop(options);
  await workshop.with(() => Promise.resolve());
  await workshop.change(`set timezone = 'Asia/Seoul'; ${sqlOf(reference)}`);
  await workshop.with(refreshModels);
  return workshop;
}
