/** `dawnload init`: a configuration file that works once three lines are filled in, and a place for the secrets. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { lastCompleteDay, shiftDay } from '../calendar.js';
import { codeOf, EXIT, StorageError, UsageError, type ExitCode } from '../errors.js';
import type { Invocation } from '../run/invocation.js';

export interface InitOptions {
  readonly force?: boolean;
}

export function initCommand(folder: string, options: InitOptions, invocation: Invocation): Promise<ExitCode> {
  const { terminal, effects } = invocation;
  const yaml = resolve(folder, invocation.flags.config ?? 'dawnload.yaml');
  // Beside the settings: no other .env is read.
  const env = resolve(dirname(yaml), '.env');
  if (existsSync(yaml) && options.force !== true) {
    throw new UsageError(`${yaml} exists already.`, { hint: 'Edit it, or replace it with --force.' });
  }
  const start = shiftDay(lastCompleteDay(effects.now()), -6);
  write(yaml, settings(start), 0o644);
  terminal.note(`Wrote ${yaml}.`);
  // A secret that is there already is not ours to overwrite, not even with --force.
  if (existsSync(env)) {
    terminal.note(`Kept ${env}.`);
  } else {
    write(env, SECRETS, 0o600);
    terminal.note(`Wrote ${env}, readable only by you. Keep it out of version control.`);
  }
  terminal.note('Next: fill in base_url, project_id and the two keys, then run `dawnload doctor`.');
  return Promise.resolve(EXIT.done);
}

function write(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { mode });
  } catch (cause) {
    throw new StorageError(`${file} cannot be written (${codeOf(cause) ?? 'unknown'}).`, {
      hint: 'Change to a folder that you may write to.',
      cause,
    });
  }
}

const SECRETS = `# The keys of the service's API. Only these two belong here.
DAWNLOAD_ACCESS_KEY=
DAWNLOAD_SECRET_KEY=
`;

function settings(start: string): string {
  return `# Dawnload: where the data comes from, how much of it, and where it goes.
# The access keys do not belong here: see .env.

base_url: https://api.example.com
project_id: 00000000000000000000000000000000   # 32 lowercase hexadecimal digits

# Words of your service: the one before _user_id and _device_id in export records, and the messenger's.
brand: service
messenger: chatapp

data_dir: ./data
start_date: ${start}          # the first KST day the warehouse should hold
lookback_days: 7                # free streams: days pulled again each night, since counts may be restated
requests_per_second: 50
concurrency: 64

privacy:
  recipients: hash              # keep | hash | drop: phone numbers and e-mail addresses of people

# Event exports are billed per record. Without a budget no paid request is ever sent.
# exports:
#   budget:
#     records_per_run: 1000000
#     records_per_month: 10000000
#   price_per_record: 0.0       # for estimates and the spend report
#   start_date: ${start}        # the first KST day to export
#   include_message_data: true
#   page_parameter: page        # the query parameter that carries the page number
#   max_wait_minutes: 60        # after that, the next run resumes the same export
`;
}
