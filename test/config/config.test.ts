import { fieldsFor } from '../../src/ground/fields.js';
import { FIELDS, STREAMS } from '../../src/streams/index.js';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadConfig, requireService } from '../../src/config/config.js';
import { mistypedColumns } from '../../src/config/schema.js';
import { ConfigError } from '../../src/ground/errors.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dawnload-config-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const MINIMUM = `base_url: https://api.example.com/
project_id: 0123456789abcdef0123456789abcdef
start_date: 2026-11-01
`;

function load(
  yaml: string | Buffer,
  environment: Record<string, string> = {},
): ReturnType<typeof loadConfig> {
  writeFileSync(join(folder, 'dawnload.yaml'), yaml);
  return loadConfig(STREAMS, {}, environment, folder);
}

function refusal(yaml: string | Buffer, environment: Record<string, string> = {}): string {
  try {
    load(yaml, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `${error.message} ${error.hint ?? ''}`;
  }
  throw new Error('was accepted');
}

describe('dawnload.yaml', () => {
  test('a data folder below a name with "?" is refused, and any other name is taken', () => {
    expect(refusal(`${MINIMUM}data_dir: 'what?/data'\n`)).toBe(
      `The path of the data folder ${folder}/what?/data contains "?", which DuckDB cannot write to. ` +
        'Rename that folder, or choose another data_dir.',
    );
    expect(refusal(MINIMUM, { DAWNLOAD_DATA_DIR: '/a?/b' })).toContain('/a?/b contains "?"');
    for (const name of ['a*b', 'a[b]', '{a,b}', 's3:', "it's", '한글'])
      expect(load(`${MINIMUM}data_dir: ${JSON.stringify(name)}\n`).dataDir).toBe(join(folder, name));
  });

  test('three lines are enough, the rest has the documented defaults', () => {
    const config = load(MINIMUM);
    expect(config).toMatchObject({
      baseUrl: 'https://api.example.com',
      brand: 'service',
      messenger: 'chatapp',
      dataDir: join(folder, 'data'),
      lookbackDays: 7,
      requestsPerSecond: 50,
      concurrency: 64,
      privacy: { recipients: 'hash' },
    });
    expect(config.exports.budget).toBeUndefined();
    expect(config.exports).toMatchObject({
      includeMessageData: true,
      pageParameter: 'page',
      refusals: [],
      maxWaitMinutes: 60,
      largestAnswer: 2 ** 30,
      tolerateMissing: 0,
    });
  });

  test('names of the service are brought to NFC, and paths stay as they are written', () => {
    const decomposed = '구매'.normalize('NFD');
    const config = load(
      `${MINIMUM}data_dir: ./${decomposed}\nmain_goals: { c1: ${decomposed} }\nexperiments: { c1: { split: { ${decomposed}: 1 } } }\n`,
    );
    expect(config.mainGoals).toEqual({ c1: '구매' });
    expect(config.experiments['c1']?.split).toEqual({ 구매: 1 });
    expect(config.dataDir).toBe(join(folder, decomposed));
  });

  test('a split may have the days from which it was intended', () => {
    const split = { '2026-11-16': { A: 90, B: 10 }, '2026-11-20': { A: 1, B: 1 } };
    const text = '{ 2026-11-16: { A: 90, B: 10 }, 2026-11-20: { A: 1, B: 1 } }';
    const { experiments } = load(`${MINIMUM}experiments: { c1: { split: ${text} } }\n`);
    expect(experiments).toEqual({ c1: { split } });
  });

  test('the whole documented file is understood', () => {
    const config = load(`${MINIMUM}brand: acme
messenger: talky
data_dir: ./elsewhere
lookback_days: 3
requests_per_second: 12.5
concurrency: 2
privacy: { recipients: drop }
exports:
  budget: { records_per_run: 1000, records_per_month: 20000 }
  price_per_record: 0.25
  start_date: 2026-11-15
  include_message_data: false
  page_parameter: pageNumber
  refusals: [NoCredit]
  max_wait_minutes: 5
  largest_answer: 500MB
  tolerate_missing: 0.2%
experiments:
  default: { smallest_effect: 0.1 }
  c1: { baseline: A, goal: 구매, split: { A: 45, B: 45, 대조군: 10 }, hold_outs: [대조군], alpha: 0.01, power: 0.9, accept_crossing: true }
