/** Requests to addresses that the settings name beside the service: alerts and `after_publish`. */
import { messageOf } from '../ground/errors.js';
import { http, throughProxy } from './transport.js';

/**
 * Posts JSON to an address, through the proxy of the environment. The answer is not read.
 *
 * @param stop ends the request before its time
 * @returns the reason why the request was not taken, a clause without the address, which may be a secret
 */
export async function requestWebhook(
  url: string,
  json: string,
  patienceMs: number,
  stop?: AbortSignal,
): Promise<string | undefined> {
  const late = AbortSignal.timeout(patienceMs);
  const signal = stop === undefined ? late : AbortSignal.any([stop, late]);
  let dispatcher: Awaited<ReturnType<typeof throughProxy>> | undefined;
  try {
    dispatcher = await throughProxy();
    const { request } = await http();
    const { statusCode, body } = await request(url, {
      method: 'POST',
      body: json,
      headers: { 'content-type': 'application/json' },
      dispatcher,
      signal,
    });
    // Closing it early is not an error.
    body.on('error', () => undefined).destroy();
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return `HTTP ${statusCode}${statusCode >= 300 && statusCode < 400 ? ', a redirect, which is not followed' : ''}`;
  } catch (error) {
    if (late.aborted) return `no answer within ${patienceMs / 1000} seconds`;
    return messageOf(error).replaceAll(url, 'its address');
  } finally {
    void dispatcher?.destroy();
  }
}
