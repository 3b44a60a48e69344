/** The endpoints of the specification that the sandbox has: the table that requests are looked up in. */
import { z } from 'zod';

import { type Reply, jsonAnswer } from './answer.js';
import { catalogEndpoints } from './catalogs/endpoints.js';
import { campaignStats } from './campaign-stats.js';
import type { Endpoint } from './endpoint.js';
import { createExports } from './exports.js';
import { refuse } from './family.js';
import type { Bills } from './bills.js';
import { optOutEndpoints } from './opt-outs/endpoints.js';
import type { Settings } from './options.js';
import { createStatistics } from './statistics.js';
import { templateEndpoints } from './templates/endpoints.js';
import type { Tokens } from './tokens.js';
import { createWorld } from './world/plan.js';

const Keys = z.object({ accessKey: z.string(), secretKey: z.string() });

export function createEndpoints(settings: Settings, tokens: Tokens, bills: Bills): readonly Endpoint[] {
  const world = createWorld(settings.seed, settings.eventsPerDay);
  const statistics = createStatistics(settings, world);
  const exports = createExports(settings, world, bills);

  function authenticate(body: unknown): Reply {
    const keys = Keys.safeParse(body);
    if (!keys.success) return refuse('authentication', 'invalid', 'accessKey and secretKey are required');
    if (keys.data.accessKey !== settings.accessKey || keys.data.secretKey !== settings.secretKey) {
      return refuse('authentication', 'unauthorized', 'Invalid access key or secret key');
    }
    return jsonAnswer({ data: tokens.issue(settings.accessKey), error: null });
  }

  return [
    {
      name: 'E1',
      method: 'POST',
      path: /^\/authenticate$/,
      family: 'authentication',
      hasBody: true,
      answer: ({ body }) => authenticate(body),
    },
    ...catalogEndpoints(settings),
    ...templateEndpoints(settings),
    ...optOutEndpoints(settings, world),
    {
      name: 'E17',
      method: 'POST',
      path: /^\/v1\/projects\/([^/]+)\/statistics$/,
      family: 'statistics',
      hasBody: true,
      answer: ({ body }) => statistics.json(body),
    },
    {
      name: 'E18',
      method: 'GET',
      path: /^\/v1\/projects\/([^/]+)\/statistics\.csv$/,
      family: 'statistics-csv',
      hasBody: true,
      answer: ({ body }) => statistics.csv(body),
    },
    {
      name: 'E19',
      method: 'GET',
      path: /^\/projects\/([^/]+)\/campaigns\/([^/]+)\/stats$/,
      family: 'campaign',
      hasBody: false,
      answer: ({ values: [campaignId = ''], query }) => campaignStats(settings, world, campaignId, query),
    },
    {
      name: 'E20',
      method: 'POST',
      path: /^\/projects\/([^/]+)\/campaign-event-data\/exports$/,
      family: 'export',
      hasBody: true,
      answer: ({ body }) => exports.request(body),
    },
    {
      name: 'E21',
      method: 'GET',
      path: /^\/projects\/([^/]+)\/campaign-event-data\/exports\/([^/]+)\/result$/,
      family: 'export',
      hasBody: false,
      answer: ({ values: [exportId = ''], query }) => exports.read(exportId, query),
      otherProject: () => exports.notFound(),
    },
  ];
}
