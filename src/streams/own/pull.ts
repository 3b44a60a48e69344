/**
 * The stage of your own tables: copies each source, reads it in a process of its own, applies the settings of privacy, leaves out erased
 * persons, lands one file and loads it. A table that fails keeps its last copy.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.js';
import { dayOf } from '../../ground/calendar.js';
import { DawnloadError } from '../../ground/errors.js';
import { ownStream, type Job } from '../../ground/streams.js';
import { escaped, faultIn } from '../../landing/duckdb.js';
import type { ServiceClient } from '../../service/client.js';
import { erasedWords, isErased, privacyMark, type KeyColumn } from '../../warehouse/privacy.js';
import { quoted, type Session } from '../../warehouse/session.js';
import type { Order, PullParts } from '../stream.js';
import { rowsIn } from './load.js';
import { readCopies, type ReadColumn } from './read.js';
import { copySource, refusal, type OwnTable } from './source.js';

export async function pullOwn({ job, service }: Order, parts: PullParts): Promise<void> {
  const { config, invocation, erasures } = parts;
  const { signal, terminal } = invocation;
  for (const table of config.tables) {
    signal.throwIfAborted();
    terminal.progress(`copying your table ${table.name}`);
    try {
      await pullTable(table, job, service, await erasures.session(), parts);
    } catch (error) {
      signal.throwIfAborted();
      const { sentences: reason } = error instanceof DawnloadError ? error : refusal(table, kindOf(error));
      noteGap(table.name, reason, parts);
    }
  }
}

/** Notes today as missing from an own table, with the reason in sentences. */
export function noteGap(name: string, reason: string, { report, invocation }: PullParts): void {
  const day = dayOf(invocation.effects.now());
  report.gaps.push({ stream: ownStream(name), days: { start: day, end: day }, reason });
}

/** The kind of an error of DuckDB, without the values that it may quote. */
export function kindOf(error: unknown): string {
  const { kind } = faultIn(error);
  return kind === undefined ? 'an unforeseen error' : `${kind} Error`;
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
        columns: read.columns.flatMap((one) => valueOf(one, config, ids) ?? []).join(', '),
        from: escaped(out),
        erased: hasErased ? isErased(plain) : 'false',
        to: escaped(to),
      });
      return rowsIn(session, to);
    });
    const keys = plain.flatMap(({ kind }): KeyColumn[] => {
      const rule = ruleOf(kind, config.privacy);
      return rule === 'drop' ? [] : [{ kind, rule }];
    });
    const own = { table: table.name, keys, privacy: privacyMark(warehouse.options.privacy) };
    await load([await writer.finish([page], { own })]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ruleOf = (name: string, { recipients, columns }: Config['privacy']): 'keep' | 'hash' | 'drop' =>
  name === 'recipient' ? recipients : (columns.find((one) => one.name === name)?.rule ?? 'keep');

/**
 * The value of a column under the settings of privacy, with its name; undefined if it is left out.
 *
 * @param ids a pattern of the ids of erased persons; undefined if nobody was erased
 */
function valueOf(
  { name, kind }: ReadColumn,
  { privacy }: Config,
  ids: string | undefined,
): string | undefined {
  const how = `'${privacy.recipients}'`;
  const rule = ruleOf(name, privacy);
  if (rule === 'drop' || (kind === 'telephone' && privacy.recipients === 'drop')) return undefined;
  const isRuled = rule === 'hash' && name !== 'recipient';
  const column = isRuled ? `_ruled('${escaped(name)}', ${quoted(name)}::varchar)` : quoted(name);
  const isFree = ids === undefined || kind === 'value' || kind === 'key';
  const kept = isFree ? column : `without_erased(${column}, ${kind === 'document'}, '${ids}')`;
  const values = {
    key: name === 'recipient' ? `_recipient(${column}, ${how})` : `_redacted_field(${column}, ${how})`,
    telephone: `_recipient(${kept}, ${how})`,
    text: `redacted(${kept}, false, ${how})`,
    document: `redacted(${kept}, true, ${how})::json`,
    value: column,
  };
  return `${values[kind]} as ${quoted(name)}`;
}
