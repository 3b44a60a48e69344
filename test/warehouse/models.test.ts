import { expect, test } from 'vitest';
import { Workshop } from './support.js';

test('models and checks run on an empty warehouse, and find nothing', async () => {
  const workshop = new Workshop();
  const findings = await workshop.with(async (warehouse) => {
    await warehouse.model();
    return warehouse.check();
  });
  expect(findings).toEqual([]);
  for (const view of [
    'campaigns',
    'campaign_variants',
    'campaign_tags',
    'user_journeys',
    'user_journey_nodes',
    'calendar',
  ]) {
    expect(await workshop.look(`select * from ${view}`)).toEqual([]);
  }
});
