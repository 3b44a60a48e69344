/**
 * Copies the source of each own table, and reads the copy in a separate process. Applies the privacy settings and leaves out erased
 * persons. Lands one file, and loads it. A table that fails keeps its last copy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dayOf } from '../../ground/calendar.js';
import { DawnloadError } from '../../ground/errors.js';
import { ownStream, type Job } from '../../ground/streams.js';
import { escaped, kindOf } from '../../disk/duckdb.js';
import type { ServiceClient } from '../../service/client.js';
import { erasedWords, isErased, privacyMark, storedColumn, storedKeys } from '../../warehouse/privacy.js';
import { rowsIn } from '../../warehouse/describe.js';
import type { Session } from '../../warehouse/session.js';
import type { Order, PullParts } from '../stream.js';
import { readCopies } from './read.js';
import { copySource, refusal, type OwnTable } from './source.js';

export async function pullOwn({ job, service }: Order, parts: PullParts): Promise<void> {
  for (const table of parts.config.tables) {
    parts.invocation.terminal.progress(`copying your table ${table.name}`);
    const pull = async (): Promise<void> =>
      pullTable(table, job, service, await parts.erasures.session(), parts);
    await orGap(table.name, pull, (kind) => refusal(table, kind).sentences, parts);
  }
}

/** Pulls an own table. If that fails, today is reported as missing, with the reason. */
export async function orGap(
  name: string,
  work: () => Promise<void>,
  reasonOf: (kind: string) => string,
  { report, invocation: { signal, effects } }: PullParts,
): Promise<void> {
  try {
    signal.throwIfAborted();
    await work();
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof DawnloadError ? error.sentences : reasonOf(kindOf(error));
    const day = dayOf(effects.now());
    report.gaps.push({ stream: ownStream(name), days: { start: day, end: day }, reason });
  }
}

async function pullTable(
  table: OwnTable,
  job: Job,
  service: ServiceClient,
  session: Session,
  parts: PullParts,
): Promise<void> {
  const { files, invocation, landing, load, config, warehouse, erasures } = parts;
  const stream = ownStream(table.name);
  const folder = await mkdtemp(join(files.temp, 'own-'));
  try {
    const copies = await copySource(table, folder, parts);
    const out = join(folder, 'read.parquet');
    const read = await readCopies({ table, files: copies, out, folder }, invocation.signal);
    const [earlier] = await landing.newest([stream]);
    if (read.rows === 0 && (earlier?.files[0]?.rows ?? 0) > 0 && !job.acceptEmpty)
      throw refusal(table, 'it has no rows, and its last copy has some');
    const pulledAt = landing.instant(service.clocks.landingTime());
    const day = dayOf(pulledAt);
    const writer = landing.begin(stream, { start: day, end: day }, pulledAt);
    const hasErased = erasures.register.ids.length > 0;
    const plain = Object.keys(table.keys).map((kind) => ({ kind, rule: 'keep' }) as const);
    const texts = read.columns.flatMap(({ name, kind }) =>
      kind === 'text' || kind === 'document' ? [name] : [],
    );
    const ids = hasErased ? await erasedWords(session, out, texts) : undefined;
    const page = await writer.landTable(async (to) => {
      await session.run('streams/own/pull/copy', {
        columns: read.columns.flatMap((one) => storedColumn(one, config.privacy, ids) ?? []).join(', '),
        from: escaped(out),
        erased: hasErased ? isErased(plain) : 'false',
        to: escaped(to),
      });
      return rowsIn(session, to);
    });
    const keys = storedKeys(Object.keys(table.keys), config.privacy);
    const own = { table: table.name, keys, privacy: privacyMark(warehouse.options.privacy) };
    await load([await writer.finish([page], { own })]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
