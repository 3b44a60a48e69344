/** The service: whether it is reached, safely, with these keys, for this project, at the same time. All of it is free. */
import { certificateTrouble } from '../api/certificate.js';
import { lookAtConnection, type Certificate } from '../api/connection.js';
import { ServiceClient } from '../api/client.js';
import { lastCompleteDay } from '../calendar.js';
import type { Config } from '../config.js';
import { estimateDays } from '../exports/estimate.js';
import { MOST_SKEW_MS } from '../run/clocks.js';
import type { Invocation } from '../run/invocation.js';
import { dayTotals } from '../statistics/day-totals.js';
import { formatCount, formatDuration, plural } from '../terminal/terminal.js';
import { fail, ok, warn, type Examination, type Finding } from './check.js';
import { encryption } from './settings.js';

const CONNECT_MS = 10_000;
const ANSWER_SECONDS = 20;

/** From here on a clock may take an incomplete day for a complete one, in milliseconds. */
const NOTABLE_SKEW_MS = 2 * 60_000;

/** A certificate that ends sooner is a warning, in days. */
const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Resolves with the records of a night, where the service tells. What depends on a check that failed is left out. */
export async function lookAtService(
  config: Config,
  invocation: Invocation,
  examination: Examination,
): Promise<number | undefined> {
  const { baseUrl, allowHttp } = config;
  if (baseUrl === undefined) return undefined;
  let certificate: Certificate | undefined;
  const { host } = new URL(baseUrl);
  const reached = await examination.look('connection', async () => {
    const began = performance.now();
    const connection = await lookAtConnection(baseUrl, CONNECT_MS, invocation.signal);
    certificate = connection.certificate;
    return ok(`${host} is reached in ${Math.ceil(performance.now() - began)} ms`);
  });
  const now = invocation.effects.now();
  const unencrypted = encryption(baseUrl, allowHttp);
  // Without a connection there is no certificate to look at; that it cannot be reached is told once.
  if (!reached && unencrypted?.verdict !== 'fail') return undefined;
  const safe = await examination.look('TLS', () => unencrypted ?? certificateFinding(certificate, host, now));
  if (!reached || !safe) return undefined;
  return lookAtAccess({ ...config, baseUrl }, invocation, examination);
}

async function lookAtAccess(
  { baseUrl, projectId, credentials, ...config }: Config & { readonly baseUrl: string },
  { effects, signal, version }: Invocation,
  examination: Examination,
): Promise<number | undefined> {
  if (credentials === undefined || projectId === undefined) return undefined;
  const settings = {
    baseUrl,
    projectId,
    credentials,
    requestsPerSecond: config.requestsPerSecond,
    concurrency: 1,
    requestTimeoutSeconds: Math.min(config.requestTimeoutSeconds, ANSWER_SECONDS),
    retries: 0,
  };
  const service = new ServiceClient(settings, effects, signal, version);
  try {
    const accepted = await examination.look('access', async () => {
      await service.authorize();
      return ok('the service accepts the keys');
    });
    const skewMs = service.clockSkewMs;
    let records: number | undefined;
    if (accepted) {
      // The earlier of two clocks decides, as in a run.
      const day = lastCompleteDay(new Date(effects.now().getTime() + Math.min(0, skewMs ?? 0)));
      await examination.look('project access', async () => {
        const totals = await dayTotals(service, baseUrl, day);
        records = estimateDays([], new Map([[day, totals]]), [day]).candidates[0]?.estimate;
        const night = records === undefined ? '' : `, an export of about ${formatCount(records)} records`;
        return ok(`${projectId} had ${plural(totals.sent, 'message')} on ${day}${night}`);
      });
    }
    if (accepted || skewMs !== undefined) await examination.look('clock', () => clock(skewMs));
    return records;
  } finally {
    await service.close();
  }
}

function certificateFinding(certificate: Certificate | undefined, host: string, now: Date): Finding {
  if (certificate === undefined) return ok('no certificate');
  const { refused, validTo } = certificate;
  if (refused !== undefined) {
    const trouble = certificateTrouble(refused);
    return fail(
      `The certificate of ${host} ${trouble?.what ?? 'is not accepted'} (${refused}).`,
      trouble?.remedy ?? 'Check base_url, and what stands between this machine and the service.',
    );
  }
  const end = validTo.toISOString().slice(0, 10);
  const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
  return days < NOTICE_DAYS
    ? warn(
        `The certificate of ${host} ends on ${end}.`,
        'Ask the operator of the service whether it is renewed in time.',
      )
    : ok(`the certificate of ${host} is accepted, and ends on ${end}`);
}

function clock(skewMs: number | undefined): Finding {
  if (skewMs === undefined) return ok('the service sends no time, so this machine’s clock decides alone');
  const off = Math.abs(skewMs);
  // The header counts whole seconds.
  if (off < 2_000) return ok('agrees with the service');
  const reason = `${formatDuration(off)} ${skewMs > 0 ? 'behind' : 'ahead of'} the service’s`;
  if (off <= NOTABLE_SKEW_MS) return ok(`this machine’s clock is ${reason}`);
  const remedy = 'Correct this machine’s clock, and keep it right with NTP (`timedatectl set-ntp true`).';
  return off > MOST_SKEW_MS
    ? fail(`This machine’s clock is ${reason}: no paid request is sent until they agree.`, remedy)
    : warn(`This machine’s clock is ${reason}.`, remedy);
}
