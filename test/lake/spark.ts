/** The Spark session that reads the lake, `spark.py` in a process of its own, and the weekly upkeep on Spark. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mkdir, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { ended } from '../support/dawnload.js';
import type { Parts } from './parts.js';
import { REGION, STORAGE_KEYS, WAREHOUSE, type Stack } from './stack.js';

const SCRIPT = resolve('test/lake/spark.py');

export type Row = Record<string, unknown>;

interface Answer {
  readonly id: number;
  readonly rows?: unknown[];
  readonly error?: string;
}

interface Waiting {
  readonly done: (rows: unknown[]) => void;
  readonly fail: (error: Error) => void;
}

export class Spark {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #requests = 0;

  /** Begins to start it: what is asked meanwhile waits. It ends with this process, which its input comes from. */
  constructor(parts: Parts, stack: Stack) {
    const path = join(stack.folder, 'spark.log');
    const log = openSync(path, 'a');
    this.#child = spawn('python3', [SCRIPT, JSON.stringify(sparkSettings(parts, stack))], {
      cwd: stack.folder,
      env: sparkEnvironment(parts),
      stdio: ['pipe', 'pipe', log],
    });
    closeSync(log);
    if (this.#child.stdout !== null) {
      createInterface(this.#child.stdout).on('line', (line) => {
        const { id, rows = [], error } = JSON.parse(line) as Answer;
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (error === undefined) waiting?.done(rows);
        else waiting?.fail(new Error(`Spark: ${error.slice(0, 2_000)}`));
      });
    }
    this.#child.on('close', () => {
      const said = (): string => readFileSync(path, 'utf8').slice(-2_000);
      for (const { fail } of this.#waiting.values()) fail(new Error(`Spark has ended:\n${said()}`));
      this.#waiting.clear();
    });
  }

  async ask(sql: string): Promise<Row[]> {
    return (await this.#request({ sql })) as Row[];
  }

  /** Copies all tables of these namespaces into Parquet files, in a folder for each table. Returns their names. */
  async copy(namespaces: readonly string[], folder: string): Promise<string[]> {
    return (await this.#request({ copy: namespaces, folder })) as string[];
  }

  #request(request: object): Promise<unknown[]> {
    const id = this.#requests++;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done, fail });
      this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }
}

/** Of a Python program that starts Spark. */
export function sparkEnvironment(parts: Parts): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONPATH: parts.pyspark, SPARK_LOCAL_IP: '127.0.0.1', TZ: 'UTC' };
}

/** Of a session that reads and writes the catalog as `lake`. */
export function sparkSettings(parts: Parts, stack: Stack): Readonly<Record<string, string>> {
  const lake = 'spark.sql.catalog.lake';
  return {
    'spark.master': 'local[2]',
    'spark.driver.memory': '1g',
    'spark.driver.bindAddress': '127.0.0.1',
    'spark.driver.host': '127.0.0.1',
    'spark.jars': parts.jars.join(','),
    'spark.local.dir': join(stack.folder, 'spark'),
    'spark.sql.warehouse.dir': join(stack.folder, 'spark'),
    'spark.sql.session.timeZone': 'UTC',
    'spark.sql.parquet.outputTimestampType': 'TIMESTAMP_MICROS',
    // The tables are many and tiny: what speeds up large ones takes longer than reading these.
    'spark.ui.enabled': 'false',
    'spark.ui.showConsoleProgress': 'false',
    'spark.sql.adaptive.enabled': 'false',
    'spark.sql.shuffle.partitions': '1',
    'spark.sql.codegen.wholeStage': 'false',
    'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
    'spark.driver.extraJavaOptions':
      '-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=128m -XX:+UseSerialGC',
    [lake]: 'org.apache.iceberg.spark.SparkCatalog',
    [`${lake}.type`]: 'rest',
    [`${lake}.uri`]: stack.catalogUrl,
    [`${lake}.warehouse`]: WAREHOUSE,
    // Every question sees the newest commit.
    [`${lake}.cache-enabled`]: 'false',
    // Spark has the keys itself.
    [`${lake}.header.X-Iceberg-Access-Delegation`]: '',
    [`${lake}.client.region`]: REGION,
    [`${lake}.s3.access-key-id`]: STORAGE_KEYS.accessKey,
    [`${lake}.s3.secret-access-key`]: STORAGE_KEYS.secretKey,
  };
}

const UPKEEP = resolve('docs/lake_upkeep.py');

/** What it prints. Throws where a step fails. Nessie keeps the history in commits of its own, so by default nothing expires. */
export async function upkeep(
  parts: Parts,
  stack: Stack,
  namespace: string,
  how: readonly string[] = ['--keep-snapshots'],
): Promise<string> {
  const folder = join(stack.folder, 'upkeep');
  await mkdir(folder, { recursive: true });
  const settings = Object.entries(sparkSettings(parts, stack)).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(join(folder, 'spark-defaults.conf'), settings.join(''));
  const child = spawn('python3', [UPKEEP, 'lake', namespace, ...how], {
    env: { ...sparkEnvironment(parts), SPARK_CONF_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { code, stdout, stderr } = await ended(child);
  if (code !== 0) throw new Error(`The upkeep ended with ${code ?? 'a signal'}:\n${stderr.slice(-2_000)}`);
  return stdout.trim();
}
