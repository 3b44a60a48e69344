/** The settings: whether they are whole, and whom they tell. */
import { isLoopback, isUnencrypted, requireSettings, type Config } from '../config.js';
import { plural } from '../terminal/terminal.js';
import { fail, ok, warn, type Finding } from './check.js';

export function settings(config: Config): Finding {
  requireSettings(config);
  const { file, exports } = config;
  return ok(
    `${file ?? 'no settings file, only the environment'}; paid exports are ${exports.budget === undefined ? 'off' : 'on, within the budget'}`,
  );
}

/** Whether the service is, or was, a sandbox on this machine, whose keys are gone with it. */
export function isRehearsal({ baseUrl, credentials }: Config): boolean {
  return credentials === undefined && baseUrl !== undefined && isLoopback(baseUrl);
}

const SET_KEYS =
  'Set DAWNLOAD_ACCESS_KEY and DAWNLOAD_SECRET_KEY in the environment, or in a .env file beside dawnload.yaml.';

export function keys(config: Config): Finding {
  if (config.credentials !== undefined) return ok('both are set');
  return isRehearsal(config)
    ? warn(
        'not set; base_url is this machine, as it is after a demo, so the service is not asked',
        'For a service of your own, start `dawnload init` in a folder of its own.',
      )
    : fail('The access keys are not set.', SET_KEYS);
}

/** Undefined where the address is https: then the certificate is looked at. */
export function encryption(baseUrl: string, allowHttp: boolean): Finding | undefined {
  if (!isUnencrypted(baseUrl))
    return baseUrl.startsWith('http:') ? ok('http, on this machine alone') : undefined;
  const reason = `The base_url ${baseUrl} uses http, so keys and data travel unencrypted.`;
  return allowHttp
    ? warn(reason, 'Use https where the service has it.')
    : fail(reason, 'Use https, or set allow_http: true in dawnload.yaml if you trust the network.');
}

export function alerts({ alerts, pingUrl }: Config): Finding {
  const unset = alerts.flatMap(({ url, variable }) => (url === undefined ? [variable ?? ''] : []));
  if (unset.length > 0) {
    return warn(`${unset.join(', ')} holds no address.`, 'Set it in the environment or in .env.');
  }
  const health = pingUrl === undefined ? 'no health check is pinged' : 'a health check is pinged';
  return ok(`${alerts.length === 0 ? 'nobody gets alerts' : plural(alerts.length, 'receiver')}; ${health}`);
}

export function testAlert(taken: number, receivers: number): Finding {
  if (receivers === 0) return warn('Nobody gets alerts.', 'Add alerts to dawnload.yaml.');
  return taken === receivers
    ? ok(`taken by ${plural(taken, 'receiver')}`)
    : fail(
        `taken by ${taken} of ${plural(receivers, 'receiver')}`,
        'Correct the address of each that is named above.',
      );
}
