/** `dawnload push`: sends query results back to the service, lists earlier pushes, and records decisions about them. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { requireService, type Config } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import { EXIT, UsageError } from '../ground/errors.js';
import { DataFolder } from '../night/data-folder.js';
import { ledgerNow } from '../night/days-now.js';
import { adviceOn, pathOfTarget, pushesOf, recordDecision, type Decision } from '../push/ledger.js';
import { pushRows, readRemembered, sentenceOn, writeRows } from '../push/push.js';
import { configuredPush, wantedOf } from '../push/targets.js';
import { plural } from '../terminal/terminal.js';
import { storedKey } from '../warehouse/privacy.js';
import { hashingSession } from '../warehouse/warehouse.js';
import { showAll, warnAll, type Command, type JsonOptions, type Options } from './shared.js';

interface PushOptions
  extends
    JsonOptions,
    Options<'mode' | 'query' | 'sql' | 'file' | 'key', 'deleteMissing' | 'dryRun' | 'yes'> {
  readonly param?: readonly string[];
}

export const pushCommand: Command<PushOptions, [first?: string, second?: string]> = async (
  options,
  invocation,
  first,
  second,
) => {
  const settings = invocation.loadConfig();
  const { terminal } = invocation;
  const { dryRun, yes, json, deleteMissing: delete_missing } = options;
  const configured = settings.pushes.find(({ name }) => name === first);
  const own = ['query', 'sql', 'file', 'key', 'mode', 'deleteMissing'] as const;
  const isGiven = second !== undefined || own.some((one) => options[one] !== undefined);
  if (configured !== undefined && (isGiven || (options.param ?? []).length > 0))
    throw new UsageError(`The push ${first} is defined in dawnload.yaml and takes no further options.`, {
      hint: `Change it there, or name the target: \`dawnload push ${configured.target} …\`.`,
    });
  const target = [first, second].join(' ').trim();
  const names = settings.pushes.map(({ name }) => name);
  const wanted = configured
    ? configuredPush(configured)
    : wantedOf({ ...options, target, delete_missing }, names);
  const config = requireService(settings);
  await using folder = await DataFolder.open(config, invocation, { command: 'push', needs: 'all' });
  const pushed = await pushRows(wanted, config, invocation, folder.journal, { dryRun, yes });
  const { plan, id, sent, rejected, calls, doubts } = pushed;
  const isDone = id !== undefined;
  const rest = isDone ? { sent, rejected } : { needs_yes: doubts };
  if (json === true)
    terminal.out(JSON.stringify({ push: id ?? null, target: wanted.target, ...plan, calls, ...rest }));
  if (isDone) terminal.note(sentenceOn(wanted, pushed));
  else if (json !== true) terminal.out(sentenceOn(wanted, pushed));
  if (!isDone)
    for (const doubt of doubts) terminal.warn(`Without --yes, this push would be refused. ${doubt}`);
  if (isDone && sent < plan.to_send)
    terminal.warn('`dawnload push rejected` shows the reasons, and which rows the next push tries again.');
  return isDone && rejected > 0 ? EXIT.incomplete : EXIT.done;
};

/** All pushes of the project; `lost` says what an incomplete journal lacks. */
async function pushesNow(config: Config, effects: Invocation['effects']) {
  const { journal, lock, needed } = await ledgerNow(config, effects);
  return { pushes: pushesOf(journal, lock.taken), lost: needed.filter(({ key }) => key === 'ledger') };
}

export const pushListCommand: Command<JsonOptions> = async ({ json }, invocation) => {
  const { terminal, effects } = invocation;
  const { pushes, lost } = await pushesNow(invocation.loadConfig(), effects);
  const all = pushes.map((push) => {
    const { id, target, name = null, state, begunAt, updatedAt, counts, note = null } = push;
    const { sent, rejected, unknown: in_doubt, calls } = push;
    const about = { push: id, target, name, state, begun_at: begunAt, updated_at: updatedAt };
    return { ...about, ...counts, sent, rejected, in_doubt, calls, note };
  });
  const none = lost.length === 0 ? 'No pushes yet.' : undefined;
  showAll(terminal, json, all, 'push target name state begun_at rows sent rejected in_doubt note', none);
  const open = pushes.filter(({ state }) => state === 'ambiguous');
  return warnAll(terminal, [...lost, ...open.map((push) => ({ advice: adviceOn(push) }))]);
};

const rejection = z.object({
  row: z.string(),
  reason: z.string(),
  tries: z.number(),
  tried_again: z.boolean(),
});

export const pushRejectedCommand: Command<PushOptions> = async (options, invocation) => {
  const { terminal, effects } = invocation;
  const config = invocation.loadConfig();
  const { pushes, lost } = await pushesNow(config, effects);
  // Listing takes no lock, so it must not create a key.
  const hmac = await storedKey(config.dataDir);
  const isAsked = (options.query ?? options.sql ?? options.file) !== undefined;
  const all: (z.infer<typeof rejection> & { target: string })[] = [];
  const session = await hashingSession(config, hmac);
  try {
    for (const [target, key] of new Map(pushes.map((push) => [push.target, push.key]))) {
      const path = pathOfTarget(config.dataDir, target);
      if (!existsSync(path)) continue;
      const own = pushes.filter((push) => push.target === target);
      await readRemembered(session, path, own);
      let rows = await session.rows('push/rejections', rejection);
      if (rows.length > 0 && isAsked && /^(user-properties|events|journey)/.test(target)) {
        const wanted = wantedOf({ ...options, target, key: options.key ?? key });
        await writeRows(session, wanted, config, hmac, effects.now());
        rows = await session.rows('push/rejections', rejection);
      }
      all.push(...rows.map((row) => ({ target, ...row })));
    }
  } finally {
    session.close();
  }
  const none = lost.length === 0 ? 'No rejected rows.' : undefined;
  showAll(terminal, options.json, all, undefined, none);
  return warnAll(terminal, lost);
};

const DECISIONS: Readonly<Record<'delivered' | 'again' | 'abandon', Decision>> = {
  delivered: 'taken',
  again: 'again',
  abandon: 'in_doubt',
};

export const pushDecideCommand: Command<Options<never, keyof typeof DECISIONS>, [id: string]> = async (
  options,
  invocation,
  id,
) => {
  const decisions = (['delivered', 'again', 'abandon'] as const).filter((one) => options[one] === true);
  const [decision] = decisions;
  if (decision === undefined || decisions.length > 1)
    throw new UsageError('Exactly one decision is needed.', {
      hint: 'Check at the service, then add one of --delivered, --again and --abandon.',
    });
  const opening = { command: 'push decide', needs: 'nothing' } as const;
  await using folder = await DataFolder.open(invocation.loadConfig(), invocation, opening);
  const rows = plural(await recordDecision(folder.journal, id, DECISIONS[decision]), 'row');
  const follows = 'If you repeat the command, or a night makes this push, it';
  const sentences = {
    delivered: `${follows} skips the ${rows} that the service has.`,
    again: `${follows} sends the ${rows} again.`,
    abandon: `Push ${id} is given up. Its ${rows} of unknown outcome are not sent again.`,
  };
  invocation.terminal.note(sentences[decision]);
  return EXIT.done;
};
