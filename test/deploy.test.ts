// @module-tag long
/** The files of deploy/, each read by the program that it is for where that is on this machine, and run as it would be. */
import { STREAMS } from '../src/streams/index.js';
import { execFileSync, spawn, spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CLI, KEYS, NOW, PROJECT, ended, rowsOf, start } from './support/dawnload.js';
import { makePlace } from './support/place.js';
import { temporaryFolder } from './warehouse/support.js';
import { loadConfig } from '../src/config/config.js';
import { extended } from './support/tags.js';

const read = (name: string): string => readFileSync(join('deploy', name), 'utf8');

function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** A folder with a program `dawnload` that every account may run, and does this. */
function programIn(text: string): string {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'dawnload'), text);
  chmodSync(join(folder, 'dawnload'), 0o755);
  return folder;
}

/** What a program of this machine says, of its own and as an error. */
function said(program: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return String(stdout) + String(stderr);
}

test.each([
  'dawnload.service',
  'crontab',
  'kubernetes.yaml',
  'kubernetes-desk.yaml',
  'launchd.plist',
  'github-actions.yml',
])('%s names at its top the three things to edit', (name) => {
  const [before = '', list = ''] = read(name).split('Edit three things:');
  expect(before.split('\n').length).toBeLessThan(8);
  expect([...list.matchAll(/^\W*(\d)\. /gm)].map(([, number]) => number)).toEqual(['1', '2', '3']);
  expect(readFileSync('docs/schedule.md', 'utf8')).toContain(`deploy/${name}`);
});

