/** Where an address leads, as far as secrets are concerned. Pure. */

/** Whether requests to the address would carry secrets unencrypted beyond this machine. */
export function isUnencrypted(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl);
}

/** Whether the address is this machine. */
export function isLoopback(baseUrl: string): boolean {
  // Numeric addresses come out of URL in their normal form, so that nothing else looks like one.
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(baseUrl).hostname);
}