main_goals: { c1: 구매, j1: 가입 }
prices: { TEXT_MESSAGE: { SMS: 9.2, failover: 28 }, email: 0 }
not_clicks: [survey_no_click]
`);
    expect(config.mainGoals).toEqual({ c1: '구매', j1: '가입' });
    expect(config.prices).toEqual([
      { channel: 'text-message', sub_channel: 'sms', price: 9.2 },
      { channel: 'text-message', sub_channel: 'failover', price: 28 },
      { channel: 'email', sub_channel: null, price: 0 },
    ]);
    expect(config.notClicks).toEqual(['survey_no_click']);
    const split = { A: 45, B: 45, 대조군: 10 };
    expect(config.experiments).toEqual({
      default: { smallest_effect: 0.1 },
      c1: {
        ...{ baseline: 'A', goal: '구매', split, hold_outs: ['대조군'], alpha: 0.01, power: 0.9 },
        accept_crossing: true,
      },
    });
    expect(config.dataDir).toBe(join(folder, 'elsewhere'));
    expect(config.exports).toEqual({
      budget: { recordsPerRun: 1000, recordsPerMonth: 20_000 },
      pricePerRecord: 0.25,
      startDate: '2026-11-15',
      includeMessageData: false,
      pageParameter: 'pageNumber',
      refusals: ['NoCredit'],
      maxWaitMinutes: 5,
      largestAnswer: 500e6,
      tolerateMissing: 0.002,
    });
  });

  test('an unknown key is refused with the nearest known one', () => {
    expect(refusal(`${MINIMUM}lookbak_days: 7\n`)).toMatch(
      /unknown key "lookbak_days".*Did you mean lookback_days\?/,
    );
  });

  test('all faults are named, each on its line', () => {
    const keys = 'accessKey: x\nlookbak_days: 7\nkafka: 7\n';
    const source = `${join(folder, 'dawnload.yaml')}: `;
    const values =
      'retries: many\nexports: { price_per_record: -1 }\nalerts:\n  - urll: https://example.com\n';
    const faults = (yaml: string): readonly string[] => {
      try {
        load(`${MINIMUM}${yaml}`);
      } catch (error) {
        if (error instanceof ConfigError) return error.lines.map((line) => line.replace(source, ''));
      }
      return [];
    };
    expect(faults(`${keys}${values}`)).toEqual([
      'retries must be a whole number from 0 to 20.',
      'unknown key "alerts.0.urll". Did you mean alerts.url?',
      'alerts.0 must set url or url_env.',
      'exports.price_per_record must be a price such as 0.5.',
      'secrets do not belong in the file (accessKey).',
      'unknown key "lookbak_days". Did you mean lookback_days?',
      'unknown key "kafka".',
    ]);
    const many = Array.from({ length: 25 }, (_, nth) => `key${nth}: 1\n`).join('');
    expect(faults(many).slice(19)).toEqual(['unknown key "key19".', '5 more faults are not listed.']);
    expect(refusal(`${MINIMUM}${keys}`)).toMatch(
      /lists the settings\. Remove it, and set DAWNLOAD_ACCESS_KEY|Remove it, and set .*lists the settings\./,
    );
  });

  test('an unknown key inside a list is refused with the nearest known one', () => {
    expect(refusal(`${MINIMUM}alerts:\n  - urll: https://example.com\n`)).toMatch(
      /unknown key "alerts\.0\.urll".*Did you mean alerts\.url\?/,
    );
  });

  test('an unknown key that no known one is near to is refused without a guess', () => {
    expect(refusal(`${MINIMUM}records_per_run: 7\n`)).toContain(
      'Did you mean exports.budget.records_per_run',
    );
    expect(refusal(`${MINIMUM}kafka: 7\n`)).toMatch(/unknown key "kafka".*docs\/configuration\.md/);
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['two documents', `${MINIMUM}---\n${MINIMUM}`, /:4 is not valid YAML: a second document begins here/],
    [
      'EUC-KR',
      Buffer.from(`${MINIMUM}# \xb0\xa1\n`, 'latin1'),
      /cannot be read \(ERR_ENCODING.* in UTF-8 or UTF-16/,
    ],
  ])('a file of %s is refused', (_, text, words) => {
    writeFileSync(join(folder, 'dawnload.yaml'), text);
    expect(() => loadConfig(STREAMS, {}, {}, folder)).toThrow(ConfigError);
    expect(refusal(text)).toMatch(words);
  });

  test('--config that names a folder, and a DAWNLOAD_NOW that is no instant, are refused', () => {
    expect(() => loadConfig(STREAMS, { settingsFile: '.' }, {}, folder)).toThrow(ConfigError);
    expect(refusal(MINIMUM, { DAWNLOAD_NOW: 'yesterday' })).toMatch(/DAWNLOAD_NOW must be an instant/);
  });

  test('names under privacy.columns that seem mistyped are told, other unknown ones may be keys of messages', () => {
    const given =
      'devce_id: drop, userId: drop, user: hash, acme_user_id: hash, title: drop, customerName: drop';
    const { columns } = load(`${MINIMUM}brand: acme\nprivacy: { columns: { ${given} } }\n`).privacy;
    expect(mistypedColumns(columns, fieldsFor('service', FIELDS))).toEqual([
      expect.stringMatching(/is named devce_id\. Did you mean device_id\?/),
      expect.stringMatching(/is named userId\. Did you mean user_id\?/),
      expect.stringMatching(/is named user\. Did you mean user_id, service_user_id, user_journey_id\?$/),
    ]);
  });

  test.each([
    ['data_dir: "a\\0b"', /data_dir must be a folder/],
    ['after_publish: ["a\\0b"]', /after_publish.* must be a command/],
    ['tables: { o: { command: "a\\0b", format: csv, persons: none } }', /command must be a command/],
    ['project_id: 0123456789ABCDEF0123456789abcdef', /project_id must be 32 lowercase hexadecimal digits/],
    ['base_url: api.example.com', /base_url must be an http or https address/],
    ['start_date: 2026-02-30', /start_date must be a day that exists/],
    ['retention: 30 days', /retention must contain events, landing or reference/],
    ['privacy: { recipients: maybe }', /privacy.recipients must be keep, hash or drop/],
    ['privacy: { columns: { recipientNo: drop } }', /recipientNo is set by privacy.recipients/],
    ['privacy: { columns: { campaign_id: drop } }', /campaign_id is a column that cannot be left out/],
    [
      'privacy: { columns: { requestDate: hash } }',
      /requestDate must be keep or drop, because a time cannot become/,
    ],
    [
      'experiments: { c1: { alpha: 2 } }',
      /experiments\.c1\.alpha must be a probability from 0\.0001 to 0\.5/,
    ],
    ['experiments: { c1: { split: [A, B] } }', /experiments\.c1\.split must have lines such as "A: 50"/],
    ['experiments: { c1: { split: { 2026-11-31: { A: 1 } } } }', /c1\.split must have lines such as/],
    ['experiments: { c1: { split: { A: -1 } } }', /c1\.split\.A must be a share such as 50/],
    ['experiments: { c1: { baseline: C, hold_outs: [C] } }', /c1 must not have a hold-out as its baseline/],
    ['experiments: { default: { goal: 구매 } }', /must name goals by campaign, not under default/],
    ['prices: { email: cheap }', /prices\.email must be a price such as 8\.4/],
    ['prices: { text-message: 1, TEXT_MESSAGE: 2 }', /prices must name each channel once/],
    ['prices: { text-message: { sms: 1, SMS: 2 } }', /prices\.text-message.* must name each channel once/],
    ['prices: { text-message: { sms: cheap } }', /prices\.text-message.* must be a price such as 8\.4/],
    ['main_goals: { c1: "" }', /main_goals\.c1 must be the name of a conversion/],
    ['statistics_tags: vip', /statistics_tags must be a list of tags/],
    [
      'statistics_tags: [vip]\nexports: { budget: { records_per_run: 10 } }',
      /statistics_tags must be empty with exports\.budget/,
    ],
    [
      'start_date: 2026-11-10\nexports: { start_date: 2026-11-09 }',
      /exports\.start_date must not be before start_date/,
    ],
    ['experiments: { c1: { goal: 구매 } }\nmain_goals: { c1: 가입 }', /must name the same goal as exper/],
    ['exports: { budget: {} }', /exports.budget must set records_per_run, records_per_month or both/],
    ['pushes: [{ name: a, target: journey x }]', /must set one of query, sql and file/],
    ['pushes: [{ name: a, target: catalog-items x, sql: select 1 }]', /must set mode/],
    ['pushes: [{ name: a, target: letters, sql: select 1 }]', /must be user-properties/],
    ['pushes: [{ name: list, target: user-properties, sql: select 1 }]', /must not be the name of a target/],
    [
      'pushes: [{ name: decide, target: user-properties, sql: select 1 }]',
      /must not be the name of a target/,
    ],
    ['push: { rows_per_runs: 1 }', /rows_per_run/],
  ])('%s is refused in one sentence', (line, words) => {
    const key = line.slice(0, line.indexOf(':'));
    const rest = MINIMUM.split('\n')
      .filter((other) => !other.startsWith(`${key}:`))
      .join('\n');
    expect(refusal(`${rest}\n${line}\n`)).toMatch(words);
  });

  test.each(['__proto__', 'constructor'])('a key %s is as unknown as any other, at any depth', (key) => {
    expect(refusal(`${MINIMUM}${key}: { retries: 3 }\n`)).toContain(`unknown key "${key}"`);
    expect(refusal(`${MINIMUM}exports: { ${key}: { a: b } }\n`)).toContain(`unknown key "exports.${key}"`);
    expect(refusal(`${MINIMUM}exports: { budget: { records_per_run: 1, ${key}: 2 } }\n`)).toContain(
      `unknown key "exports.budget.${key}"`,
    );
  });

  test.each(['{"a":"b"}', '["a","b"]'])(
    '%s is as unknown a key as any other, and Node warns of nothing',
    (key) => {
      const warned = vi.spyOn(process, 'emitWarning');
      expect(refusal(`${MINIMUM}? ${key}\n: 1\n`)).toContain(`unknown key "${key}"`);
      expect(refusal(`${MINIMUM}privacy: { columns: { ? ${key} : drop } }\n`)).toContain(
        `unknown key "privacy.columns.${key}"`,
      );
      expect(warned).not.toHaveBeenCalled();
    },
  );

  test('aliases and depths that are meant to exhaust the machine are refused in one sentence', () => {
    const bomb = ['a: &a [x]'];
    for (const [name, of] of ['ba', 'cb', 'dc', 'ed', 'fe', 'gf'].map((pair) => pair.split(/(?=.$)/))) {
      bomb.push(`${name}: &${name} [${Array(9).fill(`*${of}`).join(',')}]`);
    }
    expect(refusal(bomb.join('\n'))).toMatch(/dawnload.yaml cannot be understood/);
    expect(refusal(`exports: ${'['.repeat(50_000)}`)).toMatch(/dawnload.yaml/);
    expect(refusal('exports: *nowhere')).toMatch(/dawnload.yaml/);
  });

  test('broken YAML is refused with its line', () => {
    expect(refusal(`${MINIMUM}exports: [\n`)).toMatch(/dawnload.yaml:\d+ is not valid YAML(?!.*at line)/);
  });

  test('one half of a budget stands for both, so that none is unlimited', () => {
    expect(load(`${MINIMUM}exports: { budget: { records_per_run: 5 } }\n`).exports.budget).toEqual({
      recordsPerRun: 5,
      recordsPerMonth: 5,
    });
  });

  test('a file named by --config that is not there is an error, the default one is not', () => {
    expect(() => loadConfig(STREAMS, { settingsFile: 'nowhere.yaml' }, {}, folder)).toThrow(
      /configuration file .* does not exist/,
    );
    expect(loadConfig(STREAMS, {}, {}, folder).file).toBeUndefined();
    expect(() => requireService(loadConfig(STREAMS, {}, {}, folder))).toThrow(
      /This folder has no dawnload.yaml/,
    );
  });
});

