/** The command line as a table: names, arguments, options, examples, and one lazy import per command. */
import { Command } from 'commander';
import type { BackfillOptions } from './backfill.js';
import type { AttachOptions } from './exports.js';
import type { RecoverOptions } from './recover.js';
import type { LakeSetupOptions, LakeVerifyOptions } from './lake.js';
import type { ResumeOptions } from '../run.js';
import { JSON_OPTION, withExamples, type Action, type JsonOptions, choice } from './shared.js';
import type { ForgetOptions } from './forget.js';
import type { DocsOptions } from './docs.js';
import type { InitOptions } from './init.js';
import type { PushOptions, ResumePushOptions } from './push.js';
import type { ReportOptions } from './report.js';
import type { McpOptions } from './mcp.js';
import type { QueryOptions } from './query.js';
import type { SandboxFlags } from './sandbox.js';
import type { ScheduleOptions } from './schedule.js';
import type { Flags } from '../config.js';
import { loadCatalogue, describeQuery } from '../queries/catalogue.js';
import { visibleLines } from '../terminal/text.js';

export type Perform = (flags: Flags, action: Action) => Promise<void>;

export function commandLine(version: string, perform: Perform): Command {
  const program = new Command('dawnload')
    .description(
      "Loads a messaging service's statistics and paid event exports into one DuckDB file for SQL.",
    )
    .version(version, '-V, --version', 'the version of dawnload')
    .configureOutput({
      outputError: (text, write) => {
        write(visibleLines(text.replace(/^error: /, 'dawnload: ')));
      },
    })
    .showHelpAfterError('(`dawnload help` lists the commands)')
    .exitOverride();
  withExamples(withFlags(program), [
    'dawnload demo',
    'dawnload run',
    'dawnload status',
    'dawnload query channel-summary',
    'dawnload help backfill',
  ]);

  /** Runs an action with the flags of its command, which may be anywhere on the line. */
  let flags: Flags = {};
  program.hook('preAction', (_, command) => {
    flags = command.optsWithGlobals();
  });
  const act = (action: Action): Promise<void> => perform(flags, action);
  const add = (parent: Command, name: string, description: string, examples: readonly string[]): Command =>
    withExamples(withFlags(parent.command(name)).description(description), examples);

  add(program, 'demo', 'run the nightly job against the embedded sandbox; no account, no cost', [
    'dawnload demo',
    'dawnload demo --verbose    # every table, and three whole answers',
  ]).action(() => act(async (invocation) => (await import('./demo.js')).demoCommand(invocation)));

  add(program, 'init', 'ask what has to be known, try it on the service, write dawnload.yaml and .env', [
    'dawnload init',
    'dawnload init --base-url https://api.example.com --project-id 0123456789abcdef0123456789abcdef --start-date 2026-11-01',
    'dawnload init --force    # replaces the files and keeps copies',
  ])
    .option('--base-url <url>', 'the address of the service')
    .option('--project-id <id>', 'the project, 32 lowercase hexadecimal digits')
    .option('--start-date <day>', 'the first KST day to load, such as 2026-11-01')
    .option(
      '--records-per-run <count>',
      'the budget of paid exports; without one no paid request is ever sent',
    )
    .option('--records-per-month <count>', 'the same for a month')
    .option('--price-per-record <price>', 'what the service bills for a record')
    .option('--allow-http', 'let keys and data travel unencrypted to an http address')
    .option('--skip-checks', 'write the files without asking the service')
    .option('--force', 'replace the files that are there, keeping copies')
    .addHelpText(
      'after',
      '\nThe keys are asked for without echo, or taken from DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY.',
    )
    .action((options: InitOptions) =>
      act(async (invocation) => (await import('./init.js')).initCommand(process.cwd(), options, invocation)),
    );

  add(program, 'doctor', 'check what a night depends on, and say what to do', [
    'dawnload doctor',
    'dawnload doctor --deep',
    'dawnload doctor --json',
  ])
    .option('--deep', 'also read every block of the database files and every landed file')
    .option('--send-test-alert', 'also send an alert to everybody who gets alerts')
    .option(...JSON_OPTION)
    .action((options: JsonOptions & { deep?: boolean; sendTestAlert?: boolean }) =>
      act(async (invocation) => (await import('./doctor.js')).doctorCommand(options, invocation)),
    );

  add(program, 'plan', 'show what is missing, and what a run would request and cost; sends nothing', [
    'dawnload plan',
    'dawnload plan --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await import('./plan.js')).planCommand(options, invocation)),
    );

  add(
    program,
    'run',
    'run the nightly job once: every missing or restatable day up to the last complete one',
    ['dawnload run', 'dawnload run --config /etc/dawnload/dawnload.yaml --json'],
  )
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await import('./run.js')).runCommand(options, invocation)),
    );

  add(program, 'backfill', 'run the same stages over a range of KST days', [
    'dawnload backfill --start 2026-10-01 --end 2026-10-31 --streams statistics,campaigns',
    'dawnload backfill --start 2026-10-01 --end 2026-10-31 --dry-run',
    'dawnload backfill --start 2026-11-18 --end 2026-11-18 --streams events --yes-paid',
  ])
    .requiredOption('--start <day>', 'the first KST day, such as 2026-10-01')
    .requiredOption('--end <day>', 'the last KST day, included')
    .option(
      '--streams <names>',
      'any of statistics,campaigns,events (default: these three), catalogs,brand_templates,alimtalk_templates,opt_outs',
    )
    .option('--dry-run', 'show what would be requested; sends nothing')
    .option('--yes-paid', 'consent to paid exports, within exports.budget')
    .option('--accept-empty', 'accept free answers even if they delete days that the warehouse holds')
    .option(...JSON_OPTION)
    .action((options: BackfillOptions) =>
      act(async (invocation) => (await import('./backfill.js')).backfillCommand(options, invocation)),
    );

  addExports(program, add, act);

  add(program, 'rebuild', 'rebuild the warehouse from the landing zone, without any request', [
    'dawnload rebuild',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await import('./rebuild.js')).rebuildCommand(options, invocation)),
    );

  add(program, 'forget', 'find a person, show what is held, and erase it everywhere in the data folder', [
    'dawnload forget --user-id u-1024 --show',
    'dawnload forget --recipient 010-1234-5678 --dry-run',
    'dawnload forget --user-id u-1024 --reference "request 2026-118"',
    'dawnload forget -f persons.txt --yes --also-service',
  ])
    .option('--user-id <id>', 'the id that your systems give the person')
    .option('--recipient <number>', 'a telephone number, in any spelling')
    .option('--email <address>', 'an e-mail address')
    .option('-f, --file <path>', 'many: `user_id ID`, `recipient NUMBER` or `email ADDRESS`, one a line')
    .option('--show', 'print everything that is held, as JSON; changes nothing')
    .option('--output <folder>', 'with --show: write one CSV file for each table as well')
    .option('--dry-run', 'count, place by place, what would be erased')
    .option('--also-service', 'ask the service to delete the persons first (E15)')
    .option('--include-shared', 'follow ids that more than three persons share')
    .option('--reference <text>', 'on whose request, for the receipt')
    .option('--yes', 'erase without asking')
    .option(...JSON_OPTION)
    .action((options: ForgetOptions) =>
      act(async (invocation) => (await import('./forget.js')).forgetCommand(options, invocation)),
    );

  addPush(program, add, act);

  addLake(program, add, act);

  add(program, 'status', 'show coverage by day and stream, freshness and spend; exit code for monitors', [
    'dawnload status',
    'dawnload status --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await import('./status.js')).statusCommand(options, invocation)),
    );

  add(program, 'query [name]', 'run a bundled query, or any SQL, on the published warehouse', [
    'dawnload query',
    'dawnload query channel-summary --param start=2026-11-01',
    'dawnload query --sql "select channel, count(*) from events group by all" --format csv',
    'dawnload query channel-summary --help',
    'dawnload query channel-summary --format csv --bom --lang ko --output channels.csv',
    'dawnload query -f my.sql --format parquet --output my.parquet',
  ])
    .addHelpText('after', ({ command }) => helpOfQuery(command.args))
    .option('--sql <text>', 'SQL instead of a bundled query')
    .option('-f, --file <file>', 'a file of SQL instead of a bundled query')
    .option('-p, --param <k=v>', 'a parameter of the query; may be repeated', collect, [])
    .addOption(choice('--format <format>', 'the format of the answer', ['table', 'csv', 'json', 'parquet']))
    .addOption(choice('--lang <language>', 'the language of the headers of a table or CSV', ['en', 'ko']))
    .option('--bom', 'begin a CSV with a byte order mark, so that Excel reads it as UTF-8')
    .option('--show', 'show what a bundled query takes and returns, with an example')
    .option('-o, --output <file>', 'write the answer to a file instead of stdout')
    .action((name: string | undefined, options: Omit<QueryOptions, 'name'>) =>
      act(async (invocation) =>
        (await import('./query.js')).queryCommand(
          { ...options, ...(name === undefined ? {} : { name }) },
          invocation,
        ),
      ),
    );

  add(program, 'docs [table]', 'describe every table, view and column of the warehouse', [
    'dawnload docs',
    'dawnload docs marts.channel_days',
    'dawnload docs events --lang ko',
    'dawnload docs --format markdown > dictionary.md',
    'dawnload docs --format dbt > models/sources.yml    # or skill',
  ])
    .addOption(
      choice('--format <format>', 'the format of the description', [
        'text',
        'markdown',
        'json',
        'skill',
        'dbt',
      ]).default('text'),
    )
    .addOption(choice('--lang <language>', 'the language of the description', ['en', 'ko']).default('en'))
    .option('--brief', 'in Markdown, list tables and views without their columns')
    .option(...JSON_OPTION)
    .action((table: string | undefined, options: Omit<DocsOptions, 'table'>) =>
      act(async (invocation) =>
        (await import('./docs.js')).docsCommand(
          { ...options, ...(table === undefined ? {} : { table }) },
          invocation,
        ),
      ),
    );

  add(program, 'report', 'write the report on the published warehouse: one HTML page for people', [
    'dawnload report',
    'dawnload report --lang ko --output report.html',
  ])
    .addOption(choice('--lang <language>', 'the language of the page', ['en', 'ko']))
    .option('-o, --output <file>', 'where to write the page (default: report.html in the data folder)')
    .action((options: ReportOptions) =>
      act(async (invocation) => (await import('./report.js')).reportCommand(options, invocation)),
    );

  add(program, 'schedule', 'keep running and start the nightly job at 07:10 KST', [
    'dawnload schedule',
    'dawnload schedule --at 08:00 --now',
  ])
    .option('--at <time>', 'time of day in Korea, 07:00 or later (default: 07:10)')
    .option('--now', 'also run once right away, whether anything is due or not')
    .action((options: ScheduleOptions) =>
      act(async (invocation) => (await import('./schedule.js')).scheduleCommand(options, invocation)),
    );

  add(program, 'sandbox', 'run the sandbox service alone, on a port, for rehearsals', [
    'dawnload sandbox',
    'dawnload sandbox --port 8080 --events-per-day 1000000',
    'dawnload sandbox --catalog-items 1000000',
  ])
    .option('--port <port>', 'the port; 0 takes any free one', '0')
    .option('--events-per-day <count>', 'export records per day', '20000')
    .option('--export-seconds <seconds>', 'how long an export is processing', '1')
    .option('--catalog-items <count>', 'items of a catalog called big; with 0 there is none', '0')
    .option('--latency <milliseconds>', 'how long each answer takes', '0')
    .option('--no-date', 'send no Date header, for rehearsals in which the command has another clock')
    .option('--no-restatements', 'report every delivery of a day on its first morning')
    .option('--billing-journal <file>', 'a file that each bill is appended to')
    .action((options: SandboxFlags) =>
      act(async (invocation) => (await import('./sandbox.js')).sandboxCommand(options, invocation)),
    );

  add(
    program,
    'mcp',
    'answer agents over stdio (Model Context Protocol): bundled questions, and SQL that only reads',
    [
      'dawnload mcp --config /etc/dawnload/dawnload.yaml',
      'dawnload mcp --rows 200 --characters 20000 --seconds 10',
    ],
  )
    .option('--rows <count>', 'how many rows an answer has at most', '1000')
    .option('--characters <count>', 'how long an answer is at most', '50000')
    .option('--seconds <seconds>', 'how long a question may take', '30')
    .action((options: McpOptions) =>
      act(async (invocation) => (await import('./mcp.js')).mcpCommand(options, invocation)),
    );

  add(program, 'completion <shell>', 'print what makes the Tab key complete commands: bash, zsh or fish', [
    'dawnload completion bash > ~/.dawnload.bash    # then: source ~/.dawnload.bash',
    'dawnload completion fish | source',
  ]).action((shell: string) =>
    act(async ({ terminal }) =>
      (await import('./completion.js')).completionCommand(shell, program, terminal),
    ),
  );

  return program;
}

