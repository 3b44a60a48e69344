import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** The folders of src/, and which others each may import from. Imports point inward, and never in circles of files. */
const folders = {
  alerts: ['storage', 'run'],
  api: [],
  storage: [],
  terminal: [],
  dictionary: [],
  sandbox: [],
  queries: ['storage', 'warehouse'],
  report: ['storage', 'warehouse', 'dictionary', 'queries', 'run'],
  warehouse: ['storage', 'dictionary'],
  lake: ['storage', 'warehouse', 'config'],
  run: ['api', 'storage', 'warehouse', 'exports', 'terminal', 'lake'],
  statistics: ['api', 'storage', 'warehouse', 'run'],
  reference: ['api', 'storage', 'warehouse', 'run', 'config'],
  exports: ['api', 'storage', 'warehouse', 'run', 'terminal'],
  setup: ['api', 'exports', 'statistics', 'terminal'],
  doctor: [
    'alerts',
    'api',
    'config',
    'lake',
    'storage',
    'warehouse',
    'exports',
    'statistics',
    'run',
    'terminal',
  ],
  schedule: ['run', 'terminal'],
  commands: [
    'alerts',
    'api',
    'storage',
    'warehouse',
    'exports',
    'lake',
    'queries',
    'report',
    'dictionary',
    'run',
    'schedule',
    'terminal',
    'sandbox',
    'setup',
    'doctor',
  ],
};

/** What a folder may not touch at all: the client no file and no database, whatever keeps data no HTTP. */
const closed = {
  api: ['node:fs', 'node:fs/promises', '@duckdb/node-api'],
  storage: ['undici', 'node:http', 'node:https'],
  statistics: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici'],
  reference: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici'],
  schedule: ['@duckdb/node-api', 'undici'],
  exports: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  warehouse: ['undici', 'node:http', 'node:https'],
  queries: ['undici', 'node:http', 'node:https'],
  sandbox: ['undici', '@duckdb/node-api'],
};

const boundaries = Object.entries(folders).map(([folder, allowed]) => ({
  files: [`src/${folder}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: (closed[folder] ?? []).map((name) => ({
          name,
          message: `src/${folder}/ does not touch ${name}.`,
        })),
        patterns: [
          {
            group: Object.keys(folders)
              .filter((other) => other !== folder && !allowed.includes(other))
              .map((other) => `**/${other}/**`),
            message: `src/${folder}/ imports from ${allowed.join('/, ') || 'no other folder'}/ alone.`,
          },
          {
            group: folder === 'commands' ? ['**/cli.js'] : ['**/cli.js', '**/run.js'],
            message: 'Imports point inward.',
          },
        ],
      },
    ],
  },
}));

export default tseslint.config(
  { ignores: ['build', 'dist', 'data', 'demo', 'coverage', 'node_modules'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    // Side effects are parameters with a real default: these are reached through src/effects.ts only.
    files: ['src/**/*.ts', 'jobs/**/*.ts'],
    ignores: ['src/cli.ts', 'src/config.ts', 'src/effects.ts', 'src/sandbox/**'],
    rules: {
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Take the clock as a parameter (src/effects.ts).' },
        {
          object: 'process',
          property: 'env',
          message: 'Only src/config.ts and src/effects.ts read the environment.',
        },
        { object: 'process', property: 'exit', message: 'Only src/cli.ts exits.' },
      ],
    },
  },
  {
    // DuckDB is imported by require, see src/storage/duckdb.ts.
    files: ['src/storage/**/*.ts', 'src/warehouse/**/*.ts', 'src/queries/**/*.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }] },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/consistent-type-assertions': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'max-lines': ['error', { max: 500, skipBlankLines: true, skipComments: true }],
    },
  },
  ...boundaries,
  {
    files: ['**/*.js'],
    languageOptions: { globals: { URL: 'readonly', process: 'readonly', console: 'readonly' } },
  },
);
