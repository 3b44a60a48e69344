/** Where a page of items ends: the id of its last item, so that the cursor stays good while items change. */
import { createHash } from 'node:crypto';

function signatureOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, 6);
}

/** Opaque to clients, and tied to its catalog. */
export function cursorAfter(catalog: string, id: string): string {
  const text = `${catalog}\n${id}`;
  return Buffer.concat([signatureOf(text), Buffer.from(text)]).toString('base64url');
}

/** The id in a cursor; null when it is none of this catalog. */
export function idOfCursor(catalog: string, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(6).toString();
  const [name, id, ...more] = text.split('\n');
  if (name !== catalog || id === undefined || more.length > 0) return null;
  return cursor === cursorAfter(name, id) ? id : null;
}
