/** Requests to addresses that the settings name beside the service: alerts, health checks, `after_publish`. */
import { EnvHttpProxyAgent, request } from 'undici';

/**
 * Posts JSON to an address, or without JSON gets it, through the proxy of the environment. The answer is not read.
 *
 * @returns the HTTP status
 * @throws the error of undici, whose message may hold the address
 */
export async function requestWebhook(
  url: string,
  json: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const dispatcher = new EnvHttpProxyAgent();
  const post = { method: 'POST', body: json ?? '', headers: { 'content-type': 'application/json' } } as const;
  try {
    const { statusCode, body } = await request(url, {
      ...(json === undefined ? {} : post),
      dispatcher,
      signal,
    });
    // Closing it early is not an error.
    body.on('error', () => undefined).destroy();
    return statusCode;
  } finally {
    void dispatcher.destroy();
  }
}
