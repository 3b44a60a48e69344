// @module-tag long
/** The package that `npm pack` makes. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from './warehouse/support.js';

test('the package pins what it needs, without addresses and without what only development needs', () => {
  const folder = temporaryFolder();
  const whole = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
    dependencies: object;
    devDependencies: object;
  };
  // The build is what the tests run on, and takes its time.
  const { prepack = '', postpack = '' } = whole.scripts;
  const scripts = { prepack: prepack.replace('npm run --silent build && ', ''), postpack };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...whole, scripts }));
  for (const name of ['package-lock.json', 'scripts/shrinkwrap.js', 'README.md'])
    cpSync(name, join(folder, name));
  mkdirSync(join(folder, 'dist'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const packed = execFileSync('npm', ['pack', '--silent'], { cwd: folder, encoding: 'utf8' }).trim();
  expect(existsSync(join(folder, 'npm-shrinkwrap.json'))).toBe(false);
  const text = execFileSync('tar', ['xOf', packed, 'package/npm-shrinkwrap.json'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(text).not.toMatch(/"resolved"|registry/);
  const { packages } = JSON.parse(text) as { packages: Record<string, { integrity?: string }> };
  for (const name of Object.keys(whole.dependencies))
    expect(packages[`node_modules/${name}`]?.integrity, name).toMatch(/^sha512-/);
  for (const name of Object.keys(whole.devDependencies))
    expect(packages).not.toHaveProperty([`node_modules/${name}`]);
});
