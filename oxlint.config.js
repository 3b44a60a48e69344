import { defineConfig } from 'oxlint';

/** The folders of src/, and which others each may import from. Imports point inward, and never in circles of files. */
const folders = {
  api: [],
  storage: [],
  terminal: [],
  dictionary: [],
  sandbox: [],
  queries: ['storage', 'warehouse', 'dictionary'],
  report: ['storage', 'warehouse', 'dictionary', 'queries', 'run'],
  warehouse: ['storage', 'dictionary'],
  lake: ['storage', 'warehouse', 'config'],
  erasure: ['storage', 'warehouse', 'exports'],
  run: ['api', 'storage', 'warehouse', 'exports', 'erasure', 'terminal', 'lake'],
  statistics: ['api', 'storage', 'warehouse', 'run'],
  reference: ['api', 'storage', 'warehouse', 'run', 'config'],
  exports: ['api', 'storage', 'warehouse', 'run', 'terminal'],
  operations: ['api', 'config', 'lake', 'storage', 'warehouse', 'exports', 'statistics', 'run', 'terminal'],
  commands: [
    'api',
    'storage',
    'warehouse',
    'exports',
    'erasure',
    'lake',
    'operations',
    'queries',
    'report',
    'dictionary',
    'run',
    'terminal',
    'sandbox',
  ],
};

/** What a folder may not touch at all: the client no file and no database, whatever keeps data no HTTP. */
const closed = {
  api: ['node:fs', 'node:fs/promises', '@duckdb/node-api'],
  storage: ['undici', 'node:http', 'node:https'],
  statistics: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici'],
  reference: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici'],
  exports: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  warehouse: ['undici', 'node:http', 'node:https'],
  queries: ['undici', 'node:http', 'node:https'],
  sandbox: ['undici', '@duckdb/node-api'],
};

const boundaries = Object.entries(folders).map(([folder, allowed]) => ({
  files: [folder === 'sandbox' ? 'sandbox/**/*.ts' : `src/${folder}/**/*.ts`],
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

/** What the category `correctness` does not hold of the strict and stylistic rules of typescript-eslint, and of ESLint's own. */
const strict = [
  'no-case-declarations',
  'no-empty',
  'no-fallthrough',
  'no-prototype-builtins',
  'no-regex-spaces',
  'no-useless-assignment',
  'no-var',
  'prefer-const',
  'prefer-rest-params',
  'prefer-spread',
  'preserve-caught-error',
  ...[
    'adjacent-overload-signatures',
    'array-type',
    'ban-ts-comment',
    'ban-tslint-comment',
    'class-literal-property-style',
    'consistent-generic-constructors',
    'consistent-indexed-object-style',
    'consistent-type-definitions',
    'consistent-type-imports',
    'dot-notation',
    'no-confusing-non-null-assertion',
    'no-confusing-void-expression',
    'no-deprecated',
    'no-dynamic-delete',
    'no-empty-function',
    'no-empty-object-type',
    'no-explicit-any',
    'no-extraneous-class',
    'no-inferrable-types',
    'no-invalid-void-type',
    'no-misused-promises',
    'no-mixed-enums',
    'no-namespace',
    'no-non-null-asserted-nullish-coalescing',
    'no-non-null-assertion',
    'no-require-imports',
    'no-unnecessary-boolean-literal-compare',
    'no-unnecessary-condition',
    'no-unnecessary-template-expression',
    'no-unnecessary-type-arguments',
    'no-unnecessary-type-assertion',
    'no-unnecessary-type-constraint',
    'no-unnecessary-type-conversion',
    'no-unnecessary-type-parameters',
    'no-unsafe-argument',
    'no-unsafe-assignment',
    'no-unsafe-call',
    'no-unsafe-enum-comparison',
    'no-unsafe-function-type',
    'no-unsafe-member-access',
    'no-unsafe-return',
    'no-useless-default-assignment',
    'non-nullable-type-assertion-style',
    'only-throw-error',
    'prefer-find',
    'prefer-for-of',
    'prefer-function-type',
    'prefer-includes',
    'prefer-literal-enum-member',
    'prefer-nullish-coalescing',
    'prefer-optional-chain',
    'prefer-promise-reject-errors',
    'prefer-reduce-type-parameter',
    'prefer-regexp-exec',
    'prefer-return-this-type',
    'prefer-string-starts-ends-with',
    'related-getter-setter-pairs',
    'require-await',
    'restrict-plus-operands',
    'unbound-method',
    'unified-signatures',
    'use-unknown-in-catch-callback-variable',
  ].map((rule) => `typescript/${rule}`),
];

export default defineConfig({
  plugins: ['typescript', 'oxc', 'import'],
  categories: { correctness: 'error' },
  options: { typeAware: true, typeCheck: true, denyWarnings: true },
  ignorePatterns: ['build', 'dist', 'data', 'demo', 'coverage', '**/*.js'],
  rules: {
    ...Object.fromEntries(strict.map((rule) => [rule, 'error'])),
    'import/no-cycle': 'error',
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/require-array-sort-compare': ['error', { ignoreStringArrays: true }],
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    'max-lines': ['error', { max: 700, skipBlankLines: true, skipComments: true }],
  },
  overrides: [
    {
      // Side effects are parameters with a real default: these are reached through src/effects.ts only.
      files: ['src/**/*.ts', 'jobs/**/*.ts'],
      excludeFiles: ['src/cli.ts', 'src/config.ts', 'src/effects.ts'],
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
      rules: { 'typescript/no-require-imports': ['error', { allowAsImport: true }] },
    },
    {
      files: ['test/**/*.ts', 'bench/**/*.ts'],
      rules: {
        'typescript/consistent-type-assertions': 'off',
        'typescript/no-non-null-assertion': 'off',
        'typescript/require-array-sort-compare': 'off',
        'max-lines': ['error', { max: 700, skipBlankLines: true, skipComments: true }],
      },
    },
    ...boundaries,
  ],
});
