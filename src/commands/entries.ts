/** The commands as a table: names, arguments, options, examples, and one lazy import per command. */
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import type { Invocation } from '../config/invocation.js';
import { EXIT, type ExitCode } from '../ground/errors.js';
import { formatCount } from '../terminal/text.js';
import type { QueryOptions } from './query.js';
import type { Command as Performer } from './shared.js';

/** A command. The name of a subcommand begins with that of its command: `lake plan`. */
export interface Entry {
  readonly name: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly options: readonly Option[];
  /** Arguments beside those in the name, with descriptions or choices. */
  readonly args: readonly Argument[];
  /** True if the command has an option `--help` of its own. */
  readonly hasOwnHelp: boolean;
  /** Imports and performs the command. A command that has only subcommands has none. */
  readonly perform: ((command: Command, invocation: Invocation) => Promise<ExitCode>) | undefined;
}

interface Settings<O extends object> {
  readonly examples?: readonly string[];
  readonly options?: readonly (Option | readonly [flags: string, about: string])[];
  readonly args?: readonly Argument[];
  readonly hasOwnHelp?: boolean;
  readonly load?: (command: Command) => Promise<Performer<O, string[]>>;
}

function entry<O extends object>(
  name: string,
  about: string,
  { examples, options = [], args = [], hasOwnHelp = false, load }: Settings<O>,
): Entry {
  return {
    ...{ name, about, args, hasOwnHelp },
    examples: examples ?? [`dawnload ${name.replace(/<\w+>/, '2026-11-20.1')}`],
    options: options.map((one) => (one instanceof Option ? one : new Option(...one))),
    perform:
      load &&
      (async (command, invocation) =>
        (await load(command))(command.optsWithGlobals<O>(), invocation, ...command.args)),
  };
}

const JSON_OPTION = ['--json', 'print JSON on stdout, for programs'] as const;
const KEY_OPTION = [
  '--key <columns>',
  'the column, or comma-separated columns, that identify a row (default: the id; events need it)',
] as const;

const PARAM = new Option('-p, --param <k=v>', 'a parameter of the query; may be repeated').argParser(
  (value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value],
);

const SQL_OPTIONS = [
  ['--sql <text>', 'SQL instead of the name of a query'],
  ['-f, --file <file>', 'a file of SQL instead of the name of a query'],
  PARAM,
] as const;

export const choice = (flags: string, about: string, ...words: readonly string[]): Option =>
  new Option(flags, about).choices(words);

const LANGUAGE = (what: string): Option => choice('--lang <language>', what, 'en', 'ko');

function numeric(flags: string, about: string, low: number, high: number, preset: number): Option {
  return new Option(flags, about).default(preset).argParser((text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= low && value <= high) return value;
    throw new InvalidArgumentError(`It must be a number from ${low} to ${formatCount(high)}.`);
  });
}