function withFlags(command: Command): Command {
  return command
    .option('--config <file>', 'the settings file (default: dawnload.yaml in this folder)')
    .option('--data-dir <folder>', 'the folder of landing zone, ledger and warehouse')
    .addOption(
      choice('--log-format <format>', 'how notes and warnings are written to stderr', ['text', 'json']),
    )
    .option('--verbose', 'with an error, also show its causes');
}

/** Appends the header of the bundled query to the output of `dawnload query NAME --help`. */
function helpOfQuery([name]: readonly string[]): string {
  const query = loadCatalogue().find((file) => file.name === name);
  return query === undefined ? '' : `\n${describeQuery(query)}`;
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

function addExports(
  program: Command,
  add: (parent: Command, name: string, description: string, examples: readonly string[]) => Command,
  act: (action: Action) => Promise<void>,
): void {
  const load = () => import('./exports.js');
  const exports = withExamples(
    program.command('exports').description('list paid exports, and decide about one'),
    ['dawnload exports list', 'dawnload exports show 2026-11-20.1', 'dawnload exports resume 2026-11-20.1'],
  );
  add(exports, 'list', 'list all paid exports; exit code 1 while one needs action', ['dawnload exports list'])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).exportsListCommand(options, invocation)),
    );
  add(exports, 'show <key>', 'show one paid export', ['dawnload exports show 2026-11-20.1']).action(
    (key: string) => act(async (invocation) => (await load()).exportsShowCommand(key, invocation)),
  );
  add(exports, 'resume <key>', 'resume one at no cost; with --pay-again, request its day again', [
    'dawnload exports resume 2026-11-20.1',
    'dawnload exports resume 2026-11-20.1 --pay-again',
  ])
    .option('--pay-again', 'consent to be billed again for this day')
    .option('--accept-incomplete', 'accept an incomplete export: no record, or only some of the pages')
    .action((key: string, options: ResumeOptions) =>
      act(async (invocation) => (await load()).exportsResumeCommand(key, options, invocation)),
    );
  add(exports, 'attach <key> <export-id>', 'give the id of an export whose answer was lost', [
    'dawnload exports attach 2026-11-20.1 8c1f0e2a',
  ])
    .option(
      '--yes',
      'replace the id of an export whose data has arrived, or take that of another, without asking',
    )
    .action((key: string, exportId: string, options: AttachOptions) =>
      act(async (invocation) => (await load()).exportsAttachCommand(key, exportId, options, invocation)),
    );
  // `recover`, and its alias `exports recover`.
  for (const [parent, command] of [
    [program, 'dawnload recover'],
    [exports, 'dawnload exports recover'],
  ] as const) {
    add(parent, 'recover', 'show what the journal lacks and other files know, and enter it', [
      command,
      `${command} --yes`,
    ])
      .option('--yes', 'enter it, and let runs pay and push again, without asking')
      .option(...JSON_OPTION)
      .action((options: RecoverOptions) =>
        act(async (invocation) => (await import('./recover.js')).recoverCommand(options, invocation)),
      );
  }
  add(exports, 'abandon <key>', 'give one up; no run requests its day again', [
    'dawnload exports abandon 2026-11-20.1',
  ]).action((key: string) =>
    act(async (invocation) => (await load()).exportsAbandonCommand(key, invocation)),
  );
}

