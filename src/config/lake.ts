/** The settings under `lake:`, and what they come to: where the tables go in Iceberg, and how the catalog is spoken to. */
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Environment } from './files.js';
import { NO_SECTION, whole, yesOrNo, isUnencrypted } from './scalars.js';
import { ConfigError } from '../errors.js';

const CATALOG_AUTH = ['none', 'oauth2', 'sigv4'] as const;

const address = z
  .string('must be an http or https address')
  .refine((text) => {
    if (!URL.canParse(text)) return false;
    const { protocol, search, hash, username } = new URL(text);
    return /^https?:$/.test(protocol) && search === '' && hash === '' && username === '';
  }, 'must be an http or https address, without a query and without keys')
  .transform((text) => text.replace(/\/+$/, ''));

const text = (what: string): z.ZodString => z.string(what).min(1, what);

const catalog = z.strictObject(
  {
    uri: address,
    warehouse: text('must be the name of the warehouse in the catalog'),
    auth: z.enum(CATALOG_AUTH, `must be one of ${CATALOG_AUTH.join(', ')}`),
    token_uri: address.optional(),
    scope: text('must be a scope such as PRINCIPAL_ROLE:ALL').optional(),
  },
  NO_SECTION,
);

const storage = z.strictObject(
  {
    endpoint: address.optional(),
    region: text('must be a region such as ap-northeast-2').optional(),
    path_style: yesOrNo.default(false),
  },
  NO_SECTION,
);

export const lakeSchema = z.strictObject(
  {
    format: z.literal('iceberg', 'must be iceberg, the only format').default('iceberg'),
    catalog,
    storage: storage.prefault({}),
    namespace: z
      .string('must be a name in small letters')
      .regex(/^[a-z][a-z0-9_]{0,60}$/, 'must be a name in small letters, digits and _')
      .default('dawnload'),
    extensions: text("must be the folder of DuckDB's extensions").optional(),
    // Models of a day read events and messages of up to seven days before.
    local_days: whole(8, 36_500).optional(),
    allow_personal: yesOrNo.default(false),
  },
  NO_SECTION,
);

/** The keys of catalog and storage. Never printed: they serialise to nothing. */
class LakeSecrets {
  readonly #values: Readonly<Record<SecretName, string | undefined>>;

  constructor(values: Readonly<Record<SecretName, string | undefined>>) {
    this.#values = values;
  }

  get(name: SecretName): string | undefined {
    return this.#values[name];
  }
}

/** The secrets, by the environment variables that hold them. */
const VARIABLES = {
  accessKey: 'DAWNLOAD_LAKE_ACCESS_KEY_ID',
  secretKey: 'DAWNLOAD_LAKE_SECRET_ACCESS_KEY',
  sessionToken: 'DAWNLOAD_LAKE_SESSION_TOKEN',
  clientId: 'DAWNLOAD_LAKE_CLIENT_ID',
  clientSecret: 'DAWNLOAD_LAKE_CLIENT_SECRET',
  token: 'DAWNLOAD_LAKE_TOKEN',
} as const;

type SecretName = keyof typeof VARIABLES;

export interface LakeConfig {
  readonly catalog: {
    readonly uri: string;
    readonly warehouse: string;
    readonly auth: (typeof CATALOG_AUTH)[number];
    readonly tokenUri: string | undefined;
    readonly scope: string | undefined;
  };
  readonly storage: {
    readonly endpoint: string | undefined;
    readonly region: string | undefined;
    readonly pathStyle: boolean;
  };
  /** The namespace of the tables of `main`; those of `ops` and `marts` end with `_ops` and `_marts`. */
  readonly namespace: string;
  /** The folder of the extensions httpfs, avro and iceberg; undefined: DuckDB's own. */
  readonly extensions: string | undefined;
  /** How many days of events and messages the file keeps; undefined: all. */
  readonly localDays: number | undefined;
  /** Whether recipients may be pushed as they are. */
  readonly allowPersonal: boolean;
  readonly secrets: LakeSecrets;
}

/** @param folder of the settings file, which relative paths start from */
export function lakeOf(
  settings: z.infer<typeof lakeSchema> | undefined,
  folder: string,
  variables: Environment,
): LakeConfig | undefined {
  if (settings === undefined) return undefined;
  const { catalog, storage, namespace, extensions } = settings;
  const secret = (name: SecretName): string | undefined => {
    const value = variables[VARIABLES[name]];
    return value === '' ? undefined : value;
  };
  return Object.freeze({
    catalog: {
      uri: catalog.uri,
      warehouse: catalog.warehouse,
      auth: catalog.auth,
      tokenUri: catalog.token_uri,
      scope: catalog.scope,
    },
    storage: { endpoint: storage.endpoint, region: storage.region, pathStyle: storage.path_style },
    namespace,
    extensions: extensions === undefined ? undefined : resolve(folder, extensions),
    localDays: settings.local_days,
    allowPersonal: settings.allow_personal,
    secrets: new LakeSecrets({
      accessKey: secret('accessKey'),
      secretKey: secret('secretKey'),
      sessionToken: secret('sessionToken'),
      clientId: secret('clientId'),
      clientSecret: secret('clientSecret'),
      token: secret('token'),
    }),
  });
}

interface Settings {
  readonly file: string | undefined;
  readonly allowHttp: boolean;
  readonly privacy: { readonly recipients: string };
  readonly lake: LakeConfig | undefined;
}

/**
 * The same config with its lake.
 *
 * @throws ConfigError when it has none, or one that secrets or recipients must not go to
 */
export function requireLake<T extends Settings>(config: T): T & { readonly lake: LakeConfig } {
  const { lake, file } = config;
  if (lake === undefined) {
    throw new ConfigError(`${file ?? 'dawnload.yaml'} does not set lake.`, {
      hint: 'docs/scale.md says when a lake is worth it, and which lines it takes.',
    });
  }
  if (config.privacy.recipients === 'keep' && !lake.allowPersonal) {
    throw new ConfigError(
      'privacy.recipients is keep, so telephone numbers and addresses would be copied into the lake.',
      { hint: 'Set privacy.recipients to hash or drop, or set lake.allow_personal: true.' },
    );
  }
  for (const address of [lake.catalog.uri, lake.catalog.tokenUri, lake.storage.endpoint]) {
    if (address === undefined || !isUnencrypted(address) || config.allowHttp) continue;
    throw new ConfigError(
      `The lake's address ${address} uses http, so keys and data would travel unencrypted.`,
      {
        hint: 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.',
      },
    );
  }
  if (
    lake.catalog.auth === 'oauth2' &&
    lake.secrets.get('token') === undefined &&
    (lake.secrets.get('clientId') === undefined || lake.secrets.get('clientSecret') === undefined)
  ) {
    throw new ConfigError('lake.catalog.auth is oauth2, and its keys are not set.', {
      hint: 'Set DAWNLOAD_LAKE_CLIENT_ID and DAWNLOAD_LAKE_CLIENT_SECRET, or DAWNLOAD_LAKE_TOKEN, in the environment or in .env.',
    });
  }
  if (
    lake.catalog.auth === 'sigv4' &&
    (lake.secrets.get('accessKey') === undefined || lake.secrets.get('secretKey') === undefined)
  ) {
    throw new ConfigError('lake.catalog.auth is sigv4, and its keys are not set.', {
      hint: 'Set DAWNLOAD_LAKE_ACCESS_KEY_ID and DAWNLOAD_LAKE_SECRET_ACCESS_KEY in the environment or in .env.',
    });
  }
  return { ...config, lake };
}
