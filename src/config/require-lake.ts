/** What the lake needs beyond well-formed settings: keys, encryption, and leave to hold recipients. */
import { ConfigError } from '../errors.js';
import { isUnencrypted } from './address.js';
import type { LakeConfig } from './lake.js';

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
