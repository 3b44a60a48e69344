/** The parts of the report, in their order. */
import type { ReadyPart } from './part.js';
import { campaigns } from './parts/campaigns.js';
import { channels } from './parts/channels.js';
import { failures } from './parts/failures.js';
import { findings } from './parts/findings.js';
import { freshness } from './parts/freshness.js';
import { headline } from './parts/headline.js';
import { hours } from './parts/hours.js';
import { journeys } from './parts/journeys.js';
import { pressure } from './parts/pressure.js';
import { reference } from './parts/reference.js';
import { responses } from './parts/responses.js';
import { restated } from './parts/restated.js';
import { revenue } from './parts/revenue.js';
import { spend } from './parts/spend.js';
import { tests } from './parts/tests.js';

export const PARTS: readonly ReadyPart[] = [
  headline,
  channels,
  campaigns,
  tests,
  revenue,
  journeys,
  failures,
  hours,
  responses,
  pressure,
  reference,
  restated,
  freshness,
  findings,
  spend,
];
