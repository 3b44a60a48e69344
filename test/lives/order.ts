/**
 * Whether a command did things in the right order, by the record of what it did: bytes are durable before they get their
 * name, what a line of the journal promises is durable before the line, and an intent is durable before its request.
 */
import { basename, dirname, sep } from 'node:path';
import { MANIFEST } from '../../src/disk/paths.js';

/** What a command did to a file, or asked of the service. `line` is what it appended to the journal. */
export type Operation =
  | {
      readonly did: 'wrote';
      readonly path: string;
      readonly isNew: boolean;
      readonly inPlace?: boolean;
      readonly line?: string;
    }
  | { readonly did: 'synced' | 'removed'; readonly path: string }
  | { readonly did: 'renamed'; readonly from: string; readonly to: string }
  /** A request that must be sent once; `day` is that of a paid export. */
  | { readonly did: 'sent'; readonly what: 'export' | 'push'; readonly day?: string };

/** Files that every run writes again, and nothing relies on. */
const DERIVED = /\/(lock|status)\.json$/;

/** Below the data folder: what must be durable before a line of the journal says so. */
const PROMISED: Readonly<Record<string, (key: string) => string>> = {
  'export/landed': (key) => `landing/events/${dayIn(key)}/${key}`,
  'export/loaded': (key) => `landing/events/${dayIn(key)}/${key}`,
  'push/intended': () => 'ledger/pushed',
  'erase/cut': () => 'landing',
  'erase/done': () => 'landing',
};

/** The day in the key of an export. */
const dayIn = (key: string): string => key.slice(0, 10);

export const isTemporary = (path: string): boolean => basename(path).startsWith('.tmp-');

/** The sentences about what came too early, in order; once a command is over, also about what is not durable. */
export function outOfOrder(data: string, operations: readonly Operation[], isOver = true): string[] {
  const journal = `${data}/ledger/journal.jsonl`;
  /** Files with bytes that a power cut takes, and names that it takes back. */
  const bytes = new Set<string>();
  const names = new Set<string>();
  /** Intents whose requests have not left: of exports, their days. */
  const intents: string[] = [];
  const found: string[] = [];
  const pending = (folder: string): string[] =>
    [...new Set([...bytes, ...names])].filter(
      (path) => path.startsWith(folder + sep) && !isTemporary(path) && !DERIVED.test(path),
    );
  const assertDurable = (folder: string, what: string, ...but: string[]): void => {
    const early = pending(folder).filter((path) => !but.includes(path));
    if (early.length > 0) found.push(`${what} before this was durable: ${early.join(', ')}`);
  };
  for (const one of operations) {
    switch (one.did) {
      case 'wrote': {
        if (one.inPlace === true) found.push(`${one.path} was overwritten in place`);
        bytes.add(one.path);
        if (one.isNew) names.add(one.path);
        if (one.line === undefined) break;
        const { kind, event, key = '' } = JSON.parse(one.line) as Record<string, string>;
        const folder = PROMISED[`${kind}/${event}`]?.(key);
        if (folder !== undefined) assertDurable(`${data}/${folder}`, `the line ${kind}/${event} was written`);
        if (event === 'intended') intents.push(kind === 'export' ? dayIn(key) : `${kind}`);
        break;
      }
      case 'renamed': {
        if (bytes.delete(one.from)) found.push(`${one.to} got its name before its bytes were durable`);
        bytes.delete(one.to);
        names.add(one.to);
        if (basename(one.to) === MANIFEST) assertDurable(dirname(one.to), 'a manifest got its name', one.to);
        break;
      }
      case 'synced':
        bytes.delete(one.path);
        // The fsync of a folder makes its names durable.
        for (const name of names) if (dirname(name) === one.path) names.delete(name);
        break;
      case 'removed':
        bytes.delete(one.path);
        names.delete(one.path);
        break;
      case 'sent': {
        const at = intents.indexOf(one.day ?? one.what);
        if (at < 0) found.push(`a request of ${one.what} ${one.day ?? ''} left without an intent of its own`);
        else intents.splice(at, 1);
        if (bytes.has(journal) || names.has(journal))
          found.push(`a request of ${one.what} ${one.day ?? ''} left before its intent was durable`);
      }
    }
  }
  if (isOver) assertDurable(data, 'the command ended');
  return found;
}
