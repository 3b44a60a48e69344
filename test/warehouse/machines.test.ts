// @module-tag long
/** Clicks of mail scanners are told from those of people, and left out of what is made of events. */
import { expect, test } from 'vitest';
import { chance } from '../simulation/people.js';
import { asked, dayAfter, micros, modelled, record, statistic, type Row, type Workshop } from './support.js';

/** A Monday. */
const DAY = '2026-11-16';
const PEOPLE = 1500;

/**
 * An e-mail to people of two variants. One in twelve clicks, after two hours at the median; some click twice, or twice at once.
 * With machines, a fifth of those who get B have a scanner: most open four links within a minute, some the only link at once.
 */
function emails(hasMachines: boolean): Row[] {
  const random = chance(7);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const rows: Row[] = [];
  for (let person = 0; person < PEOPLE; person++) {
    const name = person % 2 === 0 ? 'A' : 'B';
    const sent = 36_000 + Math.floor(600 * random());
    const add = (event_name: string, id: string, seconds: number): void => {
      const at = Math.min(86_399, sent + seconds);
      const time = micros(DAY, Math.floor(at), Math.floor(1e6 * (at % 1)));
      rows.push(
        record({
          id,
          user_id: `p${person}`,
          channel: 'email',
          campaign_id: 'c',
          experiment_group_name: name,
          event_name,
          time,
        }),
      );
    };
    add('send_success', `p${person} send`, 0);
    const delivered = 1 + 30 * random();
    add('email_delivered', `p${person} delivered`, delivered);
    if (random() < 1 / 12) {
      const read = 7200 * Math.exp(1.8 * normal());
      add('email_click', `p${person} human`, read);
      if (random() < 0.3) add('email_click', `p${person} human again`, read + 60 + 600 * random());
      if (random() < 0.03) add('email_click', `p${person} human at once`, read + 0.3);
    }
    if (!hasMachines || name === 'A' || random() > 0.2) continue;
    const isSlow = random() < 0.7;
    const begins = delivered + (isSlow ? 60 * random() : -0.5);
    for (let link = 0; link < (isSlow ? 4 : 1); link++) {
      add('email_click', `p${person} machine ${link}`, begins + 0.4 * link);
    }
  }
  return rows;
}

const world = (hasMachines: boolean): Promise<Workshop> =>
  modelled((workshop) => [
    workshop.events(DAY, [emails(hasMachines)]),
    workshop.statistics({ start: DAY, end: dayAfter(DAY, 9) }, [
      ...['A', 'B'].map((variant_name) =>
        statistic({
          date: DAY,
          channel: 'email',
          campaign_id: 'c',
          variant_id: `v${variant_name}`,
          variant_name,
          message_sent: PEOPLE / 2,
          message_failed: 0,
          click: 100,
        }),
      ),
    ]),
  ]);

const MARKED = `
  select
    count(*) filter (event_id like '%machine%') as machines,
    count(*) filter (event_id like '%machine%' and is_machine) as found,
    count(*) filter (event_id like '%human%') as humans,
    count(*) filter (event_id like '%human%' and is_machine) as mistaken
  from marts.message_responses where response = 'clicked'`;

test('in a world without machines, fewer than one click in a hundred is marked', async () => {
  const workshop = await world(false);
  const { machines, humans, mistaken } = await workshop.lookOne(MARKED);
  expect(Number(machines)).toBe(0);
  expect(Number(humans)).toBeGreaterThan(100);
  expect(Number(mistaken) / Number(humans)).toBeLessThan(0.01);
  const told = await asked(workshop, 'ab-tests', { metric: 'click' });
  expect(told.map((row) => row['machine_clicks'])).toEqual(['0', '0']);
});

test('with machines, at least 95 of 100 of their clicks are found, and no number of people counts them', async () => {
  const workshop = await world(true);
  const marked = await workshop.lookOne(MARKED);
  expect(Number(marked['machines'])).toBeGreaterThan(300);
  expect(Number(marked['found']) / Number(marked['machines'])).toBeGreaterThanOrEqual(0.95);
  expect(Number(marked['mistaken']) / Number(marked['humans'])).toBeLessThan(0.01);
  // Of people alone, A and B are alike.
  const [, b] = await asked(workshop, 'ab-tests', { metric: 'click' });
  expect(b).toMatchObject({
    variant_name: 'B',
    verdict_code: 'inconclusive',
    machine_clicks: marked['found'],
    verdict: expect.stringContaining('Not counted: clicks of mail scanners') as string,
  });
  const humans = Number(marked['humans']) - Number(marked['mistaken']);
  const events = await asked(workshop, 'event-rates');
  expect(events.find((row) => row['kind'] === 'clicked')).toMatchObject({
    events: String(humans),
    machine_clicks: marked['found'],
  });
  expect(
    await workshop.lookOne(`
      select
        (select sum(clicked)::integer from marts.send_hours) as hours,
        (select sum(responses)::integer from marts.daily_response_times where response = 'clicked') as times,
        (select sum(clicked)::integer from marts.daily_people) as people,
        (select sum(machine_clicks)::integer from marts.daily_people) as machines`),
  ).toEqual({ hours: humans, times: humans, people: humans, machines: Number(marked['found']) });
});