describe('an address without encryption', () => {
  const KEYS = { DAWNLOAD_ACCESS_KEY: 'a', DAWNLOAD_SECRET_KEY: 'b' };
  const at = (url: string, more = ''): string =>
    MINIMUM.replace('https://api.example.com/', url).concat(more);

  test.each([
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://localhost:80/v1',
    'https://api.example.com',
  ])('%s is used', (url) => {
    expect(requireService(load(at(url), KEYS)).baseUrl).toBe(url);
  });

  test.each([
    'http://api.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://[::ffff:10.0.0.5]',
  ])('%s is refused before the keys leave, unless allow_http is true', (url) => {
    expect(() => requireService(load(at(url), KEYS))).toThrow(/keys .* unencrypted/);
    expect(() => requireService(load(MINIMUM, { ...KEYS, DAWNLOAD_BASE_URL: url }))).toThrow(ConfigError);
    expect(requireService(load(at(url, 'allow_http: true\n'), KEYS)).baseUrl).toBe(url);
    expect(() => requireService(load(at(url, 'allow_http: false\n'), KEYS))).toThrow(ConfigError);
  });
});

describe('the environment', () => {
  test('overrides the file, and an override that is wrong is named by its variable', () => {
    const config = load(MINIMUM, { DAWNLOAD_BASE_URL: 'http://127.0.0.1:8080', DAWNLOAD_DATA_DIR: 'here' });
    expect(config.baseUrl).toBe('http://127.0.0.1:8080');
    expect(config.dataDir).toBe(join(folder, 'here'));
    expect(refusal(MINIMUM, { DAWNLOAD_PROJECT_ID: 'xyz' })).toMatch(/^DAWNLOAD_PROJECT_ID must be 32/);
  });

  test('secrets come from it or from .env, and the environment wins', () => {
    writeFileSync(join(folder, '.env'), 'DAWNLOAD_ACCESS_KEY=from-file\nDAWNLOAD_SECRET_KEY=secret-file\n');
    expect(requireService(load(MINIMUM)).credentials.reveal()).toEqual({
      accessKey: 'from-file',
      secretKey: 'secret-file',
    });
    expect(requireService(load(MINIMUM, { DAWNLOAD_ACCESS_KEY: 'env' })).credentials.reveal().accessKey).toBe(
      'env',
    );
  });

  test('a relative data folder is relative to the configuration file, from wherever the command is typed', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(folder, 'dawnload.yaml'), MINIMUM);
    const dataDirFrom = (cwd: string, environment: Record<string, string> = {}): string =>
      loadConfig(STREAMS, { settingsFile: join(folder, 'dawnload.yaml') }, environment, cwd).dataDir;
    for (const cwd of [folder, elsewhere, tmpdir()]) {
      expect(dataDirFrom(cwd)).toBe(join(folder, 'data'));
      // The variable, as cron sets it, too: one configuration has one ledger.
      expect(dataDirFrom(cwd, { DAWNLOAD_DATA_DIR: 'books' })).toBe(join(folder, 'books'));
    }
    writeFileSync(join(folder, '.env'), 'DAWNLOAD_DATA_DIR=books\n');
    for (const cwd of [folder, elsewhere, tmpdir()]) expect(dataDirFrom(cwd)).toBe(join(folder, 'books'));
    // What a person types, the shell completes: relative to the working folder.
    const typed = { settingsFile: join(folder, 'dawnload.yaml'), dataDir: 'typed' };
    expect(loadConfig(STREAMS, typed, {}, elsewhere).dataDir).toBe(join(elsewhere, 'typed'));
  });

  test.each([
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['big-endian UTF-16', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('the keys may be in a .env in %s', (_, bytes) => {
    writeFileSync(join(folder, '.env'), bytes('DAWNLOAD_ACCESS_KEY=a-key\nDAWNLOAD_SECRET_KEY=비밀\n'));
    expect(load(MINIMUM).credentials?.reveal()).toEqual({ accessKey: 'a-key', secretKey: '비밀' });
    expect(load(bytes(MINIMUM)).baseUrl).toBe('https://api.example.com');
  });

  test('a .env in UTF-16 without a byte order mark is said to be unreadable', () => {
    writeFileSync(join(folder, '.env'), Buffer.from('DAWNLOAD_ACCESS_KEY=a-key\n', 'utf16le'));
    expect(() => load(MINIMUM)).toThrow(/\.env cannot be read \(NUL, as in UTF-16 without/);
    rmSync(join(folder, '.env'));
  });

  test('only the .env beside the configuration file is read', () => {
    const elsewhere = join(folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(folder, 'dawnload.yaml'), MINIMUM);
    writeFileSync(join(folder, '.env'), 'DAWNLOAD_ACCESS_KEY=mine\nDAWNLOAD_SECRET_KEY=mine\n');
    writeFileSync(
      join(elsewhere, '.env'),
      'DAWNLOAD_BASE_URL=https://thief.example\nDAWNLOAD_PROJECT_ID=ffffffffffffffffffffffffffffffff\n' +
        'DAWNLOAD_ACCESS_KEY=theirs\nDAWNLOAD_DATA_DIR=theirs\n',
    );
    const config = loadConfig(STREAMS, { settingsFile: join(folder, 'dawnload.yaml') }, {}, elsewhere);
    expect(config).toMatchObject({
      baseUrl: 'https://api.example.com',
      projectId: '0123456789abcdef0123456789abcdef',
      dataDir: join(folder, 'data'),
    });
    expect(requireService(config).credentials.reveal().accessKey).toBe('mine');
  });

  test('keys come from files too, as systemd and Kubernetes hand them over', () => {
    const [key, secret] = [join(folder, 'key'), join(folder, 'secret')];
    writeFileSync(key, 'from-file\n');
    writeFileSync(secret, 'secret-file');
    const files = { DAWNLOAD_ACCESS_KEY_FILE: key, DAWNLOAD_SECRET_KEY_FILE: secret };
    const keys = { accessKey: 'from-file', secretKey: 'secret-file' };
    expect(load(MINIMUM, files).credentials?.reveal()).toEqual(keys);
    // The variable itself wins.
    const both = load(MINIMUM, { ...files, DAWNLOAD_SECRET_KEY: 'mine' });
    expect(both.credentials?.reveal()).toEqual({ ...keys, secretKey: 'mine' });
    expect(both.keysFrom).toEqual([key, 'the environment']);
    // A key that is handed over as a file replaces an earlier one in .env.
    writeFileSync(join(folder, '.env'), 'DAWNLOAD_ACCESS_KEY=earlier\nDAWNLOAD_SECRET_KEY=earlier\n');
    expect(load(MINIMUM, files).credentials?.reveal()).toEqual(keys);
    expect(load(MINIMUM, { DAWNLOAD_SECRET_KEY: 'mine' }).keysFrom).toEqual([
      join(folder, '.env'),
      'the environment',
    ]);
    expect(() => load(MINIMUM, { DAWNLOAD_SECRET_KEY_FILE: join(folder, 'gone') })).toThrow(
      /DAWNLOAD_SECRET_KEY_FILE points to \S+gone, which cannot be read \(it does not exist\)/,
    );
    symlinkSync('loop', join(folder, 'loop'));
    expect(() => load(MINIMUM, { DAWNLOAD_SECRET_KEY_FILE: join(folder, 'loop') })).toThrow(
      /loop, which cannot be read \(its links lead in a circle\)/,
    );
    for (const text of ['', '\n', 'one\ntwo\n']) {
      writeFileSync(secret, text);
      expect(() => load(MINIMUM, files)).toThrow(/SECRET_KEY_FILE: \S+secret must contain exactly one line/);
    }
  });

  test('blank characters around a key are left out and named, also those that nobody sees', () => {
    writeFileSync(
      join(folder, '.env'),
      'DAWNLOAD_ACCESS_KEY=a key\u00a0\nDAWNLOAD_SECRET_KEY="\ufeffsecret\u200b"\n',
    );
    const config = load(MINIMUM);
    expect(config.credentials?.reveal()).toEqual({ accessKey: 'a key', secretKey: 'secret' });
    expect(config.trimmedKeys).toEqual([
      'DAWNLOAD_ACCESS_KEY (U+00A0)',
      'DAWNLOAD_SECRET_KEY (U+FEFF, U+200B)',
    ]);
  });

  test('secrets in the file are refused, and missing ones are asked for', () => {
    expect(refusal(`${MINIMUM}access_key: abc\n`)).toMatch(/secrets do not belong in the file/);
    expect(() => requireService(load(MINIMUM))).toThrow(/access keys are not set/);
  });

  test('secrets are not shown when a config is printed', () => {
    const config = load(MINIMUM, { DAWNLOAD_ACCESS_KEY: 'hush', DAWNLOAD_SECRET_KEY: 'hush' });
    expect(JSON.stringify(config) + inspect(config, { depth: 9, showHidden: true })).not.toContain('hush');
  });
});
