/** `dawnload push`: sends the answer of a query back to the service, and shows and decides about earlier pushes. */
import { z } from 'zod';
import { formatKst } from '../ground/calendar.js';
import { requireService, type Config } from '../config/config.js';
import { EXIT, UsageError, type ExitCode } from '../ground/errors.js';
import {
  adviceOn,
  callsOf,
  isUnfinished,
  PushLedger,
  sentRows,
  unknownRows,
  waits,
  type Push,
} from '../push/ledger.js';
import { readRemembered, TRIES, writeAnswer, type Wanted } from '../push/plan.js';
import { pushRows, sentenceOn, wantedOf, type Pushed } from '../push/push.js';
import { KeptQueries, PushedRows } from '../landing/pushed-rows.js';
import { ALL, parseTarget } from '../push/targets.js';
import { Journal } from '../journal/journal.js';
import type { Invocation } from '../config/invocation.js';
import { assertSameProject, withDataFolder } from '../job/data-folder.js';
import { lockState } from '../landing/run-lock.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { hmacKey } from '../warehouse/privacy.js';
import { hashingSession } from '../warehouse/warehouse.js';
import { showTable, type JsonOptions } from './shared.js';

export interface PushOptions extends JsonOptions {
  readonly mode?: string;
  readonly query?: string;
  readonly sql?: string;
  readonly file?: string;
  readonly param?: readonly string[];
  readonly key?: string;
  readonly only?: string;
  readonly deleteMissing?: boolean;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export async function pushCommand(
  options: PushOptions,
  invocation: Invocation,
  first?: string,
  second?: string,
): Promise<ExitCode> {
  if (first === undefined) {
    throw new UsageError('There is no target.', {
      hint: `Choose one of ${ALL.join(', ')}, or the name of a push in dawnload.yaml.`,
    });
  }
  const config = requireService(invocation.loadConfig());
  const wanted = wantedBy([first, second], options, config);
  const { dryRun, yes, json } = options;
  invocation.terminal.progress('pushing');
  const pushed = await withDataFolder(config, invocation, 'push', 'all', ({ journal }) =>
    pushRows(wanted, config, invocation, journal, { dryRun, yes }),
  );
  return showPushed(wanted, pushed, json, invocation);
}

/** The push that the words name: one of the configuration, or a target with its query. */
function wantedBy(
  words: readonly [string, string | undefined],
  options: PushOptions,
  { pushes }: Config,
): Wanted {
  const configured = pushes.find(({ name }) => name === words[0]);
  const { key, only, deleteMissing } = options;
  if (configured !== undefined && words[1] === undefined) return { ...wantedOf(configured), only };
  const names = pushes.map(({ name }) => name);
  return { target: parseTarget(words, options, names), source: sourceOf(options), key, only, deleteMissing };
}

const sourceOf = ({ query, sql, file, param }: PushOptions) => ({ name: query, sql, file, param });

/** The pushes of the project in the settings. */
async function ledgerOf(config: Config, effects: Invocation['effects']): Promise<PushLedger> {
  const journal = await Journal.read(config, effects);
  assertSameProject(journal, config);
  return new PushLedger(journal, effects);
}

function showPushed(
  wanted: Wanted,
  pushed: Pushed,
  json: boolean | undefined,
  invocation: Invocation,
): ExitCode {
  const { terminal } = invocation;
  terminal.progress('');
  const isDry = pushed.push === undefined;
  if (json === true) terminal.out(JSON.stringify(asJson(wanted, pushed)));
  else if (isDry) showPlan(wanted, pushed, invocation);
  if (isDry)
    for (const doubt of pushed.plan.doubts) terminal.warn(`Without --yes this would be refused: ${doubt}`);
  else terminal.note(sentenceOn(wanted, pushed));
  // If the push goes on, earlier commands may have had rejected rows too.
  const rejected = pushed.push?.rejected ?? pushed.rejected;
  const here = Object.values(pushed.plan.invalid).reduce((sum, rows) => sum + rows, 0);
  if (rejected > here && !isDry)
    terminal.warn('`dawnload push rejected` shows the reasons. The next push tries these rows again.');
  return rejected > 0 ? EXIT.incomplete : EXIT.done;
}

/** The text of a row with every value masked, for people to look at its shape. */
function masked(item: string): string {
  return item.replaceAll(
    /("(?:[^"\\]|\\.)*")(:?)|-?[0-9][0-9.eE+-]*|true|false/g,
    (_, text?: string, colon?: string) => (colon === ':' ? `${text ?? ''}:` : '"…"'),
  );
}

