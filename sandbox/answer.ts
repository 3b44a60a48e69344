/** An answer before it is sent. */

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** An answer whose body is already JSON. */
export function bytesAnswer(body: Buffer, status = 200): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

export function jsonAnswer(value: unknown, status = 200): Reply {
  return bytesAnswer(Buffer.from(JSON.stringify(value)), status);
}
