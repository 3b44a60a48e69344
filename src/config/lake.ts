/**
 * The secrets of the lake, and the checks of its settings: the addresses to which secrets may be sent, and whether
 * recipients may be pushed.
 */
import { resolve } from 'node:path';
import { ConfigError } from '../ground/errors.js';
import type { Environment } from './files.js';
import type { Settings } from './schema.js';

/** The secrets of catalog and storage. They cannot be printed: they serialise to nothing. */
class LakeSecrets {
  readonly #variables: Environment;

  constructor(variables: Environment) {
    this.#variables = variables;
  }

  get(name: SecretName): string | undefined {
    const value = this.#variables[VARIABLES[name]];
    return value === '' ? undefined : value;
  }

  /** True if all of the secrets are set. */
  has(...names: readonly SecretName[]): boolean {
    return names.every((name) => this.get(name) !== undefined);
  }
}

/** The secrets by the environment variables that contain them. */
const VARIABLES = {
  accessKey: 'DAWNLOAD_LAKE_ACCESS_KEY_ID',
  secretKey: 'DAWNLOAD_LAKE_SECRET_ACCESS_KEY',
  sessionToken: 'DAWNLOAD_LAKE_SESSION_TOKEN',
  clientId: 'DAWNLOAD_LAKE_CLIENT_ID',
  clientSecret: 'DAWNLOAD_LAKE_CLIENT_SECRET',
  token: 'DAWNLOAD_LAKE_TOKEN',
} as const;

type SecretName = keyof typeof VARIABLES;

export type LakeConfig = NonNullable<Settings['lake']> & { readonly secrets: LakeSecrets };

/** @param folder of the settings file, the base of relative paths */
export function lakeOf(
  settings: NonNullable<Settings['lake']>,
  folder: string,
  variables: Environment,
): LakeConfig {
  const { extensions } = settings;
  return {
    ...settings,
    ...(extensions !== undefined && { extensions: resolve(folder, extensions) }),
    secrets: new LakeSecrets(variables),
  };
}

interface Needed {
  readonly file: string | undefined;
  readonly allowHttp: boolean;
  readonly privacy: { readonly recipients: string };
  readonly lake: LakeConfig | undefined;
}

/**
 * Returns the config, with the lake as a required property.
 *
 * @throws ConfigError if no lake is configured, or secrets or recipients may not be sent to the configured one
 */
export function requireLake<T extends Needed>(config: T): T & { readonly lake: LakeConfig } {
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
  const { auth } = lake.catalog;
  const { secrets } = lake;
  const missing = {
    none: undefined,
    oauth2:
      secrets.has('token') || secrets.has('clientId', 'clientSecret')
        ? undefined
        : 'DAWNLOAD_LAKE_CLIENT_ID and DAWNLOAD_LAKE_CLIENT_SECRET, or DAWNLOAD_LAKE_TOKEN,',
    sigv4: secrets.has('accessKey', 'secretKey')
      ? undefined
      : 'DAWNLOAD_LAKE_ACCESS_KEY_ID and DAWNLOAD_LAKE_SECRET_ACCESS_KEY',
  }[auth];
  if (missing !== undefined) {
    throw new ConfigError(`lake.catalog.auth is ${auth}, and its keys are not set.`, {
      hint: `Set ${missing} in the environment or in .env.`,
    });
  }
  return { ...config, lake };
}

/** True if requests to the address would send secrets unencrypted to another machine. */
export function isUnencrypted(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
}

/** True if the address is this machine. */
export function isLoopback(baseUrl: string): boolean {
  // URL normalises numeric addresses, so no other notation has to be matched.
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}
