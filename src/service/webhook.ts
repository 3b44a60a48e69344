/** Sends requests to webhook addresses in the settings: alerts and `after_publish`. */
import { messageOf } from '../ground/errors.js';
import { http, throughProxy } from './exchange.js';

/**
 * Posts JSON to an address, through the proxy named in the environment. The body of the answer is not read.
 *
 * @param stop aborts the request
 * @returns the reason why the request failed, as a clause; without the address, which may be a secret
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
    const { username, password } = new URL(url);
    // undici ignores a name and password in an address, so they are sent as a header.
    const named = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    const basic = username === '' ? {} : { authorization: `Basic ${named.toString('base64')}` };
    const { statusCode, body } = await request(url, {
      method: 'POST',
      body: json,
      headers: { 'content-type': 'application/json', ...basic },
      dispatcher,
      signal,
    });
    // Closing the body early causes an error that does not matter.
    body.on('error', () => undefined).destroy();
    if (statusCode >= 200 && statusCode < 300) return undefined;
    return `HTTP ${statusCode}${statusCode >= 300 && statusCode < 400 ? ', a redirect, which is not followed' : ''}`;
  } catch (error) {
    if (late.aborted) return `no answer within ${patienceMs / 1000} seconds`;
    const why = messageOf(error).replaceAll(url, 'its address').trim().replace(/\.+$/, '');
    return why.includes('wrong version number') ? 'the address is https, and http answers there' : why;
  } finally {
    void dispatcher?.destroy();
  }
}
