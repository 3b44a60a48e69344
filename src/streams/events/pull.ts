/** Pulls paid exports: those under way are downloaded (E21), and missing days are requested within budget and consent (E20). */
import { missingDays } from '../../exports/export.js';
import { requestMissing, type PaymentParts } from '../../exports/paid-request.js';
import type { Job } from '../../ground/streams.js';
import { settleAll, type ServiceClient } from '../../service/client.js';
import { assertPublishable } from '../../warehouse/publish.js';
import type { PullParts } from '../stream.js';
import { downloaderOf, downloadReady, resumeExports } from './download.js';
import { patienceOf, type DownloadParts } from './reading.js';

export async function pullEvents(
  job: Job,
  _: unknown,
  service: ServiceClient,
  parts: PaymentParts & DownloadParts & Pick<PullParts, 'files'>,
): Promise<void> {
  const { ledger, files } = parts;
  const mayPay = missingDays(job.eventDays, ledger.entries()).length > 0;
  if (mayPay) await assertPublishable(files.published);
  const patience = patienceOf(parts);
  // An export that does not come delays no day; one that comes may show the size that other days wait for.
  await downloadReady(service, parts);
  const resumed = resumeExports(service, parts, patience);
  const download = downloaderOf(service, parts, patience);
  const requested = requestMissing(job, service, parts, download, resumed).catch((error: unknown) => {
    patience.end();
    throw error;
  });
  await settleAll([requested, resumed]);
}
