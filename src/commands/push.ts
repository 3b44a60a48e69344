/** `dawnload push`: sends the answer of a query back to the service, and shows and decides about earlier pushes. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { requireService, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { EXIT, UsageError, type ExitCode } from '../ground/errors.js';
import { withDataFolder } from '../job/data-folder.js';
import { ledgerNow } from '../job/wanted-days.js';
import { pathOfTarget } from '../landing/pushed-rows.js';
import { adviceOn, pushesOf, recordDecision, rowOf, waits } from '../push/ledger.js';
import { readRemembered, writeAnswer, type WantedPush } from '../push/plan.js';
import { pushRows, sentenceOn, wantedOf, type Pushed } from '../push/send.js';
import { ALL, parseTarget } from '../push/targets.js';
import { plural } from '../terminal/terminal.js';
import { hmacKey } from '../warehouse/privacy.js';
import { hashingSession } from '../warehouse/warehouse.js';
import { showTable, type JsonOptions, type Options } from './shared.js';

export interface PushOptions
  extends
    JsonOptions,
    Options<'mode' | 'query' | 'sql' | 'file' | 'key', 'deleteMissing' | 'dryRun' | 'yes'> {
  readonly param?: readonly string[];
}

export async function pushCommand(
  options: PushOptions,
  invocation: Invocation,
  first?: string,
  second?: string,
): Promise<ExitCode> {
  if (first === undefined)
    throw new UsageError('There is no target.', {
      hint: `Choose one of ${ALL.join(', ')}, or the name of a push in dawnload.yaml.`,
    });
  const config = requireService(invocation.loadConfig());
  const { key, mode, deleteMissing, dryRun, yes, json } = options;
  const configured = config.pushes.find(({ name }) => name === first);
  const names = config.pushes.map(({ name }) => name);
  const own = ['query', 'sql', 'file', 'key', 'mode', 'deleteMissing'] as const;
  const isGiven = own.some((option) => options[option] !== undefined) || (options.param ?? []).length > 0;
  if (configured !== undefined && (isGiven || second !== undefined))
    throw new UsageError(`The push ${first} is one of dawnload.yaml, which says all that it sends.`, {
      hint: `Change it there, or name the target: \`dawnload push ${configured.target} …\`.`,
    });
  const wanted: WantedPush =
    configured === undefined
      ? { target: parseTarget(first, second, mode, names), source: sourceOf(options), key, deleteMissing }
      : wantedOf(configured);
  invocation.terminal.progress('pushing');
  const pushed = await withDataFolder(config, invocation, 'push', 'all', ({ journal }) =>
    pushRows(wanted, config, invocation, journal, { dryRun, yes }),
  );
  return showPushed(wanted, pushed, json, invocation);
}

const sourceOf = ({ query, sql, file, param }: PushOptions) => ({ name: query, sql, file, param });

/** The pushes of the project in the settings; `lost` says what is missing of a journal that was lost or cut. */
async function pushesNow(config: Config, effects: Invocation['effects']) {
  const { journal, lock, needed } = await ledgerNow(config, effects);
  const lost = needed.flatMap(({ key, advice }) => (key === 'ledger' ? [advice] : []));
  return { pushes: pushesOf(journal), isRunning: lock.taken, lost };
}

function showPushed(
  wanted: WantedPush,
  pushed: Pushed,
  json: boolean | undefined,
  { terminal }: Invocation,
): ExitCode {
  const { plan, id, sent, rejected, calls } = pushed;
  const isDone = id !== undefined;
  const { counts, invalid, gone: missing, send, nulls: set_to_null, doubts: needs_yes } = plan;
  const planned = { ...counts, invalid, missing, to_send: send + missing, set_to_null, calls };
  const rest = isDone ? { sent, rejected } : { needs_yes };
  if (json === true)
    terminal.out(JSON.stringify({ push: id ?? null, target: wanted.target.text, ...planned, ...rest }));
  if (isDone) terminal.note(sentenceOn(wanted, pushed));
  else if (json !== true) terminal.out(sentenceOn(wanted, pushed));
  if (!isDone)
    for (const doubt of plan.doubts) terminal.warn(`Without --yes this would be refused: ${doubt}`);
  if (rejected > plan.rejected)
    terminal.warn('`dawnload push rejected` shows the reasons, and which rows the next push tries again.');
  return isDone && rejected > 0 ? EXIT.incomplete : EXIT.done;
}