function asJson(wanted: Wanted, pushed: Pushed): object {
  const { plan, push, sent, rejected, calls, samples } = pushed;
  return {
    push: push?.id ?? null,
    target: wanted.target.text,
    ...plan.counts,
    invalid: plan.invalid,
    missing: plan.gone,
    to_send: plan.send + plan.gone,
    set_to_null: plan.nulls,
    calls,
    ...(push === undefined
      ? {
          payloads: samples.map((item): unknown => JSON.parse(masked(item))),
          needs_yes: plan.doubts,
        }
      : { sent, rejected }),
  };
}

function showPlan({ target }: Wanted, pushed: Pushed, { terminal }: Invocation): void {
  const { plan, calls, samples } = pushed;
  const { counts } = plan;
  const reasons = Object.entries(plan.invalid);
  const always = {
    'rows in all': counts.rows,
    new: counts.new,
    changed: counts.changed,
    unchanged: counts.unchanged,
    rejected: reasons.reduce((sum, [, count]) => sum + count, 0),
  };
  const some = {
    'left after four rejections': counts.left,
    'left, outcome unknown': counts.unknown,
    'left, person erased': counts.erased,
    'deleted as missing': plan.gone,
    'values set to null': plan.nulls,
  };
  terminal.out(`${target.text}: nothing is sent`);
  for (const [what, count] of [
    ...Object.entries(always),
    ...reasons.map(([reason, count]) => [`  ${reason}`, count] as const),
    ...Object.entries(some).filter(([, count]) => count > 0),
    ['calls', calls] as const,
  ])
    terminal.out(`${formatCount(count).padStart(10)} ${what}`);
  for (const sample of samples) terminal.out(masked(sample));
}

/** Lists the pushes. The exit code is 1 while one needs a person. */
export async function pushListCommand({ json }: JsonOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  const { pushes } = await ledgerOf(config, effects);
  const { taken } = await lockState(config.dataDir);
  // The call under way of a running push is known soon.
  const needed = pushes.filter((push) => push.state === 'ambiguous' || (!taken && waits(push)));
  const stateOf = (push: Push): Push['state'] => (needed.includes(push) ? 'ambiguous' : push.state);
  if (json === true) terminal.out(JSON.stringify(pushes.map((push) => shown(push, stateOf(push)))));
  else if (pushes.length === 0) terminal.note('Nothing was pushed yet.');
  else {
    const rows = pushes.map((push) => ({
      push: push.id,
      target: push.name === undefined ? push.target : `${push.target} (${push.name})`,
      state: stateOf(push),
      begun: formatKst(push.begunAt),
      rows: push.counts.rows,
      sent: sentRows(push),
      rejected: push.rejected,
      unknown: unknownRows(push),
      note: push.note ?? '',
    }));
    showTable(terminal, rows);
  }
  for (const push of needed) terminal.warn(adviceOn(push));
  return needed.length > 0 ? EXIT.incomplete : EXIT.done;
}

function shown(push: Push, state: Push['state']): object {
  const { id, target, name, counts, rejected, begunAt, updatedAt, note } = push;
  return {
    push: id,
    target,
    name: name ?? null,
    state,
    begun_at: begunAt,
    updated_at: updatedAt,
    ...counts,
    sent: sentRows(push),
    rejected,
    in_doubt: unknownRows(push),
    calls: callsOf(push),
    note: note ?? null,
  };
}

const rejection = z.object({ k: z.string(), reason: z.string(), tries: z.number() });

/**
 * Lists the rows that the service rejected. A row of a person is kept as a keyed hash; its key is shown if the query that is
 * given finds it now.
 */
