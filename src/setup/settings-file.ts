/** The text of a commented `dawnload.yaml`. Pure. */
import { stringify } from 'yaml';
import type { Answers } from './answers.js';

type Settings = Omit<Answers, 'keys'> & {
  /** As it is to be written: relative to the file's folder, or absolute. */
  readonly dataDir: string;
};

export function settingsFile(settings: Settings): string {
  const { baseUrl, allowHttp, projectId, dataDir, startDate } = settings;
  return `# Dawnload: where the data comes from, how much of it, and where it goes.
# docs/configuration.md explains every key. The access keys do not belong here: see .env.

base_url: ${scalar(baseUrl)}
${allowHttp ? 'allow_http: true                # keys and data travel unencrypted\n' : ''}project_id: ${scalar(projectId)}

# Words of your service: the one before _user_id and _device_id in export records, and the messenger's.
brand: service
messenger: chatapp

data_dir: ${scalar(dataDir)}
start_date: ${startDate}          # the first KST day the warehouse should hold
lookback_days: 7                # free streams: days pulled again each night, since counts may be restated
requests_per_second: 50
concurrency: 64

privacy:
  recipients: hash              # keep | hash | drop: phone numbers and e-mail addresses of people

# Event exports are billed per record. Without a budget no paid request is ever sent.
${exportsSection(settings)}
# What the ids in events mean: read each night at no cost, kept with its history.
# reference:
#   catalogs: true                # or some of them: [products]
#   brand_templates:
#     sender_keys: []
#   alimtalk_templates: true      # or channel_ids: [] below it
#   opt_outs: true

# Who is told when a night fails, recovers, or needs a person.
# alerts:
#   - url_env: ALERT_URL          # the address of a webhook, in .env
#     format: slack               # or json
`;
}

function exportsSection({ budget, pricePerRecord, startDate }: Settings): string {
  const lines = [
    'exports:',
    '  budget:',
    `    records_per_run: ${budget?.recordsPerRun ?? 1000000}`,
    `    records_per_month: ${budget?.recordsPerMonth ?? 10000000}`,
    `  price_per_record: ${decimal(pricePerRecord ?? 0)}       # for estimates and the spend report`,
    `  start_date: ${startDate}        # the first KST day to export`,
    '  include_message_data: true',
    '  page_parameter: page        # the query parameter that carries the page number',
    '  max_wait_minutes: 60        # after that, the next run resumes the same export',
  ];
  const price = lines[4] ?? '';
  if (budget !== undefined) return `${lines.join('\n')}\n`;
  // A price that was given is kept, for the day on which a budget is added.
  const kept = pricePerRecord === undefined ? [] : ['exports:', price];
  const commented = lines.filter((line) => !kept.includes(line)).map((line) => `# ${line}`);
  return `${[...kept, ...commented].join('\n')}\n`;
}

/** Quoted where YAML would read anything else than the text. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

/** Without the exponent that JavaScript gives small numbers. */
function decimal(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, '');
}