function addPush(
  program: Command,
  add: (parent: Command, name: string, description: string, examples: readonly string[]) => Command,
  act: (action: Action) => Promise<void>,
): void {
  const load = () => import('./push.js');
  const asking = (command: Command): Command =>
    command
      .option('--query <name>', 'the bundled query whose answer is sent')
      .option('--sql <text>', 'SQL instead of a bundled query')
      .option('-f, --file <file>', 'a file of SQL instead of a bundled query')
      .option('-p, --param <k=v>', 'a parameter of the query; may be repeated', collect, [])
      .option('--key <column>', 'leave out the rows that equal the last acknowledged ones with this key')
      .addOption(choice('--mode <mode>', 'what becomes of catalog items', ['replace', 'patch', 'delete']))
      .option(...JSON_OPTION);
  const push = add(program, 'push', 'send the answer of a query back to the service', [
    'dawnload push user-properties --sql "select user_id, tier from tiers" --key user_id --dry-run',
    'dawnload push catalog-items products --mode patch -f prices.sql --key id',
    'dawnload push journey uj-win02 -f lapsed.sql --key user_id --only u-1024',
    'dawnload push opt-outs 0801234567 -f asked.sql --key recipient_no',
    'dawnload push prices    # a push of dawnload.yaml',
  ]).argument(
    '[target]',
    'catalog-items, user-properties, opt-outs, events, journey, or a push of dawnload.yaml',
  );
  // Options that both have are parsed by this command, also after the name of a subcommand.
  const given = <T extends object>(options: T): T & PushOptions => ({
    ...options,
    ...push.opts<PushOptions>(),
  });
  asking(push.argument('[name]', 'the catalog, 080 number, event or journey'))
    .option('--only <key>', 'send the one row with this key, to try it')
    .option('--delete-missing', 'delete the items that earlier pushes sent and the query lacks')
    .option('--remove', 'remove recipients from the list of opt-outs')
    .option('--dry-run', 'show what would be sent; sends nothing')
    .option('--yes', 'send it in spite of doubts, without asking')
    .action((target: string | undefined, name: string | undefined, options: PushOptions) =>
      act(async (invocation) => (await load()).pushCommand(wordsOf(target, name), options, invocation)),
    );
  add(push, 'list', 'list all pushes; exit code 1 while one needs action', ['dawnload push list'])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).pushListCommand(given(options), invocation)),
    );
  asking(
    add(push, 'rejected', 'list the rows that were rejected, with the reasons', [
      'dawnload push rejected',
      'dawnload push rejected user-properties -f tiers.sql --key user_id    # with user ids',
    ])
      .argument('[target]', 'a target, or a push of dawnload.yaml')
      .argument('[name]', 'the catalog, 080 number, event or journey'),
  ).action((target: string | undefined, name: string | undefined, options: PushOptions) =>
    act(async (invocation) =>
      (await load()).pushRejectedCommand(wordsOf(target, name), given(options), invocation),
    ),
  );
  add(push, 'resume <push>', 'go on with a push that stopped; rows of unknown outcome are left out', [
    'dawnload push resume 2026-11-21.1',
    'dawnload push resume 2026-11-21.1 --again',
  ])
    .option('--again', 'the service does not have the rows of unknown outcome: send them again')
    .option(...JSON_OPTION)
    .action((id: string, options: ResumePushOptions) =>
      act(async (invocation) => (await load()).pushResumeCommand(id, given(options), invocation)),
    );
  add(push, 'abandon <push>', 'give the rest of a push up', ['dawnload push abandon 2026-11-21.1']).action(
    (id: string) => act(async (invocation) => (await load()).pushAbandonCommand(id, invocation)),
  );
}

