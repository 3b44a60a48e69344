/** The lake: a DuckDB session with the catalog of Iceberg tables and the published file attached. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { z } from 'zod';
import type { LakeConfig } from '../config/config.js';
import type { Invocation } from '../config/invocation.js';
import {
  ConfigError,
  CredentialsError,
  DawnloadError,
  messageOf,
  ServiceError,
  StorageError,
  TryLaterError,
} from '../ground/errors.js';
import { openInstance, escaped } from '../disk/duckdb.js';
import { dataFiles } from '../disk/paths.js';
import { limitsOf } from '../warehouse/memory-limit.js';
import { models } from '../warehouse/models.js';
import { relationName } from '../warehouse/dictionary.js';
import { Reader } from '../warehouse/reader.js';
import { count, listOf, Session } from '../warehouse/session.js';
import type { Day } from '../ground/calendar.js';
import { cut } from '../ground/text.js';

/** How the catalog is attached as `lake`, and what its tables support. */
export interface LakeCatalog {
  attach(session: Session): Promise<void>;
  /**
   * The clauses after the column list of a new table.
   *
   * @param partition the column that partitions the table, if any
   */
  tableClauses(partition: string | undefined): string;
  /** True if a commit of several tables is one request. The set-up tests this with a trial commit. */
  commitsTogether(session: Session): Promise<boolean>;
  /** The data files in a table's folder, including those that no snapshot references. */
  dataFiles(session: Session, table: string): Promise<DataFile[]>;
}

/** A data file of a table; `current` is true if the current snapshot references it. */
const dataFile = z.object({ file: z.string(), current: z.boolean() });

export type DataFile = z.infer<typeof dataFile>;

/** Memory limit in MB for sorting a day's rows. More data is spilled to disk. */
const MEMORY_MB = 640;

/** An open lake: a session with the catalog attached as `lake`, and the published file as `warehouse`. */
export class Lake {
  readonly schemas: Readonly<Record<Relation['schema'], string>>;
  /** The schemas of the file that are copied to the lake. */
  readonly used: readonly Relation['schema'][];
  /** The lake's namespace for the tables of the schema `ops`, as a placeholder for statements. */
  readonly ops: { readonly ops: string };

  constructor(
    readonly session: Session,
    readonly catalog: LakeCatalog,
    { namespace, own }: Pick<LakeConfig, 'namespace' | 'own'>,
  ) {
    this.ops = { ops: `${namespace}_ops` };
    this.schemas = { ...this.ops, main: namespace, marts: `${namespace}_marts`, own: `${namespace}_own` };
    this.used = own ? ['main', 'ops', 'marts', 'own'] : ['main', 'ops', 'marts'];
  }

  tableOf({ schema, table }: Pick<Relation, 'schema' | 'table'>): string {
    return `${this.schemas[schema]}."${table}"`;
  }
}

export interface LakeSettings {
  readonly dataDir: string;
  readonly lake: LakeConfig;
}

/** An invocation in which tests may replace the catalog of the settings. */
export interface LakeInvocation extends Invocation {
  readonly lakeCatalog?: LakeCatalog;
}

/**
 * Opens the published file for reading, attaches the lake, does the work, and closes both.
 *
 * @throws ConfigError if no file was published
 * @throws the errors of `catalogFailure`
 */
