// Writes npm-shrinkwrap.json for the package: who installs it gets the versions that were tested. It has no addresses, so the
// registry is the reader's, and none of the packages that only development needs. `--remove` removes it after packing, because npm
// would prefer it to package-lock.json.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';

const file = 'npm-shrinkwrap.json';
if (process.argv.includes('--remove')) rmSync(file, { force: true });
else {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const needed = Object.entries(lock.packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);
  const packages = needed.map(([path, { resolved: _, devDependencies: __, ...rest }]) => [path, rest]);
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
}
