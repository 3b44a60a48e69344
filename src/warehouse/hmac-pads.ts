/** The key of HMAC-SHA-256 in the two forms that the hash needs, so that SQL can compute it (RFC 2104). */
import { createHash } from 'node:crypto';

const BLOCK = 64;

/** The inner and the outer pad of a key; the key cannot be derived from a hash, and neither enters the database. */
export function padsOf(key: Uint8Array): { inner: Uint8Array; outer: Uint8Array } {
  const short = key.length > BLOCK ? createHash('sha256').update(key).digest() : key;
  const block = new Uint8Array(BLOCK);
  block.set(short);
  return { inner: block.map((byte) => byte ^ 0x36), outer: block.map((byte) => byte ^ 0x5c) };
}
