import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Folders of src/ that are stages: none may know another; pipeline.ts alone knows the order. */
const stages = ['service', 'extract', 'landing', 'warehouse', 'sandbox'];

/** What a stage may import of another one; everything else is refused. */
const allowed = { extract: ['service'] };

/** What a stage may not touch at all: extract/ no file and no database, landing/ and warehouse/ no HTTP. */
const closed = {
  service: ['node:fs', 'node:fs/promises', '@duckdb/node-api'],
  extract: ['node:fs', 'node:fs/promises', '@duckdb/node-api', 'undici'],
  landing: ['undici', 'node:http', 'node:https'],
  warehouse: ['undici', 'node:http', 'node:https'],
  sandbox: ['undici', '@duckdb/node-api'],
};

const boundaries = stages.map((stage) => ({
  files: [`src/${stage}/**/*.ts`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: (closed[stage] ?? []).map((name) => ({
          name,
          message: `src/${stage}/ does not touch ${name}.`,
        })),
        patterns: [
          {
            group: stages
              .filter((other) => other !== stage && !(allowed[stage] ?? []).includes(other))
              .map((other) => `**/${other}/**`),
            message: 'A stage never imports another stage; src/pipeline.ts alone knows the order.',
          },
          { group: ['**/cli.js', '**/commands/**', '**/pipeline.js'], message: 'Imports point inward.' },
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