/** Lists the pushes. The exit code is 1 while one needs a person. */
export async function pushListCommand({ json }: JsonOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const { pushes, isRunning, lost } = await pushesNow(invocation.loadConfig(), effects);
  const all = pushes.map((push) => {
    const { id, target, name = null, begunAt, updatedAt, note = null, ...row } = rowOf(push, isRunning);
    const about = { push: id, target, name, state: row.state, begun_at: begunAt, updated_at: updatedAt };
    const { sent, rejected, unknown, calls } = row;
    return { ...about, ...push.counts, sent, rejected, in_doubt: unknown, calls, note };
  });
  if (json === true) terminal.out(JSON.stringify(all));
  else if (pushes.length === 0 && lost.length === 0) terminal.note('The journal lists no push.');
  else showTable(terminal, all, 'push target name state begun_at rows sent rejected in_doubt note');
  const advice = [...lost, ...pushes.filter((push) => waits(push, isRunning)).map(adviceOn)];
  for (const sentence of advice) terminal.warn(sentence);
  return advice.length > 0 ? EXIT.incomplete : EXIT.done;
}

const rejection = z.object({
  row: z.string(),
  reason: z.string(),
  tries: z.number(),
  tried_again: z.boolean(),
});

/**
 * Lists the rows that the service rejected. A row of a person is kept as a keyed hash; its key is shown if the query that is
 * given finds it now. Recipients are not shown.
 */
export async function pushRejectedCommand(options: PushOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  const { pushes, lost } = await pushesNow(config, effects);
  const hmac = await hmacKey(config.dataDir, effects);
  const source = sourceOf(options);
  const isAsked = (source.name ?? source.sql ?? source.file) !== undefined;
  const all: (z.infer<typeof rejection> & { target: string })[] = [];
  const session = await hashingSession(config, hmac);
  try {
    for (const [target, key] of new Map(pushes.map((push) => [push.target, push.key]))) {
      const path = pathOfTarget(config.dataDir, target);
      if (!existsSync(path)) continue;
      const own = pushes.filter((push) => push.target === target);
      await readRemembered(session, path, own);
      const [kind = '', ...name] = target.split(' ');
      let rows = await session.rows('push/rejections', rejection);
      if (rows.length > 0 && isAsked && /^(user-properties|events|journey)$/.test(kind)) {
        const wanted = { target: parseTarget(kind, name.join(' ')), source, key: options.key ?? key };
        await writeAnswer(session, wanted, config, { key: hmac, now: effects.now() });
        rows = await session.rows('push/rejections', rejection);
      }
      all.push(...rows.map((row) => ({ target, ...row })));
    }
  } finally {
    session.close();
  }
  if (options.json === true) terminal.out(JSON.stringify(all));
  else if (all.length === 0 && lost.length === 0) terminal.note('No rejected row is remembered.');
  else showTable(terminal, all);
  for (const sentence of lost) terminal.warn(sentence);
  return lost.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** Records that a person looked whether the service has the rows of unknown outcome; later pushes follow it. */
export async function pushResumeCommand(
  { again = false }: Options<never, 'again'>,
  invocation: Invocation,
  id: string,
): Promise<ExitCode> {
  const rows = `${plural(await decide(again, invocation, id), 'row')} of unknown outcome`;
  const what = again ? `sends ${rows} again` : `leaves out ${rows}`;
  invocation.terminal.note(`The same command, or a night that makes this push, goes on, and ${what}.`);
  return EXIT.done;
}

export async function pushAbandonCommand(_: object, invocation: Invocation, id: string): Promise<ExitCode> {
  const rows = plural(await decide(false, invocation, id), 'row');
  invocation.terminal.note(`Push ${id} is given up: no push sends its ${rows} of unknown outcome.`);
  return EXIT.done;
}

/** Records a decision about a push; returns the number of its rows of unknown outcome. */
function decide(again: boolean, invocation: Invocation, id: string): Promise<number> {
  return withDataFolder(invocation.loadConfig(), invocation, 'push resume', 'nothing', ({ journal }) =>
    recordDecision(journal, id, again),
  );
}
