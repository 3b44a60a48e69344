// @module-tag long
/** People, variants, clicks of people, and coverage of one world, worked out here from its records without any SQL. */
import { expect, test } from 'vitest';
import { chance } from '../simulation/people.js';
import { dayAfter, micros, modelled, record, shared, statistic, type Row } from './support.js';

/** A Monday. */
const FIRST = '2026-11-16';
const DAYS = 9;
/** A day on which messages go out, and whose export is not held. */
const UNHELD = 3;

interface Happening {
  readonly id: string;
  readonly day: number;
  /** Seconds of the day. */
  readonly at: number;
  readonly user: string | null;
  readonly device: string | null;
  readonly campaign: 'mail' | 'push';
  readonly variant: 'A' | 'B';
  readonly event: 'send_success' | 'send_failure' | 'delivered' | 'click';
}

/** People of two campaigns: some share a device, some are known by it alone, some get both variants, some have a mail scanner. */
function draw(): Happening[] {
  const random = chance(11);
  const all: Happening[] = [];
  const one = (happening: Omit<Happening, 'id'>): void => {
    // No two records have one instant, so that nothing is a matter of their order.
    const at = Math.min(86_390, happening.at) + all.length / 1e6;
    if (happening.day < DAYS) all.push({ ...happening, at, id: `e${all.length}` });
  };
  for (let person = 0; person < 400; person++) {
    for (const campaign of ['mail', 'push'] as const) {
      const variant = random() < 0.5 ? 'A' : 'B';
      const messages = 1 + Math.floor(3 * random());
      for (let message = 0; message < messages; message++) {
        const day = Math.floor(DAYS * random());
        const isAlone = random() < 0.3;
        const about = {
          campaign,
          user: isAlone ? null : `u${person}`,
          device: isAlone || random() < 0.5 ? `d${random() < 0.05 ? Math.floor(person / 2) : person}` : null,
          variant: random() < 0.05 ? (variant === 'A' ? 'B' : 'A') : variant,
        } as const;
        const at = 30_000 + 20_000 * random();
        const hasFailed = random() < 0.05;
        one({ ...about, day, at, event: hasFailed ? 'send_failure' : 'send_success' });
        if (hasFailed) continue;
        const delivered = at + 1 + 20 * random();
        if (random() < 0.8) one({ ...about, day, at: delivered, event: 'delivered' });
        if (random() < 0.3) {
          const isLate = random() < 0.3;
          one({
            ...about,
            day: isLate ? day + 1 : day,
            at: isLate ? at : at + 60 + 20_000 * random(),
            event: 'click',
          });
        }
        if (campaign === 'push' || person % 5 > 0) continue;
        const begins = random() < 0.5 ? delivered + 3 * random() : delivered + 30;
        for (let link = 0; link < 4; link++) one({ ...about, day, at: begins + 0.6 * link, event: 'click' });
      }
    }
  }
  return all;
}

const HAPPENED = draw();
const HELD = HAPPENED.filter(({ day }) => day !== UNHELD);
const when = ({ day, at }: Happening): number => day * 86_400 + at;
const earlier = (one: Happening, other: Happening): number => when(one) - when(other);

/** The user to whom a device belongs, from the day of the first record that has both. */
const OWNERS = new Map<string, { user: string; day: number }>();
for (const { user, device, day } of [...HELD].sort(earlier))
  if (user !== null && device !== null && !OWNERS.has(device)) OWNERS.set(device, { user, day });

/** Whom a record is about, as far as is known on a day. */
function personOf({ user, device }: Happening, day = DAYS): string {
  if (user !== null) return user;
  const owner = OWNERS.get(device ?? '');
  return owner !== undefined && owner.day <= day ? owner.user : `device ${device}`;
}

/** The last message to the person of a click or delivery, on its campaign, within seven days. */
function messageOf(answer: Happening, sends: readonly Happening[]): Happening | undefined {
  return sends
    .filter(
      (sent) =>
        sent.campaign === answer.campaign &&
        when(sent) <= when(answer) &&
        when(answer) - when(sent) < 7 * 86_400 &&
        personOf(sent, answer.day) === personOf(answer, answer.day),
    )
    .sort(earlier)
    .at(-1);
}

const SENDS = HELD.filter(({ event }) => event === 'send_success');
const ANSWERS = HELD.filter(({ event }) => event === 'click' || event === 'delivered').flatMap((answer) => {
  const sent = messageOf(answer, SENDS);
  // Answers on one day by one person to one message are looked at together.
  return sent === undefined
    ? []
    : [{ answer, sent, key: `${sent.id} ${answer.day} ${personOf(answer, answer.day)}` }];
});

/** Within five seconds of the message or its delivery on that day, or one of three clicks within two seconds. */
function isMachine({ answer, sent, key }: (typeof ANSWERS)[number]): boolean {
  if (answer.campaign === 'push') return false;
  const all = ANSWERS.filter((one) => one.key === key)
    .map((one) => one.answer)
    .sort(earlier);
  const delivered = all.find(({ event }) => event === 'delivered');
  const clicks = all.filter(({ event }) => event === 'click').map(when);
  const at = when(answer);
  return (
    at - when(sent) <= 5 ||
    (delivered !== undefined && Math.abs(at - when(delivered)) <= 5) ||
    clicks.some(
      (from) =>
        from <= at && at <= from + 2 && clicks.filter((one) => one >= from && one <= from + 2).length >= 3,
    )
  );
}

