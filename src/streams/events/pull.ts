/** Pulls paid exports: those under way are downloaded (E21), and missing days are requested within budget and consent (E20). */
import { missingDays } from '../../exports/export.js';
import { requestMissing } from '../../exports/paid-request.js';
import type { Job } from '../../ground/streams.js';
import { settleAll, type ServiceClient } from '../../service/client.js';
import { assertPublishable } from '../../warehouse/publish.js';
import type { DaysOf, PullParts } from '../stream.js';
import { downloadReady, downloading, resumeExports } from './download.js';
import { Patience } from './reading.js';

export async function pullEvents(
  job: Job,
  _: DaysOf,
  service: ServiceClient,
  parts: PullParts,
): Promise<void> {
  const { ledger, files, invocation } = parts;
  const mayPay = missingDays(job.eventDays, ledger.entries()).length > 0;
  if (mayPay) await assertPublishable(files.published);
  const patience = new Patience(ledger.settings.maxWaitMinutes, invocation.effects);
  // An export that does not come delays no day; one that comes may show the size that other days wait for.
  await downloadReady(service, parts);
  const resumed = resumeExports(service, parts, patience);
  const download = downloading(service, parts, patience);
  const requested = requestMissing(job, service, parts, download, resumed).catch((error: unknown) => {
    patience.end();
    throw error;
  });
  await settleAll([requested, resumed]);
}
