/** The settings under `lake:`, the types of the lake, and what its failures are told as. */
import { STREAMS } from '../../src/streams/index.js';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig, requireLake, type Config } from '../../src/config/config.js';
import {
  ConfigError,
  CredentialsError,
  ServiceError,
  StorageError,
  TryLaterError,
} from '../../src/ground/errors.js';
import { catalogFailure, lakeType } from '../../src/lake/lake.js';
import { equalInLake } from '../../src/lake/verify.js';
import type { Journal } from '../../src/journal/journal.js';
import { dataFiles } from '../../src/disk/paths.js';
import { invocationOf } from '../support/in-process.js';
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dawnload-lake-settings-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CATALOG = '  catalog: { uri: "https://catalog.example.com/iceberg", warehouse: main, auth: none }\n';

async function load(yaml: string, environment: Record<string, string> = {}): Promise<Config> {
  await writeFile(join(folder, 'dawnload.yaml'), yaml);
  return loadConfig(STREAMS, {}, environment, folder);
}

describe('the settings of the lake', () => {
  test('have defaults, and a folder of extensions relative to the file', async () => {
    const { lake } = requireLake(await load(`lake:\n${CATALOG}  extensions: ext\n`));
    expect(lake).toMatchObject({
      namespace: 'dawnload',
      extensions: join(folder, 'ext'),
      allowPersonal: false,
      storage: { pathStyle: false },
    });
    expect([lake.storage.endpoint, lake.storage.region]).toEqual([undefined, undefined]);
  });

  test.each([
    ['lake: true', 'lake must have "key: value" lines'],
    ['lake:\n  namespace: x', 'lake.catalog must have'],
    [
      'lake:\n  catalog: { uri: catalog, warehouse: x, auth: none }',
      'lake.catalog.uri must be an http or https address',
    ],
    [
      'lake:\n  catalog: { uri: "https://k:s@a.example.com", warehouse: x, auth: none }',
      'without a query and without keys',
    ],
    [
      'lake:\n  catalog: { uri: "https://a.example.com", warehouse: x, auth: basic }',
      'lake.catalog.auth must be one of',
    ],
  ])('that cannot be meant are named: %s', async (yaml, message) => {
    await expect(load(yaml)).rejects.toThrow(message);
  });

  test('never show a secret', async () => {
    const { lake } = requireLake(
      await load(`lake:\n${CATALOG}`, {
        DAWNLOAD_LAKE_SECRET_ACCESS_KEY: 'very-secret',
        DAWNLOAD_LAKE_TOKEN: '',
      }),
    );
    expect(JSON.stringify(lake)).not.toContain('very-secret');
    expect(lake.secrets.reveal()).toEqual({ DAWNLOAD_LAKE_SECRET_ACCESS_KEY: 'very-secret' });
  });

  test.each([
    ['keep of recipients', `privacy: { recipients: keep }\nlake:\n${CATALOG}`, 'privacy.recipients is keep'],
    ['an unencrypted catalog', `lake:\n${CATALOG.replace('https', 'http')}`, 'would travel unencrypted'],
    [
      'an unencrypted storage',
      `lake:\n${CATALOG}  storage: { endpoint: "http://s3.example.com" }`,
      'would travel unencrypted',
    ],
    ['oauth2 without keys', `lake:\n${CATALOG.replace('none', 'oauth2')}`, 'its keys are not set'],
    ['no lake', 'brand: shop', 'does not set lake'],
  ])('refuse %s', async (_, yaml, message) => {
    const config = await load(yaml);
    expect(() => requireLake(config)).toThrow(message);
  });
});

test('types that Iceberg lacks are mapped, also in lists and maps', () => {
  expect(
    ['JSON', 'UBIGINT', 'VARCHAR[]', 'JSON[]', 'MAP(VARCHAR, UBIGINT)', 'TIMESTAMP WITH TIME ZONE'].map(
      lakeType,
    ),
  ).toEqual([
    'VARCHAR',
    'DECIMAL(20,0)',
    'VARCHAR[]',
    'VARCHAR[]',
    'MAP(VARCHAR, DECIMAL(20,0))',
    'TIMESTAMP WITH TIME ZONE',
  ]);
});

test.each([
  ['returned a non-200 status code (Conflict_409)', TryLaterError],
  ['status code (Unauthorized_401), with reason: Unauthorized', CredentialsError],
  ['Catalog Error: Table with name events does not exist!', ConfigError],
  ['IO Error: Could not connect to server error for HTTP GET', ServiceError],
  ['IO Error: No space left on device', StorageError],
  ['INTERNAL Error: Information loss on integer cast', ServiceError],
])('a failure of the lake has one remedy: %s', (text, kind) => {
  const failure = catalogFailure(new Error(text));
  expect(failure).toBeInstanceOf(kind);
  expect((failure as ServiceError).hint).toMatch(/\.$/);
});

test('a lake that could not be asked keeps old days in the file, as one sentence says', async () => {
  const config = { ...(await load(`lake:\n${CATALOG}retention: { events: 8 days }\n`)), dataDir: folder };
  const files = dataFiles(folder);
  await mkdir(dirname(files.published), { recursive: true });
  await writeFile(files.published, 'no database');
  const told: string[] = [];
  const report = { attention: [] };
  const night = { config, files, report, invocation: invocationOf({}, told), journal: {} as Journal };
  const due = [{ day: '2026-11-01', pull: 'p', loadedAt: new Date(0) }];
  expect(await equalInLake(due, night)).toEqual([]);
  expect([...told, JSON.stringify(report)].join()).toMatch(
    /compared with the lake: .*[^.]\. `dawnload lake verify` shows/,
  );
});
