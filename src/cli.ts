#!/usr/bin/env node
/** The entry point. It checks Node's version before it imports anything else, because an old Node cannot parse some libraries. */
import { readFileSync } from 'node:fs';

const LEAST = [20, 19] as const;

// Until main() handles signals, a signal ends the process, because nothing has started yet.
const interrupted = (): never => process.exit(130);
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
for (const signal of SIGNALS) process.on(signal, interrupted);

process.exit(isTooOld() ? refuse() : await perform());

async function perform(): Promise<number> {
  // DuckDB writes leftovers of its memory into unused parts of a file; after an erasure they must not be the person's data. DuckDB's
  // allocator, which it has on Linux, reads this variable when it is loaded, and then fills new memory with zeros.
  if (process.argv.includes('forget')) process.env['DUCKDB_JE_MALLOC_CONF'] = 'zero:true';
  const { main } = await import('./main.js');
  for (const signal of SIGNALS) process.off(signal, interrupted);
  return main(process.argv);
}

function isTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < LEAST[0] || (major === LEAST[0] && minor < LEAST[1]);
}

/** Reports that Node is too old; returns the exit code. `--version` still works, for bug reports. */
function refuse(): number {
  if (process.argv.some((word) => word === '--version' || word === '-V')) {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
    process.stdout.write(`${/"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown'}\n`);
    return 0;
  }
  process.stderr.write(
    `dawnload: Node ${process.versions.node} (${process.platform}-${process.arch}) is too old; dawnload needs Node ${LEAST.join('.')} or newer.\n` +
      '  Install a newer Node (https://nodejs.org), then run the command again.\n',
  );
  return 1;
}