export async function pushRejectedCommand(options: PushOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  const { pushes } = await ledgerOf(config, effects);
  const all: { target: string; row: string; reason: string; tries: number; tried_again: boolean }[] = [];
  const hmac = await hmacKey(config.dataDir, effects);
  const session = await hashingSession(config, hmac);
  try {
    for (const [target, key] of new Map(pushes.map((push) => [push.target, push.key]))) {
      const own = pushes.filter((push) => push.target === target);
      await readRemembered(session, await PushedRows.open(config.dataDir, target, effects), own);
      const rejections = await session.rows('push/rejections', rejection);
      const keys =
        rejections.length === 0
          ? new Map<string, string>()
          : await keysOf(target, { key, ...options }, hmac, config, invocation);
      for (const { k, reason, tries } of rejections)
        all.push({ target, row: keys.get(k) ?? k, reason, tries, tried_again: tries < TRIES });
    }
  } finally {
    session.close();
  }
  if (options.json === true) terminal.out(JSON.stringify(all));
  else if (all.length === 0) terminal.note('No row is rejected.');
  else
    showTable(
      terminal,
      all.map(({ tried_again, ...row }) => ({ ...row, 'tried again': tried_again ? 'yes' : 'no' })),
    );
  return EXIT.done;
}

/** The keys of the rows that the given query finds now, by their hashes. Recipients are not shown. */
async function keysOf(
  text: string,
  { key, ...options }: PushOptions & { readonly key: string },
  hmac: Uint8Array,
  config: Config,
  { effects }: Invocation,
): Promise<Map<string, string>> {
  const [kind = '', ...name] = text.split(' ');
  const source = sourceOf(options);
  const isAsked = source.name !== undefined || source.sql !== undefined || source.file !== undefined;
  if (!isAsked || kind === 'opt-outs' || kind === 'catalog-items') return new Map();
  const target = parseTarget([kind, name.join(' ')], {});
  const wanted = { target, source, key };
  const session = await hashingSession(config, hmac);
  try {
    await writeAnswer(session, wanted, config, { key: hmac, now: effects.now() });
    const keys = await session.rows('push/keys', z.object({ k: z.string(), key: z.string() }));
    return new Map(keys.map((row) => [row.k, row.key]));
  } finally {
    session.close();
  }
}

const kept = z.custom<Wanted>((value) => typeof value === 'object' && value !== null);

/** Goes on with a push that stopped; a person decides about the rows whose outcome is unknown. */
export async function pushResumeCommand(
  { again = false, yes, json }: JsonOptions & { readonly again?: boolean; readonly yes?: boolean },
  invocation: Invocation,
  id: string,
): Promise<ExitCode> {
  const config = requireService(invocation.loadConfig());
  const { effects, terminal } = invocation;
  const resumed = await withDataFolder(config, invocation, 'push resume', 'all', async ({ journal }) => {
    const ledger = new PushLedger(journal, effects);
    const push = ledger.get(id);
    const unknown = unknownRows(push);
    const query = isUnfinished(push) ? await new KeptQueries(config.dataDir, effects).read(id) : undefined;
    if (query === undefined) {
      await ledger.decide(push, 'resumed', again);
      terminal.note(
        `The query of push ${id} is not kept. Push again by the same query: ${plural(unknown, 'row')} of unknown outcome ${again ? 'go again' : 'are left out'}.`,
      );
      return undefined;
    }
    const { target, ...rest } = kept.parse(query);
    const words = { mode: target.mode, remove: target.removes };
    const wanted = { ...rest, target: parseTarget([target.kind, target.name], words) };
    const how = { decision: { id, again }, yes };
    const pushed = await pushRows(wanted, config, invocation, journal, how);
    if (unknown > 0 && !again)
      terminal.note(
        `${plural(unknown, 'row')} of unknown outcome ${unknown === 1 ? 'is' : 'are'} left out. \`--again\` would have sent them again.`,
      );
    return { wanted, pushed };
  });
  return resumed === undefined ? EXIT.done : showPushed(resumed.wanted, resumed.pushed, json, invocation);
}

export async function pushAbandonCommand(_: object, invocation: Invocation, id: string): Promise<ExitCode> {
  const config = invocation.loadConfig();
  await withDataFolder(config, invocation, 'push abandon', 'nothing', async ({ journal }) => {
    const ledger = new PushLedger(journal, invocation.effects);
    const push = ledger.get(id);
    if (isUnfinished(push)) await new KeptQueries(config.dataDir, invocation.effects).drop(push.id);
    await ledger.decide(push, 'abandoned');
    invocation.terminal.note(
      `Push ${id} is given up: ${plural(sentRows(push), 'row')} were taken. The next push of the query sends the others.`,
    );
  });
  return EXIT.done;
}