test.skipIf(!has('python3'))('the blocks for Airflow and Dagster give each exit code its state', () => {
  const [airflow = '', dagster = ''] = [
    ...readFileSync('docs/schedule.md', 'utf8').matchAll(/```python\n([^]*?)```/g),
  ].map(([, block]) => block);
  expect(airflow).toMatch(/exec dawnload run [^]*skip_on_exit_code=3,/);
  // Stands in for Dagster: the asset is called once for each exit code.
  const library = `import subprocess
class Failure(Exception):
    def __init__(self, text, allow_retries=True): super().__init__(text); self.allow_retries = allow_retries
def asset(**_): return lambda function: function
class Any:
    def __init__(self, *_, **__): pass
Definitions = RetryPolicy = ScheduleDefinition = define_asset_job = Any
`;
  const folder = programIn('#!/bin/sh\nexit "$CODE"\n');
  writeFileSync(join(folder, 'dagster.py'), library);
  writeFileSync(join(folder, 'nightly.py'), dagster);
  const script = `import os, nightly
for code in (0, 1, 2, 3, 75):
    os.environ['CODE'] = str(code)
    try: nightly.warehouse(); print(code, 'success')
    except nightly.Failure as failure: print(code, 'retry' if failure.allow_retries else 'failed')`;
  const env = { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}`, PYTHONDONTWRITEBYTECODE: '1' };
  const states = said('python3', ['-c', script], { cwd: folder, env });
  expect(states).toBe('0 success\n1 retry\n2 failed\n3 success\n75 retry\n');
});

describe('systemd', () => {
  /** A copy of the units that starts this node. */
  function units(edit: (service: string) => string = (service) => service): string[] {
    const folder = temporaryFolder();
    const service = read('dawnload.service').replace('/usr/bin/env dawnload', `${process.execPath} ${CLI}`);
    writeFileSync(join(folder, 'dawnload.service'), edit(service));
    cpSync('deploy/dawnload.timer', join(folder, 'dawnload.timer'));
    return ['dawnload.service', 'dawnload.timer'].map((name) => join(folder, name));
  }

  test.skipIf(!has('systemd-analyze'))(
    'the units are valid, expose little, and are due at 07:10 in Korea',
    () => {
      const verify = (files: string[]): string => said('systemd-analyze', ['verify', ...files]);
      const [service = '', timer = ''] = units();
      expect(verify([service, timer])).toBe('');
      expect(verify(units((text) => text.replace(process.execPath, '/nowhere/node')))).toContain('/nowhere');
      const security = said('systemd-analyze', ['security', '--offline=yes', '--no-pager', service]);
      expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(security)?.[1])).toBeLessThan(2);
      const [, calendar = ''] = /^OnCalendar=(.*)$/m.exec(read('dawnload.timer')) ?? [];
      const env = { ...process.env, TZ: 'UTC' };
      expect(said('systemd-analyze', ['calendar', '--base-time=2026-11-20', calendar], { env })).toMatch(
        /22:10:00 UTC/,
      );
    },
  );

  test.skipIf(process.getuid?.() !== 0 || !has('setpriv'))(
    'the service runs on what init wrote, after the steps of docs/schedule.md, under its account',
    { tags: ['extended'] },
    async () => {
      const place = await makePlace('start_date: 2026-11-20\n');
      const home = temporaryFolder();
      chmodSync(home, 0o700);
      const env = { DAWNLOAD_ACCESS_KEY: KEYS.accessKey, DAWNLOAD_SECRET_KEY: KEYS.secretKey };
      const asked = ['--base-url', place.sandbox.url, '--project-id', PROJECT, '--start-date', '2026-11-20'];
      const made = await ended(start(['init', ...asked, '--allow-http'], home, env));
      expect(made.stderr + String(made.code)).toMatch(/0$/);
      // The steps, with another root and an account that every machine has.
      const state = join(temporaryFolder(), 'state');
      chmodSync(join(state, '..'), 0o755);
      const [, block = ''] =
        /deploy\/dawnload\.service[\s\S]*?```sh\n([\s\S]*?)```/.exec(
          readFileSync('docs/schedule.md', 'utf8'),
        ) ?? [];
      const steps = block.split('\n').filter((line) => line.startsWith('sudo install '));
      expect(steps).toHaveLength(3);
      for (const step of steps) {
        const command = step
          .replace('sudo ', '')
          .replaceAll('/var/lib/dawnload', state)
          .replaceAll('-o dawnload -g dawnload', '-o 65534 -g 65534');
        execFileSync('sh', ['-ec', command], { cwd: home });
      }
      // As npm installs it.
      const programs = programIn(`#!/bin/sh
exec node ${CLI} "$@"
`);
      symlinkSync(process.execPath, join(programs, 'node'));
      const [, line = ''] = /^ExecStart=(.*)$/m.exec(read('dawnload.service')) ?? [];
      const words = line.replaceAll('/var/lib/dawnload', state).split(' ');
      const child = spawn(
        'setpriv',
        ['--reuid=65534', '--regid=65534', '--clear-groups', '--no-new-privs', '--inh-caps=-all', ...words],
        { cwd: state, env: { PATH: `${programs}:/usr/bin:/bin`, DAWNLOAD_NOW: NOW } },
      );
      const run = await ended(child);
      expect(run.stderr).toContain('Published');
      expect(run.code).toBe(0);
    },
  );
});

describe('cron', () => {
  test('the line is due at 07:10 in Korea where the machine keeps UTC, and runs as cron hands it to a shell', () => {
    const line = read('crontab')
      .split('\n')
      .find((some) => /^\d/.test(some));
    const [, time, command = ''] = /^(\d+ \d+ \* \* \*) (.*)$/.exec(line ?? '') ?? [];
    expect(time).toBe('10 22 * * *');
    expect(command).not.toContain('%');
    const folder = programIn('console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]))');
    const edited = command
      .replace('/var/lib/dawnload', folder)
      .replace('/usr/bin/node', process.execPath)
      .replace('/usr/local/bin/dawnload', join(folder, 'dawnload'));
    expect(JSON.parse(said('sh', ['-c', edited], { cwd: '/' }))).toEqual([folder, 'run', '--quiet']);
  });
});

describe('GitHub Actions', () => {
  test('the workflow is one, on a runner of one’s own, says why its cron drifts, and its step runs', () => {
    const workflow = parse(read('github-actions.yml')) as {
      jobs: { night: { steps: { run: string }[] } };
    };
    expect(workflow).toMatchObject({
      on: { schedule: [{ cron: '10 22 * * *' }] },
      permissions: {},
      concurrency: { 'cancel-in-progress': false },
      jobs: { night: { 'runs-on': 'self-hosted' } },
    });
    expect(read('github-actions.yml')).toMatch(/GitHub's schedule is not exact/);
    const folder = programIn('#!/bin/sh\necho "$PWD $*"\n');
    const script = (workflow.jobs.night.steps[0]?.run ?? '').replace('/var/lib/dawnload', folder);
    const env = { PATH: `${folder}:/usr/bin:/bin` };
    expect(said('bash', ['-e', '-c', script], { cwd: '/', env })).toContain(`${folder} run\n`);
  });
});

test('Kubernetes: one night at a time, retried by its schedule, without privileges, on a read-only root; a pod to decide in', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const container = {
    image: `your-registry/dawnload:${version}`,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
  const shared = {
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroupChangePolicy: 'OnRootMismatch' },
  };
  const args = [
    'run',
    '--config',
    '/etc/dawnload/dawnload.yaml',
    '--data-dir',
    '/data',
    '--log-format',
    'json',
  ];
  const job = parse(read('kubernetes.yaml')) as {
    spec: {
      schedule: string;
      jobTemplate: { spec: { activeDeadlineSeconds: number; template: { spec: unknown } } };
    };
  };
  const { jobTemplate } = job.spec;
  expect(job).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    spec: {
      schedule: '10,40 22-23 * * *',
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        spec: { backoffLimit: 0, template: { spec: { ...shared, containers: [{ ...container, args }] } } },
      },
    },
  });
  const { exports } = loadConfig(STREAMS, {}, {}, temporaryFolder());
  expect(jobTemplate.spec.activeDeadlineSeconds).toBeGreaterThan((exports.maxWaitMinutes + 30) * 60);
  const desk = parse(read('kubernetes-desk.yaml')) as { kind: string; spec: { volumes: unknown } };
  expect(desk).toMatchObject({ kind: 'Pod', spec: { ...shared, containers: [container] } });
  expect(jobTemplate.spec.template.spec).toMatchObject({ volumes: desk.spec.volumes });
  expect(desk.spec.volumes).toContainEqual({ name: 'tmp', emptyDir: {} });
});

extended('compose: the commands of the trial fill a warehouse from the sandbox', async () => {
  const place = await makePlace('', { eventsPerDay: 20 });
  const { services } = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as {
    services: Record<'sandbox' | 'night' | 'dawnload', { command: string[]; environment: object }>;
  };
  expect(services.dawnload.environment).toEqual(services.night.environment);
  const folder = programIn(`#!/bin/sh\nexec ${process.execPath} ${CLI} "$@"\n`);
  const [command = ''] = services.night.command;
  const [asked = ''] = /\$\$\(date [^)]*\)/.exec(command) ?? [];
  expect(said('sh', ['-c', `echo ${asked.slice(1)}`])).toMatch(/^\d{4}-\d{2}-\d{2}$/m);
  const port = services.sandbox.command[services.sandbox.command.indexOf('--port') + 1] ?? '';
  const filled = command.replace(asked, '2026-11-18').replace(`http://127.0.0.1:${port}`, place.sandbox.url);
  const env = { PATH: `${folder}:/usr/bin:/bin`, DAWNLOAD_NOW: NOW, ...place.environment };
  const { code, stderr } = await ended(spawn('sh', ['-c', filled], { cwd: folder, env }));
  expect(code, stderr).toBe(0);
  const [row] = await rowsOf(
    join(folder, 'data', 'warehouse.duckdb'),
    'select count(*)::integer as events from events',
  );
  expect(Number(row?.['events'])).toBeGreaterThan(0);
});

test('the image is built from all folders that the build compiles', () => {
  const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { include: string[] };
  const taken = readFileSync('.dockerignore', 'utf8').split('\n');
  for (const folder of [...include, 'sql', 'scripts', 'examples']) expect(taken).toContain(`!${folder}`);
});

test('the example of a first account is accepted, and explains every line', () => {
  const folder = temporaryFolder();
  cpSync('examples/first-account', folder, { recursive: true });
  const lines = readFileSync(join(folder, 'dawnload.yaml'), 'utf8').split('\n');
  const unexplained = lines.filter(
    (line, i) => /^ *(- )?\w+:/.test(line) && !/^ *#/.test(lines[i - 1] ?? ''),
  );
  expect(unexplained).toEqual([]);
  const config = loadConfig(STREAMS, {}, {}, folder);
  expect(config.exports.budget).toEqual({ recordsPerRun: 200_000, recordsPerMonth: 6_000_000 });
  expect(readFileSync(join(folder, '.env.example'), 'utf8')).toContain(config.alerts[0]?.variable);
});
