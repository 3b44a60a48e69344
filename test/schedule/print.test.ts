/** Printed schedules, each read by whom it is for where that is on this machine: its checker, or a shell. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Installation } from '../../src/schedule/print/installation.js';
import { printSchedule } from '../../src/schedule/print/index.js';
import { temporaryFolder } from '../warehouse/support.js';

const AT = { hour: 7, minute: 10 };

function has(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** A folder whose name needs quoting everywhere, with a program in it that tells its folder and arguments. */
function oddPlace(): Installation & { readonly expected: { cwd: string; args: string[] } } {
  const folder = join(temporaryFolder(), `it's "50%h" & $HOME <b> \${{ x }}`);
  mkdirSync(folder);
  const node = join(folder, 'node');
  symlinkSync(process.execPath, node);
  const program = join(folder, 'tell.cjs');
  writeFileSync(program, 'console.log(JSON.stringify({ cwd: process.cwd(), args: process.argv.slice(2) }))');
  const config = join(folder, 'dawnload.yaml');
  return {
    command: [node, program, 'run', '--config', config],
    folder,
    dataDir: () => join(folder, 'data'),
    user: 'root',
    version: '1.2.3',
    zone: 'Europe/Berlin',
    now: new Date('2026-11-20T22:30:00Z'),
    expected: { cwd: folder, args: ['run', '--config', config] },
  };
}

/** The files of a printed systemd schedule, in a folder of their own. */
function unitsIn(text: string): string[] {
  const folder = temporaryFolder();
  return text.split(/^# \/etc\/systemd\/system\//m).flatMap((part) => {
    const name = /^dawnload\.(service|timer)$/m.exec(part.split('\n', 1)[0] ?? '')?.[0];
    if (name === undefined) return [];
    writeFileSync(join(folder, name), part.slice(part.indexOf('\n')));
    return [join(folder, name)];
  });
}

describe('systemd', () => {
  test.skipIf(!has('systemd-analyze'))(
    'systemd-analyze finds nothing wrong, whatever the paths are called',
    () => {
      const units = unitsIn(printSchedule('systemd', AT, oddPlace()));
      expect(units).toHaveLength(2);
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...units], {
        encoding: 'utf8',
      });
      expect(stdout + stderr).toBe('');
      expect(status).toBe(0);
      // A program with spaces in its name is one that systemd starts itself, and it does notice a wrong one.
      const spaces = join(temporaryFolder(), 'my 50%h node');
      symlinkSync(process.execPath, spaces);
      const plain = unitsIn(printSchedule('systemd', AT, { ...oddPlace(), command: [spaces, 'run'] }));
      expect(spawnSync('systemd-analyze', ['verify', ...plain], { encoding: 'utf8' }).stderr).toBe('');
      const wrong = { ...oddPlace(), command: ['/nowhere/node'] };
      const bad = spawnSync('systemd-analyze', ['verify', ...unitsIn(printSchedule('systemd', AT, wrong))], {
        encoding: 'utf8',
      });
      expect(bad.stderr).toContain('/nowhere/node');
    },
  );

  test.skipIf(!has('systemd-analyze'))('the service is exposed little', () => {
    const [service = ''] = unitsIn(printSchedule('systemd', AT, oddPlace()));
    const told = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', service], {
      encoding: 'utf8',
    });
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(told)?.[1])).toBeLessThan(2);
  });

  test('the data folder of the settings can be written to, and nothing else but a state directory', () => {
    const place = oddPlace();
    const text = printSchedule('systemd', AT, place);
    expect(text).toContain('StateDirectory=dawnload\n');
    expect(text).toMatch(/^ReadWritePaths="-.*\/data"$/m);
    expect(text).toContain('ProtectHome=yes\n');
    expect(text).toContain('OnCalendar=*-*-* 07:10:00 Asia/Seoul\n');
    const inState = printSchedule('systemd', AT, { ...place, dataDir: () => '/var/lib/dawnload/data' });
    expect(inState).not.toContain('ReadWritePaths');
    const atHome = printSchedule('systemd', AT, { ...place, user: 'mina', dataDir: () => '/home/mina/data' });
    expect(atHome).toContain('ProtectHome=read-only\n');
    expect(atHome).toContain('User=mina\n');
    expect(atHome).not.toContain('useradd');
  });
});

