/** The lake: the catalog of Iceberg tables and the published file, attached side by side in one DuckDB session. */
import { mkdir, rm } from 'node:fs/promises';
import { join, basename } from 'node:path';
import { z } from 'zod';
import type { LakeConfig } from '../config/lake.js';
import {
  ConfigError,
  CredentialsError,
  DawnloadError,
  messageOf,
  ServiceError,
  StorageError,
  TryLaterError,
} from '../errors.js';
import { openInstance } from '../storage/duckdb.js';
import { dataFiles } from '../storage/paths.js';
import { ordinaryLimit } from '../warehouse/opening.js';
import { Reader } from '../warehouse/reader.js';
import { count, Session } from '../warehouse/session.js';
import type { Day } from '../calendar.js';
import { cut } from '../text.js';
import { existsSync, readdirSync } from 'node:fs';

/** How the catalog is attached as `lake`, and what its tables can do. */
export interface LakeCatalog {
  attach(session: Session): Promise<void>;
  /** The clauses after the columns of a new table; `partition` is the column that divides it, if any does. */
  tableClauses(partition: string | undefined): string;
  /** Whether a commit of several tables is one request, as the trial commit of the set-up showed. */
  commitsTogether(session: Session): Promise<boolean>;
}

interface OpenLake {
  readonly dataDir: string;
  readonly lake: LakeConfig;
  readonly signal: AbortSignal;
  readonly catalog: LakeCatalog;
}

/** Rows of a day are sorted before they are written; what does not fit is spilled. */
const MEMORY_MB = 640;

export class Lake {
  readonly session: Session;
  readonly catalog: LakeCatalog;
  readonly #namespace: string;
  readonly #temporary: string;

  private constructor(session: Session, { lake, catalog }: OpenLake, temporary: string) {
    this.session = session;
    this.catalog = catalog;
    this.#namespace = lake.namespace;
    this.#temporary = temporary;
  }

  /**
   * Opens the published file for reading, and the lake.
   *
   * @throws ConfigError when there is no published file, or a newer version made it
   * @throws what `LakeCatalog.attach` throws
   */
  static async open(opening: OpenLake): Promise<Lake> {
    const { published, temp } = dataFiles(opening.dataDir);
    // Says what is wrong with the file in words of its own.
    await (await Reader.open(published)).close();
    const temporary = join(temp, `lake-${process.pid}`);
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const limits = ordinaryLimit(MEMORY_MB);
    const instance = await openInstance(':memory:', {
      memory_limit: `${limits.megabytes}MB`,
      threads: String(limits.threads),
      temp_directory: temporary,
    });
    const lake = new Lake(await Session.open(instance, opening.signal), opening, temporary);
    try {
      await lake.session.run('lake/session');
      await opening.catalog.attach(lake.session);
      await lake.session.run('lake/attach_file', { path: quoted(published) });
      await lake.#assertCurrent();
      return lake;
    } catch (error) {
      await lake.close();
      throw error;
    }
  }