export async function withLake<T>(
  { dataDir, lake: settings }: LakeSettings,
  { signal, lakeCatalog }: LakeInvocation,
  work: (lake: Lake) => Promise<T>,
): Promise<T> {
  const catalog = lakeCatalog ?? icebergCatalog(settings);
  const { published, temp } = dataFiles(dataDir);
  // Let the reader report a faulty file, because its error is specific.
  await (await Reader.open(published)).close();
  const temporary = join(temp, `lake-${process.pid}`);
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  try {
    const limits = limitsOf({ memoryLimitMb: MEMORY_MB });
    const instance = await openInstance(':memory:', {
      memory_limit: `${limits.megabytes}MB`,
      threads: String(limits.threads),
      temp_directory: temporary,
    });
    const session = await Session.open(instance, signal);
    try {
      await session.run('lake/session');
      await catalog.attach(session);
      await session.run('lake/attach_file', { path: quoted(published) });
      return await work(new Lake(session, catalog, settings));
    } finally {
      session.close();
    }
  } catch (error) {
    throw catalogFailure(error);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export function quoted(text: string): string {
  return `'${escaped(text)}'`;
}

export function daysList(days: readonly Day[]): string {
  return days.map((day) => `date '${day}'`).join(', ');
}

/** A condition for the rows of these days. */
export function inDays(column: string, days: readonly Day[]): string {
  return days.length === 0 ? 'false' : `${column} in (${daysList(days)})`;
}

const MISSING = /^Catalog Error: .*(?:does not exist|not found)/;

/** Errors of the catalog, recognized by DuckDB's text. The first match counts. */
const FAILURES = [
  {
    says: /Conflict_409|\b409\b/,
    Failure: TryLaterError,
    what: () => 'Another program changed the lake at the same time, so this commit was refused.',
    hint: 'Nothing was changed by it. `dawnload lake push` tries again.',
  },
  {
    says: /Unauthorized|Forbidden|\b40[13]\b/,
    Failure: CredentialsError,
    what: (text: string) => `The lake refuses the keys (${text}).`,
    hint: 'Correct DAWNLOAD_LAKE_… in the environment or in .env, or what the keys may do, then run `dawnload lake push`.',
  },
  {
    says: /No space left|Out of Memory Error/i,
    Failure: StorageError,
    what: (text: string) => `This machine has no room to write the lake's files (${text}).`,
    hint: 'Free disk space or memory, then run `dawnload lake push`.',
  },
  {
    says: /INTERNAL Error/,
    Failure: ServiceError,
    what: (text: string) => `DuckDB cannot read the lake's tables as they are (${text}).`,
    hint: 'After a compaction that left delete files behind: compact again with remove-dangling-deletes, as docs/scale.md shows, then run `dawnload lake push`.',
  },
  {
    says: MISSING,
    Failure: ConfigError,
    what: (text: string) => `The lake lacks a table or a namespace (${text}).`,
    hint: '`dawnload lake setup` creates what is missing, and the next push fills it.',
  },
  {
    says: /NotFound_404|\b404\b/,
    Failure: ConfigError,
    what: (text: string) => `The catalog did not find what was requested (${text}).`,
    hint: 'Correct lake.catalog.uri and lake.catalog.warehouse.',
  },
];

export function catalogFailure(cause: unknown): unknown {
  // Only DuckDB's errors are about the lake; others are faults of this program.
  if (cause instanceof DawnloadError || cause instanceof z.ZodError) return cause;
  const text = messageOf(cause);
  const reason = briefly(text);
  const failure = FAILURES.find(({ says }) => says.test(text));
  if (failure !== undefined) return new failure.Failure(failure.what(reason), { hint: failure.hint, cause });
  const isAway = /Could not (?:connect|establish)|resolve host|Connection refused|timed? ?out/i.test(text);
  return new ServiceError(`The lake cannot be ${isAway ? 'reached' : 'used'} (${reason}).`, {
    hint: `${isAway ? 'Check lake.catalog.uri and lake.storage.endpoint. ' : ''}The published file is complete; \`dawnload lake push\`, or the next run, continues where this one stopped.`,
    cause,
  });
}

export function isMissing(error: unknown): boolean {
  return MISSING.test(messageOf(error));
}

function briefly(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 200 ? `${cut(line, 200)}…` : line.replace(/[.:]\s*$/, '');
}

const EXTENSIONS = ['httpfs', 'avro', 'iceberg'];

function icebergCatalog(config: LakeConfig): LakeCatalog {
  return {
    attach: async (session) => {
      const { DAWNLOAD_LAKE_ACCESS_KEY_ID: id, DAWNLOAD_LAKE_SECRET_ACCESS_KEY: secret } =
        config.secrets.reveal();
      // If you set no storage keys, the catalog supplies them.
      const hasKeys = id !== undefined && secret !== undefined;
      for (const name of EXTENSIONS) await loadExtension(session, name, config);
      await giveSecrets(session, config);
      await session.run('lake/log_requests');
      await session.run('lake/attach_catalog', {
        warehouse: quoted(config.catalog.warehouse),
        uri: quoted(config.catalog.uri),
        delegation: quoted(hasKeys ? 'none' : 'vended_credentials'),
        authorization: AUTHORIZATION[config.catalog.auth],
      });
    },
    // Compressed with zstd: files become half as large as by default, and are written faster because fewer bytes are sent.
    tableClauses: (partition) =>
      `${partition === undefined ? '' : `partitioned by ("${partition}")`} with ('write.parquet.compression-codec' = 'zstd')`,
    commitsTogether: async (session) => {
      const { requests } = await session.row('lake/commit_requests', z.object({ requests: count }));
      return requests > 0;
    },
    dataFiles: async (session, table) => {
      const snapshot = z.object({ manifest_list: z.string() });
      const [last] = await session.rows('lake/snapshots', snapshot, { table });
      // A table without data has no folder.
      if (last === undefined) return [];
      const folder = last.manifest_list.replace(/\/metadata\/[^/]*$/, '');
      const files = await session.rows('lake/data_files', dataFile, {
        table,
        pattern: quoted(`${folder}/**/*.parquet`),
      });
      return files.filter(({ file }) => !file.endsWith('-deletes.parquet'));
    },
  };
}

async function loadExtension(session: Session, name: string, { extensions }: LakeConfig): Promise<void> {
  const hint =
    'Install it with DuckDB 1.5.5 (`install iceberg`), or set lake.extensions to a folder with httpfs, avro and iceberg for DuckDB 1.5.5; docs/scale.md shows where to get them.';
  const path = extensions === undefined ? name : findExtension(extensions, `${name}.duckdb_extension`);
  if (path === undefined)
    throw new ConfigError(`${extensions ?? ''} has no ${name}.duckdb_extension.`, { hint });
  await session.run('lake/load_extension', { extension: quoted(path) }).catch((cause: unknown) => {
    const reason = briefly(messageOf(cause));
    throw new ConfigError(`DuckDB cannot load its extension ${name} (${reason}).`, { hint, cause });
  });
}

/** Finds the file of an extension in a folder or its subfolders, because packages arrange them differently. */
function findExtension(folder: string, file: string): string | undefined {
  const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return paths.filter((path) => basename(path) === file).map((path) => join(folder, path))[0];
}

async function giveSecrets(session: Session, { catalog, storage, secrets }: LakeConfig): Promise<void> {
  const endpoint = storage.endpoint === undefined ? undefined : new URL(storage.endpoint);
  const variables = secrets.reveal();
  const token = variables['DAWNLOAD_LAKE_TOKEN'];
  await session.run('lake/storage_secret', {
    options: listOptions({
      key_id: variables['DAWNLOAD_LAKE_ACCESS_KEY_ID'],
      secret: variables['DAWNLOAD_LAKE_SECRET_ACCESS_KEY'],
      session_token: variables['DAWNLOAD_LAKE_SESSION_TOKEN'],
      region: storage.region,
      endpoint: endpoint?.host,
      use_ssl: endpoint === undefined ? undefined : endpoint.protocol === 'https:',
      url_style: storage.pathStyle ? 'path' : 'vhost',
    }),
  });
  if (catalog.auth !== 'oauth2') return;
  await session.run('lake/catalog_secret', {
    options: listOptions({
      token,
      client_id: token === undefined ? variables['DAWNLOAD_LAKE_CLIENT_ID'] : undefined,
      client_secret: token === undefined ? variables['DAWNLOAD_LAKE_CLIENT_SECRET'] : undefined,
      oauth2_server_uri: catalog.tokenUri ?? `${catalog.uri}/v1/oauth/tokens`,
      oauth2_scope: catalog.scope,
    }),
  });
}

function listOptions(options: Readonly<Record<string, string | boolean | undefined>>): string {
  const written = (value: string | boolean): string =>
    typeof value === 'string' ? quoted(value) : String(value);
  return Object.entries(options)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name} ${written(value)}`))
    .join(', ');
}

const AUTHORIZATION = {
  none: "authorization_type 'none'",
  oauth2: 'secret lake_catalog',
  sigv4: "authorization_type 'sigv4', secret lake_storage",
};

const relationRow = z
  .object({
    schema: z.enum(['main', 'ops', 'marts', 'own']),
    table: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    /** The stream whose coverage decides which days of the relation have changed. */
    stream: z.enum(['events', 'statistics', 'statistics_by_subchannel']).nullable(),
    /** True for an incremental model, whose changed days are in `ops.model_days`. */
    incremental: z.boolean(),
    /** The column with the day (or week) by which rows are replaced. */
    day: z.enum(['export_date', 'date', 'week']).nullable(),
  })
  .transform(({ columns, ...relation }) => ({
    ...relation,
    /** The name for models and readers: `marts.channel_days`, `events`. */
    name: relationName(relation.schema, relation.table),
    /** The columns, each with its type in the lake and in the file. */
    columns: columns.map(({ name, type }) => ({ name, type: lakeType(type), fileType: type })),
  }));

export type Relation = z.infer<typeof relationRow>;
export type Column = Relation['columns'][number];

/** The table of coverage. It is written together with the days of the streams, not by itself. */
export const COVERAGE = 'ops.coverage';

/** The texts of messages, each stored once, by `content_id`. */
export const CONTENTS = 'message_contents';

/** The days whose events were removed from the file; the lake still has their messages. */
export async function removedDays({ session }: Lake): Promise<Day[]> {
  const days = await session.rows('status/removed', z.object({ date: z.string() }));
  return days.map(({ date }) => date);
}

export function relationsOf(lake: Lake): Promise<Relation[]> {
  const left = models().flatMap(({ relation, isInLake }) => (isInLake ? [] : [relation]));
  return lake.session.rows('lake/relations', relationRow, {
    schemas: listOf(lake.used),
    left_out: listOf(left),
  });
}

/** For statements: the names of a relation in the lake and in the file, its columns, and their values for the lake. */
export function placeholders(lake: Lake, relation: Relation) {
  const { schema, table, columns, day } = relation;
  const quoted = columns.map((column) => `"${column.name}"`);
  return {
    relation: `warehouse.${schema}."${table}"`,
    table: lake.tableOf(relation),
    day: day ?? 'null',
    names: quoted.join(', '),
    values: columns.map(valueOf).join(', '),
    // Sorting puts rows of one channel or campaign together, which makes the files a fifth smaller.
    order: columns.some((column) => column.name === 'campaign_id') ? 'order by channel, campaign_id' : '',
  };
}

/** A column's value as the lake needs it. Iceberg has no infinity, which DuckDB allows in dates and instants. */
function valueOf({ name, type, fileType }: Column): string {
  if (/^(?:DATE|TIMESTAMP)/.test(type)) return `if(isfinite("${name}"), "${name}", null) as "${name}"`;
  return type === fileType ? `"${name}"` : `"${name}"::${type} as "${name}"`;
}

const MAPPED: Readonly<Record<string, string>> = {
  JSON: 'VARCHAR',
  UBIGINT: 'DECIMAL(20,0)',
  UINTEGER: 'BIGINT',
  USMALLINT: 'INTEGER',
  UTINYINT: 'INTEGER',
  SMALLINT: 'INTEGER',
  TINYINT: 'INTEGER',
  HUGEINT: 'DECIMAL(38,0)',
};

/** The lake's type for a type of the file. Lists and maps are converted by element: `JSON[]` becomes `VARCHAR[]`. */
export function lakeType(type: string): string {
  return type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word);
}