describe('cron', () => {
  test('the line runs as cron would hand it to a shell', () => {
    const place = oddPlace();
    const text = printSchedule('cron', AT, place);
    const line = text.split('\n').find((some) => /^\d/.test(some)) ?? '';
    const [, time, command = ''] = /^(\d+ \d+ \* \* \*) (.*)$/.exec(line) ?? [];
    // Berlin is eight hours behind in winter and seven in summer: the later one is never too early.
    expect(time).toBe('10 0 * * *');
    expect(command.replaceAll('\\%', '')).not.toContain('%');
    const said = execFileSync('sh', ['-c', command.replaceAll('\\%', '%')], { encoding: 'utf8', cwd: '/' });
    expect(JSON.parse(said)).toEqual(place.expected);
    expect(text).toContain('# CRON_TZ=Asia/Seoul\n');
  });
});

describe('GitHub Actions', () => {
  test('the workflow is one, says why its cron drifts, and its step runs', () => {
    const place = oddPlace();
    const text = printSchedule('github-actions', { hour: 8, minute: 30 }, place);
    const workflow = parse(text) as Record<string, unknown>;
    expect(workflow).toMatchObject({
      on: { schedule: [{ cron: '30 23 * * *' }] },
      permissions: {},
      concurrency: { 'cancel-in-progress': false },
      jobs: { night: { 'runs-on': 'self-hosted' } },
    });
    expect(text).toMatch(/This cron drifts\. It knows only UTC: 23:30 is 08:30 in Korea\./);
    expect(text).toMatch(/60 days/);
    const { jobs } = workflow as { jobs: { night: { steps: { run: string }[] } } };
    // The service replaces an expression by its value.
    const script = (jobs.night.steps[0]?.run ?? '').replaceAll("${{ '${{' }}", '${{');
    const said = execFileSync('bash', ['-e', '-c', script], { encoding: 'utf8', cwd: '/' });
    expect(JSON.parse(said)).toEqual(place.expected);
  });

  test.skipIf(!has('actionlint'))('actionlint finds nothing wrong', () => {
    const file = join(temporaryFolder(), 'dawnload.yml');
    writeFileSync(file, printSchedule('github-actions', AT, oddPlace()));
    expect(spawnSync('actionlint', ['-shellcheck=', file], { encoding: 'utf8' }).stdout).toBe('');
  });
});

describe('launchd', () => {
  test('every word of the command is a string of its own', () => {
    const odd = oddPlace();
    const text = printSchedule('launchd', AT, odd);
    const words = [...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word = '']) =>
      word.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    );
    expect(words).toEqual(odd.command);
    expect(text).toMatch(/<key>Hour<\/key>\s*<integer>0<\/integer>/);
  });

  test.skipIf(!has('plistutil'))('plistutil reads it', () => {
    const text = printSchedule('launchd', AT, oddPlace());
    const { status, stdout, stderr } = spawnSync('plistutil', ['-i', '-', '-o', '-'], { input: text });
    expect(stderr.toString()).toBe('');
    expect(status).toBe(0);
    expect(stdout.subarray(0, 8).toString()).toBe('bplist00');
  });
});

test('Kubernetes: one night at a time, in Korean time, without privileges, on a read-only root', () => {
  const job = parse(printSchedule('k8s', { hour: 9, minute: 5 }, oddPlace())) as unknown;
  expect(job).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    spec: {
      schedule: '5 9 * * *',
      timeZone: 'Asia/Seoul',
      concurrencyPolicy: 'Forbid',
      jobTemplate: {
        spec: {
          backoffLimit: 3,
          template: {
            spec: {
              restartPolicy: 'Never',
              securityContext: { runAsNonRoot: true, runAsUser: 1000 },
              containers: [
                {
                  image: 'your-registry/dawnload:1.2.3',
                  args: ['run', '--config', '/etc/dawnload/dawnload.yaml', '--data-dir', '/data'],
                  securityContext: {
                    allowPrivilegeEscalation: false,
                    readOnlyRootFilesystem: true,
                    capabilities: { drop: ['ALL'] },
                  },
                },
              ],
            },
          },
        },
      },
    },
  });
});
