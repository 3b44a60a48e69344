/** A data folder with a published file and a lake, whose commands run as processes and are timed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Parts } from '../test/lake/parts.js';
import { REGION, STORAGE_KEYS, WAREHOUSE, type Stack } from '../test/lake/stack.js';
import { CLI } from './job.js';

export interface Pushed {
  readonly seconds: number;
  readonly commits: number;
  readonly rows: number;
  /** Of the whole process, if the system reports it. */
  readonly peakMegabytes: number | undefined;
}

const answer = z.object({ commits: z.array(z.object({ rows: z.number() })) });

export class LakeFolder {
  private constructor(
    readonly folder: string,
    readonly namespace: string,
  ) {}

  /** A folder that publishes a copy of that file, with its own empty namespace. */
  static async make(stack: Stack, parts: Parts, namespace: string, file: string): Promise<LakeFolder> {
    const lake = new LakeFolder(join(stack.folder, namespace), namespace);
    await mkdir(join(lake.folder, 'data'), { recursive: true });
    await lake.publish(file);
    await writeFile(
      join(lake.folder, 'dawnload.yaml'),
      `base_url: http://127.0.0.1:9
project_id: 0123456789abcdef0123456789abcdef
start_date: 2026-01-01
lake:
  catalog: { uri: ${stack.catalogUrl}, warehouse: ${WAREHOUSE}, auth: none }
  storage: { endpoint: ${stack.storageUrl}, region: ${REGION}, path_style: true }
  namespace: ${namespace}
  extensions: ${parts.extensions}
`,
    );
    await lake.#run('setup');
    return lake;
  }

  get published(): string {
    return join(this.folder, 'data', 'warehouse.duckdb');
  }

  async publish(file: string): Promise<void> {
    await copyFile(file, this.published);
  }

  async push(): Promise<Pushed> {
    const { out, seconds, peakMegabytes } = await this.#run('push');
    const { commits } = answer.parse(JSON.parse(out));
    const rows = commits.reduce((sum, commit) => sum + commit.rows, 0);
    return { seconds, commits: commits.length, rows, peakMegabytes };
  }

  async #run(command: string): Promise<{ out: string; seconds: number; peakMegabytes: number | undefined }> {
    const began = performance.now();
    const child = spawn(process.execPath, [CLI, 'lake', command, '--json'], {
      cwd: this.folder,
      env: {
        ...process.env,
        DAWNLOAD_LAKE_ACCESS_KEY_ID: STORAGE_KEYS.accessKey,
        DAWNLOAD_LAKE_SECRET_ACCESS_KEY: STORAGE_KEYS.secretKey,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
    let peakMegabytes: number | undefined;
    const watch = setInterval(() => {
      void peakOf(child.pid).then((peak) => (peakMegabytes = peak ?? peakMegabytes));
    }, 200);
    const [code] = z.tuple([z.number().nullable(), z.unknown()]).parse(await once(child, 'close'));
    clearInterval(watch);
    if (code !== 0) throw new Error(`dawnload lake ${command}: exit code ${code ?? 'none'}\n${texts.err}`);
    return { out: texts.out, seconds: (performance.now() - began) / 1000, peakMegabytes };
  }
}

/** Linux reports a process's peak memory. */
async function peakOf(pid: number | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid ?? 0}/status`, 'utf8').catch(() => '');
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}