  /** Throws ConfigError when the published file is of a version that noted less about its models. */
  async #assertCurrent(): Promise<void> {
    const { tables } = await this.session.row('lake/has_model_days', z.object({ tables: count }));
    if (tables > 0) return;
    throw new ConfigError('The published file was made by an older version of this program.', {
      hint: 'Run `dawnload run`, or `dawnload rebuild`, which need no lake; then push.',
    });
  }

  /** The namespaces of the lake by the schemas of the file. */
  get schemas(): Readonly<Record<Relation['schema'], string>> {
    return { main: this.#namespace, ops: `${this.#namespace}_ops`, marts: `${this.#namespace}_marts` };
  }

  /** The namespace of the tables about the job, for statements. */
  get ops(): { readonly ops: string } {
    return { ops: this.schemas.ops };
  }

  /** `dawnload_marts."channel_days"`. */
  tableOf({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
    return `${this.schemas[schema]}."${name}"`;
  }

  async close(): Promise<void> {
    this.session.close();
    await rm(this.#temporary, { recursive: true, force: true });
  }
}

/** A text as a SQL literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Days as literals: `date '2026-11-01', date '2026-11-02'`. */
export function daysList(days: readonly Day[]): string {
  return days.map((day) => `date '${day}'`).join(', ');
}

/** The rows of these days, as a condition. */
export function inDays(column: string, days: readonly Day[]): string {
  return days.length === 0 ? 'false' : `${column} in (${daysList(days)})`;
}

/** Why the lake cannot be used; an error with a remedy of its own stays as it is. */
export function catalogFailure(cause: unknown): unknown {
  // An error that is not DuckDB's is a fault of this program.
  if (cause instanceof DawnloadError || cause instanceof z.ZodError) return cause;
  const text = messageOf(cause);
  if (/Conflict_409|\b409\b/.test(text)) {
    return new TryLaterError('Somebody else changed the lake at the same time, so this commit was refused.', {
      hint: 'Nothing was changed by it. `dawnload lake push` tries again.',
      cause,
    });
  }
  if (/Unauthorized|Forbidden|\b40[13]\b/.test(text)) {
    return new CredentialsError(`The lake refuses the keys (${briefly(text)}).`, {
      hint: 'Correct DAWNLOAD_LAKE_… in the environment or in .env, or what the keys may do, then run `dawnload lake push`.',
      cause,
    });
  }
  if (/No space left|Out of Memory Error/i.test(text)) {
    return new StorageError(`This machine has no room to write the lake's files (${briefly(text)}).`, {
      hint: 'Free disk space or memory, then run `dawnload lake push`.',
      cause,
    });
  }
  if (text.includes('INTERNAL Error')) {
    return new ServiceError(`DuckDB cannot read the lake's tables as they are (${briefly(text)}).`, {
      hint: 'After a compaction that left delete files behind: compact again with remove-dangling-deletes, as docs/scale.md shows, then run `dawnload lake push`.',
      cause,
    });
  }
  if (isMissing(cause)) {
    return new ConfigError(`The lake lacks a table or a namespace (${briefly(text)}).`, {
      hint: '`dawnload lake setup` creates what is missing, and the next push fills it.',
      cause,
    });
  }
  if (/NotFound_404|\b404\b/.test(text)) {
    return new ConfigError(`The catalog does not know what it was asked for (${briefly(text)}).`, {
      hint: 'Correct lake.catalog.uri and lake.catalog.warehouse.',
      cause,
    });
  }
  if (/Could not (?:connect|establish)|resolve host|Connection refused|timed? ?out/i.test(text)) {
    return new ServiceError(`The lake cannot be reached (${briefly(text)}).`, {
      hint: 'Check lake.catalog.uri and lake.storage.endpoint. The published file is complete; `dawnload lake push`, or the next run, goes on where this one stopped.',
      cause,
    });
  }
  return new ServiceError(`The lake cannot be used (${briefly(text)}).`, {
    hint: 'The published file is complete. `dawnload lake push`, or the next run, goes on where this one stopped.',
    cause,
  });
}

/** Whether DuckDB found no such table or namespace. */
export function isMissing(error: unknown): boolean {
  return /^Catalog Error: .*(?:does not exist|not found)/.test(messageOf(error));
}

/** The first line of DuckDB's message, short enough for a sentence. */
function briefly(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 200 ? `${cut(line, 200)}…` : line.replace(/[.:]\s*$/, '');
}

/** In the order in which they are loaded: each is used by the next. */
const EXTENSIONS = ['httpfs', 'avro', 'iceberg'];

export function icebergCatalog(config: LakeConfig): LakeCatalog {
  return {
    attach: async (session) => {
      for (const name of EXTENSIONS) await loadExtension(session, name, config);
      await giveSecrets(session, config);
      await session.run('lake/log_requests');
      await session.run('lake/attach_catalog', {
        warehouse: quoted(config.catalog.warehouse),
        uri: quoted(config.catalog.uri),
        delegation: quoted(hasStorageKeys(config) ? 'none' : 'vended_credentials'),
        authorization: authorization(config),
      });
    },
    // Half the size of the default, and faster, since fewer bytes leave the machine.
    tableClauses: (partition) =>
      `${partition === undefined ? '' : `partitioned by ("${partition}")`} with ('write.parquet.compression-codec' = 'zstd')`,
    commitsTogether: async (session) => {
      const { requests } = await session.row('lake/commit_requests', z.object({ requests: count }));
      return requests > 0;
    },
  };
}

async function loadExtension(session: Session, name: string, { extensions }: LakeConfig): Promise<void> {
  const hint =
    'Install it with DuckDB 1.5.5 (`install iceberg`), or set lake.extensions to a folder that holds httpfs, avro and iceberg for DuckDB 1.5.5; docs/scale.md says where they are had.';
  const path = extensions === undefined ? name : findExtension(extensions, name);
  if (path === undefined) {
    throw new ConfigError(`There is no ${name}.duckdb_extension in ${extensions ?? ''}.`, { hint });
  }
  try {
    await session.run('lake/load_extension', { extension: quoted(path) });
  } catch (cause) {
    throw new ConfigError(`DuckDB cannot load its extension ${name} (${firstLine(cause)}).`, { hint, cause });
  }
}

/** The file of an extension in a folder or below it, as packages lay it out. */
function findExtension(folder: string, name: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const file = `${name}.duckdb_extension`;
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(
    (path) => basename(path) === file,
  );
  return found === undefined ? undefined : join(folder, found);
}

/** Keys stay in the session: DuckDB keeps temporary secrets in memory, and shows them to nobody. */
async function giveSecrets(session: Session, { catalog, storage, secrets }: LakeConfig): Promise<void> {
  const endpoint = storage.endpoint === undefined ? undefined : new URL(storage.endpoint);
  await session.run('lake/storage_secret', {
    options: listOptions({
      key_id: secrets.get('accessKey'),
      secret: secrets.get('secretKey'),
      session_token: secrets.get('sessionToken'),
      region: storage.region,
      endpoint: endpoint?.host,
      use_ssl: endpoint === undefined ? undefined : endpoint.protocol === 'https:',
      url_style: storage.pathStyle ? 'path' : 'vhost',
    }),
  });
  if (catalog.auth !== 'oauth2') return;
  await session.run('lake/catalog_secret', {
    options: listOptions({
      token: secrets.get('token'),
      client_id: secrets.get('token') === undefined ? secrets.get('clientId') : undefined,
      client_secret: secrets.get('token') === undefined ? secrets.get('clientSecret') : undefined,
      oauth2_server_uri: catalog.tokenUri ?? `${catalog.uri}/v1/oauth/tokens`,
      oauth2_scope: catalog.scope,
    }),
  });
}

function listOptions(options: Readonly<Record<string, string | boolean | undefined>>): string {
  return Object.entries(options)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${name} ${typeof value === 'boolean' ? String(value) : quoted(value)}`],
    )
    .join(', ');
}

function authorization({ catalog }: LakeConfig): string {
  switch (catalog.auth) {
    case 'none':
      return "authorization_type 'none'";
    case 'oauth2':
      return 'secret lake_catalog';
    case 'sigv4':
      return "authorization_type 'sigv4', secret lake_storage";
  }
}

function hasStorageKeys({ secrets }: LakeConfig): boolean {
  return secrets.get('accessKey') !== undefined && secrets.get('secretKey') !== undefined;
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}

export interface Column {
  readonly name: string;
  /** In the lake. */
  readonly type: string;
  /** In the file. */
  readonly fileType: string;
}

export interface Relation {
  readonly schema: 'main' | 'ops' | 'marts';
  readonly name: string;
  readonly columns: readonly Column[];
  /** The stream whose coverage says which days of it changed. */
  readonly stream: 'events' | 'statistics' | 'statistics_by_subchannel' | undefined;
  /** An incremental model: `ops.model_days` says which days of it changed. */
  readonly incremental: boolean;
  /** The column whose days are replaced. */
  readonly day: 'export_date' | 'date' | 'week' | undefined;
}

const row = z
  .object({
    schema: z.enum(['main', 'ops', 'marts']),
    name: z.string(),
    columns: z.array(z.object({ name: z.string(), type: z.string() })),
    stream: z.enum(['events', 'statistics', 'statistics_by_subchannel']).nullable(),
    incremental: z.boolean(),
    day: z.enum(['export_date', 'date', 'week']).nullable(),
  })
  .transform(({ columns, stream, day, ...relation }) => ({
    ...relation,
    stream: stream ?? undefined,
    day: day ?? undefined,
    columns: columns.map(({ name, type }) => ({ name, type: lakeType(type), fileType: type })),
  }));

/** Tables of the lake that the file does not have: each commit, and what the lake holds of each relation. */
const column = (name: string, type: string): Column => ({ name, type, fileType: type });
export const LAKE_TABLES: readonly Relation[] = [
  {
    schema: 'ops',
    name: 'lake_commits',
    columns: [
      column('number', 'BIGINT'),
      column('commit_id', 'VARCHAR'),
      column('writer', 'VARCHAR'),
      column('committed_at', 'TIMESTAMP WITH TIME ZONE'),
      column('command', 'VARCHAR'),
      column('version', 'VARCHAR'),
      column('days', 'BIGINT'),
      column('rows', 'BIGINT'),
    ],
    stream: undefined,
    incremental: false,
    day: undefined,
  },
  {
    schema: 'ops',
    name: 'lake_parts',
    columns: [column('relation', 'VARCHAR'), column('date', 'DATE'), column('version', 'VARCHAR')],
    stream: undefined,
    incremental: false,
    day: undefined,
  },
];

/** It is told with the days of the streams, and not as a table of its own. */
export const COVERAGE = 'ops.coverage';

/** The texts of messages, once each, by `content_id`. */
export const CONTENTS = 'message_contents';

/** Whether days of events have left the file: the lake then holds contents that the file does not. */
export async function hasArchived(lake: Lake): Promise<boolean> {
  return (await lake.session.rows('lake/archived_days', z.object({ date: z.string() }))).length > 0;
}

export function relationsOf(lake: Lake): Promise<Relation[]> {
  return lake.session.rows('lake/relations', row);
}

/** As models and readers name it: `marts.channel_days`, `events`. */
export function nameOf({ schema, name }: Pick<Relation, 'schema' | 'name'>): string {
  return schema === 'main' ? name : `${schema}.${name}`;
}

/** The model whose days say which days of the relation changed. The people of events have no table of their own. */
export function sourceOf(relation: Relation): string {
  const name = nameOf(relation);
  return name === 'marts.event_people' ? 'marts.daily_people' : name;
}

/** Placeholders of a relation for statements: its names here and there, its columns, and their values for the lake. */
export function placeholders(lake: Lake, relation: Relation): Record<string, string> {
  const { schema, name, columns, day } = relation;
  const quoted = columns.map((column) => `"${column.name}"`);
  return {
    relation: `warehouse.${schema}."${name}"`,
    table: lake.tableOf(relation),
    day: day ?? 'null',
    names: quoted.join(', '),
    values: columns.map(valueOf).join(', '),
    // Readers of one channel or campaign find their rows side by side, and the files are a fifth smaller.
    order: columns.some((column) => column.name === 'campaign_id') ? 'order by channel, campaign_id' : '',
  };
}

/** The value of a column for the lake. Iceberg knows no infinity, which DuckDB reads in a date or an instant. */
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

/** The type in the lake of a type of the file, lists and maps by their elements: `JSON[]` is `VARCHAR[]`. */
export function lakeType(type: string): string {
  return type.replaceAll(/[A-Z]+/g, (word) => MAPPED[word] ?? word);
}

/** Whether sums of such a column are exact, so that two sides of it can be compared. */
export function isExactNumber(type: string): boolean {
  return /^(?:INTEGER|BIGINT|DECIMAL\(\d+,\d+\))$/.test(type);
}
