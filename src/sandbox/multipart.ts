/** A body of `multipart/form-data`, in its parts. */

export interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly bytes: Buffer;
}

const BLANK = Buffer.from('\r\n\r\n');

/** Null when it is no such body. */
export function partsOf(contentType: string, body: Buffer): Part[] | null {
  const match = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return null;
  // With a line end before it, the first boundary looks like all others.
  const bytes = Buffer.concat([Buffer.from('\r\n'), body]);
  const mark = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  let at = bytes.indexOf(mark);
  for (;;) {
    if (at < 0) return null;
    const start = at + mark.length;
    if (bytes.toString('latin1', start, start + 2) === '--') return parts;
    at = bytes.indexOf(mark, start);
    const part = at < 0 ? null : partOf(bytes.subarray(start, at));
    if (part === null) return null;
    parts.push(part);
  }
}

function partOf(bytes: Buffer): Part | null {
  const end = bytes.indexOf(BLANK);
  if (end < 0) return null;
  const head = bytes.toString('utf8', 0, end);
  const disposition = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head)?.[1] ?? '';
  const name = /\bname="([^"]*)"/i.exec(disposition)?.[1];
  if (name === undefined) return null;
  return {
    name,
    fileName: /\bfilename="([^"]*)"/i.exec(disposition)?.[1] ?? null,
    bytes: bytes.subarray(end + BLANK.length),
  };
}
