/** The text of a `.env` that holds the two keys. Pure. */
import { parseEnv } from 'node:util';
import { UsageError } from '../errors.js';
import type { Keys } from './answers.js';

const HEAD = "# The keys of the service's API. Keep this file out of version control.\n";

/**
 * The keys, below them whatever else an earlier file sets.
 *
 * @throws UsageError when a key cannot be written so that it is read again as it is
 */
export function envFile({ accessKey, secretKey }: Keys, earlier = ''): string {
  const rest = earlier
    .split(/\r?\n/)
    .filter((line) => !/^\s*(?:export\s+)?DAWNLOAD_(?:ACCESS|SECRET)_KEY\s*=/.test(line))
    .filter((line) => `${line}\n` !== HEAD)
    .join('\n')
    .trim();
  const text = `${HEAD}DAWNLOAD_ACCESS_KEY=${quoted(accessKey)}\nDAWNLOAD_SECRET_KEY=${quoted(secretKey)}\n${rest === '' ? '' : `\n${rest}\n`}`;
  const read = parseEnv(text);
  if (read['DAWNLOAD_ACCESS_KEY'] === accessKey && read['DAWNLOAD_SECRET_KEY'] === secretKey) return text;
  throw new UsageError('The keys hold characters that cannot be written to .env.', {
    hint: 'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment of the job instead.',
  });
}

function quoted(value: string): string {
  if (/^[\w./+=:@%-]+$/.test(value)) return value;
  const quote = ["'", '`', '"'].find((mark) => !value.includes(mark)) ?? "'";
  return `${quote}${value}${quote}`;
}