function wordsOf(target: string | undefined, name: string | undefined): [string, string?] | [] {
  if (target === undefined) return [];
  return name === undefined ? [target] : [target, name];
}

function addLake(
  program: Command,
  add: (parent: Command, name: string, description: string, examples: readonly string[]) => Command,
  act: (action: Action) => Promise<void>,
): void {
  const load = () => import('./lake.js');
  const lake = withExamples(
    program.command('lake').description('the same tables in Iceberg, for other engines'),
    ['dawnload lake setup', 'dawnload lake push', 'dawnload lake verify'],
  );
  add(lake, 'setup', 'create the tables of the lake, and try its catalog', [
    'dawnload lake setup',
    'dawnload lake setup --take-over    # this data folder becomes the writer',
  ])
    .option('--take-over', 'become the writer of a lake that another data folder wrote')
    .option(...JSON_OPTION)
    .action((options: LakeSetupOptions) =>
      act(async (invocation) => (await load()).lakeSetupCommand(options, invocation)),
    );
  add(lake, 'plan', 'show which days and models a push would bring; changes nothing', [
    'dawnload lake plan',
    'dawnload lake plan --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakePlanCommand(options, invocation)),
    );
  add(lake, 'push', 'bring the lake to what the published file holds', [
    'dawnload lake push',
    'dawnload lake push --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakePushCommand(options, invocation)),
    );
  add(lake, 'status', 'show what the lake holds and its last commits', [
    'dawnload lake status',
    'dawnload lake status --json',
  ])
    .option(...JSON_OPTION)
    .action((options: JsonOptions) =>
      act(async (invocation) => (await load()).lakeStatusCommand(options, invocation)),
    );
  add(
    lake,
    'verify',
    'compare counts and sums of each day and table with the file; exit code 1 if any differs',
    ['dawnload lake verify', 'dawnload lake verify --json', 'dawnload lake verify --erased'],
  )
    .option('--erased', 'search every data file for erased persons instead; exit code 1 if any is found')
    .option(...JSON_OPTION)
    .action((options: LakeVerifyOptions) =>
      act(async (invocation) => (await load()).lakeVerifyCommand(options, invocation)),
    );
}