const CLICKS = ANSWERS.filter(({ answer }) => answer.event === 'click').map((one) => ({
  id: one.answer.id,
  is_machine: isMachine(one),
}));
const MACHINES = new Set(CLICKS.filter(({ is_machine }) => is_machine).map(({ id }) => id));

/** What is known of each variant. */
function armsOf(campaign: string): Row[] {
  const people = new Map<string, Happening[]>();
  for (const one of HELD.filter((happened) => happened.campaign === campaign))
    people.set(personOf(one), [...(people.get(personOf(one)) ?? []), one]);
  const arms = (['A', 'B'] as const).map((variant) => ({
    variant,
    people_sent: 0,
    people: 0,
    clickers: 0,
    people_crossed: 0,
    machine_clicks: 0,
  }));
  for (const records of people.values()) {
    const got = records.filter(({ event }) => event !== 'click').sort(earlier);
    // What failed was not received.
    const received = new Set(
      got.filter(({ event }) => event !== 'send_failure').map(({ variant }) => variant),
    );
    if (received.size > 1) {
      const ofReceived = got.filter(({ variant }) => received.has(variant));
      const onFirst = ofReceived.filter(({ day }) => day === ofReceived[0]?.day);
      const first = onFirst.map(({ variant }) => variant).sort()[0];
      const arm = arms.find(({ variant }) => variant === first);
      if (arm !== undefined) arm.people_crossed++;
      continue;
    }
    for (const arm of arms.filter(({ variant }) => got.some((one) => one.variant === variant))) {
      arm.people_sent++;
      const clicks = records.filter(({ event, variant }) => event === 'click' && variant === arm.variant);
      const machines = clicks.filter(({ id }) => MACHINES.has(id));
      arm.machine_clicks += machines.length;
      if (!received.has(arm.variant)) continue;
      arm.people++;
      if (clicks.length > machines.length) arm.clickers++;
    }
  }
  return arms;
}

const workshop = shared(() =>
  modelled((made) => [
    made.statistics(
      { start: FIRST, end: dayAfter(FIRST, DAYS - 1) },
      ['mail', 'push'].flatMap((campaign_id) =>
        Array.from({ length: DAYS }, (_, day) =>
          ['A', 'B'].map((variant) =>
            statistic({
              date: dayAfter(FIRST, day),
              campaign_id,
              channel: campaign_id === 'mail' ? 'email' : 'push-notification',
              variant_id: `${campaign_id}-${variant}`,
              variant_name: variant,
            }),
          ),
        ).flat(),
      ),
    ),
    ...Array.from({ length: DAYS }, (_, day) => day)
      .filter((day) => day !== UNHELD)
      .map((day) =>
        made.events(dayAfter(FIRST, day), [
          HELD.filter((one) => one.day === day).map(({ id, at, user, device, campaign, variant, event }) =>
            record({
              id,
              user_id: user,
              device_id: device,
              service_user_id: null,
              service_device_id: null,
              channel: campaign === 'mail' ? 'email' : 'push-notification',
              campaign_id: campaign,
              experiment_group_name: variant,
              event_name: event.startsWith('send')
                ? event
                : `${campaign === 'mail' ? 'email' : 'push'}_${event}`,
              time: micros(dayAfter(FIRST, day), Math.floor(at), Math.round(1e6 * (at % 1))),
            }),
          ),
        ]),
      ),
  ]),
);

test('the records of the world are of many kinds', () => {
  expect(HAPPENED.length).toBeGreaterThan(HELD.length + 100);
  expect(MACHINES.size).toBeGreaterThan(100);
  expect(CLICKS.length - MACHINES.size).toBeGreaterThan(100);
});

test('people', async () => {
  const people = new Set(HELD.map((one) => personOf(one)));
  const { persons } = await workshop.lookOne(`
    select count(distinct coalesce(people.person, event_people.person))::integer as persons
    from marts.event_people left join marts.people on event_people.person = people.weaker_id`);
  expect(persons).toBe(people.size);
});

test('variants', async () => {
  for (const campaign of ['mail', 'push']) {
    const arms = await workshop.look(`
      select
        variant_name as variant, people_sent::integer as people_sent, people::integer as people, clickers::integer as clickers,
        people_crossed::integer as people_crossed, machine_clicks::integer as machine_clicks
      from marts.experiment_arms where campaign_id = '${campaign}' order by 1`);
    expect(arms).toEqual(armsOf(campaign));
    expect(arms.every((arm) => Number(arm['people_crossed']) > 0)).toBe(true);
  }
});

test('clicks of people and of machines', async () => {
  const marked = await workshop.look(
    `select event_id as id, is_machine from marts.message_responses where response = 'clicked' order by 1`,
  );
  const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);
  expect(marked).toEqual(CLICKS.sort(byId));
});

test('coverage', async () => {
  const rows = await workshop.look(
    `select date::varchar as date, rows::integer as rows from ops.coverage where stream = 'events' order by 1`,
  );
  const days = Array.from({ length: DAYS }, (_, day) => day).filter((day) => day !== UNHELD);
  expect(rows).toEqual(
    days.map((day) => ({ date: dayAfter(FIRST, day), rows: HELD.filter((one) => one.day === day).length })),
  );
});
