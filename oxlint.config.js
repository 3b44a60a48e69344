import { defineConfig } from 'oxlint';

/** The folders in their order: each may import from those after it, and none imports what is above it. All but jobs/ are in src/. */
const ORDER = [
  ['commands'],
  ['jobs'],
  ['operations'],
  ['night'],
  ['push'],
  ['readers'],
  ['lake'],
  ['erasure'],
  ['streams'],
  ['exports'],
  ['warehouse'],
  ['journal'],
  ['landing'],
  ['disk'],
  ['service'],
  ['documents'],
  ['config'],
  ['terminal'],
  ['ground'],
];
const FOLDERS = ORDER.flat();

/** Modules that a folder must not import. */
const closed = {
  jobs: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  service: ['node:fs', 'node:fs/promises', '@duckdb/node-api'],
  landing: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  disk: ['undici', 'node:http', 'node:https'],
  streams: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  exports: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  push: ['@duckdb/node-api', 'undici', 'node:http', 'node:https'],
  warehouse: ['undici', 'node:http', 'node:https'],
  readers: ['undici', 'node:http', 'node:https'],
  sandbox: ['undici', '@duckdb/node-api'],
};

/** The modules that a folder may not touch, and the folders that it may not import from. */
const boundary = (files, name, forbidden, group) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: forbidden.map((path) => ({ name: path, message: `${name} does not touch ${path}.` })),
        patterns: [{ group, message: 'Imports run downwards (CONTRIBUTING.md, The map).' }],
      },
    ],
  },
});

const boundaries = [
  ...ORDER.flatMap((level, depth) =>
    level.map((folder) => {
      const above = [...ORDER.slice(0, depth).flat(), ...level.filter((peer) => peer !== folder)];
      const tops =
        folder === 'commands' ? ['**/cli.js', '**/main.js'] : ['**/cli.js', '**/main.js', '**/sandbox/**'];
      const group = [...above.map((other) => `**/${other}/**`), ...tops];
      const path = folder === 'jobs' ? 'jobs' : `src/${folder}`;
      return boundary([`${path}/**/*.ts`], `${path}/`, closed[folder] ?? [], group);
    }),
  ),
  boundary(
    ['sandbox/**/*.ts'],
    'sandbox/',
    closed.sandbox,
    FOLDERS.filter((folder) => folder !== 'ground').map((folder) => `**/src/${folder}/**`),
  ),
];

/** Rules of typescript-eslint (strict and stylistic) and ESLint that `correctness` lacks. */
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
  options: { typeAware: true, denyWarnings: true },
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
      // Side effects are parameters with a real default: these are reached through src/ground/effects.ts only.
      files: ['src/**/*.ts', 'jobs/**/*.ts'],
      excludeFiles: ['src/cli.ts', 'src/main.ts', 'src/config/config.ts', 'src/ground/effects.ts'],
      rules: {
        'no-console': 'error',
        'no-restricted-properties': [
          'error',
          {
            object: 'Date',
            property: 'now',
            message: 'Take the clock as a parameter (src/ground/effects.ts).',
          },
          {
            object: 'process',
            property: 'env',
            message: 'Only src/config/config.ts and src/ground/effects.ts read the environment.',
          },
          { object: 'process', property: 'exit', message: 'Only src/cli.ts and src/main.ts exit.' },
        ],
      },
    },
    {
      // DuckDB is imported by require, see src/disk/duckdb.ts.
      files: [
        'src/disk/duckdb.ts',
        'src/documents/functions.ts',
        'src/warehouse/**/*.ts',
        'src/readers/queries/**/*.ts',
      ],
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