export const ENTRIES: readonly Entry[] = [
  entry('demo', 'run the nightly job against the embedded sandbox; no account, no cost', {
    load: async () => (await import('./demo.js')).demoCommand,
  }),
  entry('init', 'collect address, project and keys, test them, write dawnload.yaml and .env', {
    examples: [
      'dawnload init',
      'dawnload init --base-url https://api.example.com --start-date 2026-11-01',
      'dawnload init --force    # replaces the files and keeps copies',
    ],
    options: [
      ['--base-url <url>', 'the address of the service'],
      ['--project-id <id>', 'the project, 32 lowercase hexadecimal digits'],
      ['--start-date <day>', 'the first KST day to load, such as 2026-11-01'],
      ['--allow-http', 'allow an http address, to which keys and data travel unencrypted'],
      ['--skip-checks', 'write the files without testing the settings'],
      ['--force', 'replace existing files, keeping copies'],
    ],
    load: async () => (await import('./init.js')).initCommand,
  }),
  entry('doctor', 'check everything a run needs, and show what to fix', {
    examples: ['dawnload doctor', 'dawnload doctor --deep', 'dawnload doctor --first    # on a new account'],
    options: [
      ['--first', 'also show which assumptions about the service are confirmed'],
      ['--deep', 'also read every block of the database files and every landed file'],
      ['--send-test-alert', 'also send a test alert to all receivers'],
      JSON_OPTION,
    ],
    load: async () => (await import('./doctor.js')).doctorCommand,
  }),
  entry('plan', 'show what is missing, and what a run would request and cost; sends nothing', {
    options: [JSON_OPTION],
    load: async () => (await import('./plan.js')).planCommand,
  }),
  entry('run', 'run the nightly job once: load missing days and update recent ones', {
    examples: ['dawnload run', 'dawnload run --config /etc/dawnload/dawnload.yaml --json'],
    options: [JSON_OPTION],
    load: async () => (await import('./run.js')).runCommand,
  }),
  entry('backfill', 'load or reload a range of KST days, like a nightly run; events are billed', {
    examples: [
      'dawnload backfill --start 2026-10-01 --end 2026-10-31 --streams campaigns',
      'dawnload backfill --start 2026-10-01 --end 2026-10-31 --dry-run',
      'dawnload backfill --start 2026-11-18 --end 2026-11-18 --yes-paid',
    ],
    options: [
      new Option('--start <day>', 'the first KST day, such as 2026-10-01').makeOptionMandatory(),
      new Option('--end <day>', 'the last KST day, included').makeOptionMandatory(),
      [
        '--streams <names>',
        'comma-separated; default statistics,campaigns,events; also catalogs,brand_templates,alimtalk_templates,opt_outs',
      ],
      ['--dry-run', 'show what would be requested; sends nothing'],
      ['--yes-paid', 'agree to pay for event exports, within exports.budget'],
      ['--accept-empty', 'accept free answers even if they remove most rows of a loaded day'],
      JSON_OPTION,
    ],
    load: async () => (await import('./run.js')).backfillCommand,
  }),

  entry('exports', 'list paid exports, and decide about them', {
    examples: ['dawnload exports list', 'dawnload exports resume 2026-11-20.1'],
  }),
  entry('exports list', 'list all paid exports; exit code 1 while one needs your decision', {
    options: [JSON_OPTION],
    load: async () => (await import('./exports.js')).exportsListCommand,
  }),
  entry('exports show <key>', 'show one paid export', {
    options: [JSON_OPTION],
    load: async () => (await import('./exports.js')).exportsShowCommand,
  }),
  entry('exports resume <key>', 'download an export, or its missing pages, again at no cost', {
    load: async () => (await import('./exports.js')).exportsResumeCommand,
  }),
  entry('exports decide <key>', 'decide about an export whose outcome is unknown or incomplete', {
    examples: [
      'dawnload exports decide 2026-11-20.1 --attach 8c1f0e2a',
      'dawnload exports decide 2026-11-20.1 --pay-again',
      'dawnload exports decide 2026-11-20.1 --accept-incomplete',
    ],
    options: [
      ['--attach <id>', 'enter a lost export id, or correct a wrong one'],
      ['--pay-again', 'request the day again; it is billed again, within exports.budget'],
      ['--abandon', 'give up the export; no run requests its day again'],
      ['--accept-incomplete', 'accept an empty or short export as complete'],
      ['--yes', 'with --attach, enter the id even if the service does not confirm it'],
    ],
    load: async () => (await import('./exports.js')).exportsDecideCommand,
  }),

  entry('recover', 'show what is missing from the journal; restore it and allow payments and pushes again', {
    options: [['--yes', 'do so without asking'], JSON_OPTION],
    load: async () => (await import('./recover.js')).recoverCommand,
  }),
  entry('rebuild', 'rebuild the warehouse from the landing zone, offline', {
    options: [JSON_OPTION],
    load: async () => (await import('./rebuild.js')).rebuildCommand,
  }),
  entry('backup <folder>', 'copy everything a restore needs into a new folder, and verify it', {
    examples: ['dawnload backup /mnt/backups/2026-11-21'],
    options: [JSON_OPTION],
    load: async () => (await import('./backup.js')).backupCommand,
  }),
  entry('retain', 'list what `retention` would delete; `--yes` deletes it', {
    examples: ['dawnload retain', 'dawnload retain --yes'],
    options: [['--yes', 'delete all of it; a nightly run deletes only a few days at a time'], JSON_OPTION],
    load: async () => (await import('./retain.js')).retainCommand,
  }),
  entry('forget', 'find a person, show what is stored, and erase it everywhere in the data folder', {
    examples: [
      'dawnload forget --user-id u-1024 --show',
      'dawnload forget --recipient 010-1234-5678 --dry-run',
      'dawnload forget -f persons.txt --yes --also-service',
    ],
    options: [
      ['--user-id <id>', 'the id that your systems give the person'],
      ['--recipient <number>', 'a telephone number, in any spelling'],
      ['--email <address>', 'an e-mail address'],
      ['-f, --file <path>', 'many people: `user_id ID`, `recipient NUMBER` or `email ADDRESS`, one per line'],
      new Option('--show', 'print everything that is stored, as JSON; changes nothing').conflicts('dryRun'),
      ['--dry-run', 'show how many rows and records would be erased'],
      ['--also-service', 'ask the service to delete the persons first (E15)'],
      ['--include-shared', 'also erase people linked by an id that more than three persons share'],
      ['--reference <text>', 'the request, such as a ticket number, for the receipt'],
      ['--yes', 'erase without asking'],
      JSON_OPTION,
    ],
    load: async () => (await import('./forget.js')).forgetCommand,
  }),

  entry('push', 'send query results back to the service', {
    examples: [
      'dawnload push user-properties -f tiers.sql --dry-run',
      'dawnload push catalog-items products --mode patch -f prices.sql --key id',
      'dawnload push opt-outs 0801234567 -f asked.sql --key recipient_no',
      'dawnload push prices    # a push of dawnload.yaml',
    ],
    options: [
      ['--query <name>', 'the query whose rows are sent'],
      ...SQL_OPTIONS,
      KEY_OPTION,
      choice('--mode <mode>', 'how catalog items are changed', 'replace', 'patch', 'delete'),
      ['--delete-missing', 'delete the items that earlier pushes sent and the query lacks'],
      ['--dry-run', 'show what would be sent; sends nothing'],
      ['--yes', 'send without asking, despite warnings'],
      JSON_OPTION,
    ],
    args: [
      new Argument(
        '[target]',
        'catalog-items, user-properties, opt-outs, events, journey, or a push of dawnload.yaml',
      ),
      new Argument('[name]', 'the catalog, 080 number, event or journey'),
    ],
    load: async () => (await import('./push.js')).pushCommand,
  }),
  entry('push list', 'list all pushes; exit code 1 while one needs your decision', {
    options: [JSON_OPTION],
    load: async () => (await import('./push.js')).pushListCommand,
  }),
  entry('push rejected', 'list the rows that were rejected, with the reasons', {
    examples: ['dawnload push rejected', 'dawnload push rejected -f tiers.sql --key user_id    # with ids'],
    options: [['--query <name>', 'a query that finds the rows'], ...SQL_OPTIONS, KEY_OPTION, JSON_OPTION],
    load: async () => (await import('./push.js')).pushRejectedCommand,
  }),
  entry('push decide <push>', 'decide about the rows of a push whose outcome is unknown', {
    examples: ['dawnload push decide 2026-11-21.1 --delivered', 'dawnload push decide 2026-11-21.1 --again'],
    options: [
      ['--delivered', 'the service has the rows; they are not sent again'],
      ['--again', 'the service does not have the rows; the next push sends them again'],
      ['--abandon', 'leave the outcome open; these rows are not sent again'],
    ],
    load: async () => (await import('./push.js')).pushDecideCommand,
  }),

  entry('lake', 'copy the published tables to Iceberg, for other query engines', {
    examples: ['dawnload lake setup', 'dawnload lake push', 'dawnload lake verify'],
  }),
  entry('lake setup', 'create the tables of the lake, and test its catalog', {
    examples: ['dawnload lake setup', 'dawnload lake setup --take-over    # becomes the writer'],
    options: [['--take-over', 'take over a lake that another data folder wrote'], JSON_OPTION],
    load: async () => (await import('./lake.js')).lakeSetupCommand,
  }),
  entry('lake plan', 'show which days and models a push would change; changes nothing', {
    options: [JSON_OPTION],
    load: async () => (await import('./lake.js')).lakePlanCommand,
  }),
  entry('lake push', 'update the lake from the published file', {
    options: [JSON_OPTION],
    load: async () => (await import('./lake.js')).lakePushCommand,
  }),
  entry('lake status', 'show the contents of the lake, what a push would change, and the last commits', {
    options: [JSON_OPTION],
    load: async () => (await import('./lake.js')).lakeStatusCommand,
  }),
  entry(
    'lake verify',
    'compare the lake with the published file, by table and day; exit code 1 if they differ',
    {
      examples: ['dawnload lake verify', 'dawnload lake verify --erased'],
      options: [
        ['--erased', 'instead, search all data files for erased persons; exit code 1 if any is found'],
        JSON_OPTION,
      ],
      load: async () => (await import('./lake.js')).lakeVerifyCommand,
    },
  ),

  entry('status', 'show coverage by day and stream, freshness and export fees; exit code for monitors', {
    examples: ['dawnload status', 'dawnload status --format prometheus'],
    options: [
      choice('--format <format>', 'the format', 'text', 'json', 'prometheus').conflicts('json'),
      JSON_OPTION,
    ],
    load: async () => (await import('./status.js')).statusCommand,
  }),
  entry('query [name...]', 'run a bundled query, one of your own, or any SQL on the published file', {
    examples: [
      'dawnload query',
      'dawnload query revenue per month    # searches',
      'dawnload query channel-summary channel=email start=2026-11-01',
      'dawnload query --sql "from marts.channel_days limit 9" --format csv',
      'dawnload query channel-summary --lang ko --output channels.xlsx',
      'dawnload query --new lapsed-users -f lapsed.sql    # a query of your own',
    ],
    options: [
      ...SQL_OPTIONS,
      ['--list', 'list the queries, like `dawnload query` without a name'],
      ['--new <name>', 'save the SQL under this name in the folder `queries`'],
      choice('--format <format>', 'the format of the answer', 'table', 'csv', 'json', 'parquet', 'xlsx'),
      LANGUAGE('the language of the headers of a table, CSV or workbook'),
      ['--bom', 'start a CSV with a byte order mark for Excel; the default for files with --lang ko'],
      ['--no-bom', 'leave the byte order mark out'],
      ['-o, --output <file>', 'write the answer to a file instead of stdout'],
      ['-h, --help', 'display help for the command, and for a query'],
    ],
    hasOwnHelp: true,
    load: async (command) => {
      const { describe, queryCommand } = await import('./query.js');
      return ({ help, ...options }: QueryOptions & { help?: boolean }, invocation, ...words) => {
        // A word such as `channel=email` is a parameter, with or without `--param` before it.
        const given = words.filter((word) => /^\w+=/.test(word));
        const named = words.filter((word) => !given.includes(word));
        const name = named.length === 0 ? undefined : named.join(' ');
        const param = given.length === 0 ? options.param : [...(options.param ?? []), ...given];
        if (help !== true) return queryCommand({ ...options, name, param }, invocation);
        if (name !== undefined) return describe(name, invocation);
        command.outputHelp();
        return EXIT.done;
      };
    },
  }),
  entry('docs [name]', 'describe the tables, views and columns of the warehouse, or a bundled question', {
    examples: [
      'dawnload docs',
      'dawnload docs marts.channel_days',
      'dawnload docs revenue-by-channel',
      'dawnload docs --format skill > SKILL.md',
    ],
    options: [
      choice('--format <format>', 'the format', 'text', 'json', 'skill').conflicts('json').default('text'),
      LANGUAGE('the language of the description').default('en'),
      JSON_OPTION,
    ],
    load: async () => (await import('./docs.js')).docsCommand,
  }),
  entry('report', 'write the report: one HTML page about the published warehouse', {
    examples: ['dawnload report', 'dawnload report --lang ko --output report.html'],
    options: [
      LANGUAGE('the language of the page'),
      ['-o, --output <file>', 'where to write the page (default: report.html in the data folder)'],
    ],
    load: async () => (await import('./report.js')).reportCommand,
  }),
  entry('explore', 'open questions, charts and SQL in a browser on this machine', {
    examples: ['dawnload explore --open', 'dawnload explore --lang ko --port 8787'],
    options: [
      numeric('--port <port>', 'the port; 0 takes any free one', 0, 65_535, 8787),
      ['--open', 'open the page in the default browser'],
      new Option('--host <address>', 'also serve other machines; needs DAWNLOAD_EXPLORE_PASSWORD').default(
        '127.0.0.1',
      ),
      numeric('--seconds <seconds>', 'the time limit for a question', 0.1, 3_600, 60),
      LANGUAGE('the language of the pages (default: that of the browser, or `report`)'),
    ],
    load: async () => (await import('./explore.js')).exploreCommand,
  }),
  entry('schedule', 'keep running and start the nightly job at 07:10 KST', {
    examples: ['dawnload schedule', 'dawnload schedule --at 08:00 --now'],
    options: [
      ['--at <time>', 'time of day in Korea, 07:00 or later (default: 07:10)'],
      ['--now', 'also run once immediately'],
    ],
    load: async () => (await import('./schedule.js')).scheduleCommand,
  }),
  entry('sandbox', 'run the sandbox service alone, on a port, for rehearsals', {
    examples: ['dawnload sandbox', 'dawnload sandbox --port 8080 --events-per-day 1000000'],
    options: [
      numeric('--port <port>', 'the port; 0 takes any free one', 0, 65_535, 0),
      numeric('--events-per-day <count>', 'number of export records per day', 0, 100_000_000, 20_000),
      numeric('--export-seconds <seconds>', 'how long an export is processing', 0, 86_400, 1),
      ['--billing-journal <file>', 'a file to append each bill to'],
    ],
    load: async () => (await import('./demo.js')).sandboxCommand,
  }),
  entry('mcp', 'answer agents over stdio (MCP): bundled questions and read-only SQL', {
    examples: ['dawnload mcp --config /etc/dawnload/dawnload.yaml', 'dawnload mcp --rows 200 --seconds 10'],
    options: [
      numeric('--rows <count>', 'the maximum number of rows in an answer', 1, 100_000, 1_000),
      numeric(
        '--characters <count>',
        'the maximum number of characters in an answer',
        10_000,
        10_000_000,
        50_000,
      ),
      numeric('--seconds <seconds>', 'the time limit for a question', 0.1, 3_600, 30),
    ],
    load: async () => (await import('./mcp.js')).mcpCommand,
  }),
  entry('completion', 'print the script for Tab completion in bash, zsh or fish', {
    examples: [
      'dawnload completion bash > ~/.dawnload.bash    # then: source ~/.dawnload.bash',
      'dawnload completion fish | source',
    ],
    args: [new Argument('<shell>').choices(['bash', 'zsh', 'fish'])],
    load: async (command) => {
      const { completionCommand } = await import('./completion.js');
      return (_, invocation, shell) => completionCommand(shell, command.parent ?? command, invocation);
    },
  }),
];
