/** Numbers written as ASCII into bytes that are there already: no strings in between. */

const HEX = Uint8Array.from(Buffer.from('0123456789abcdef'));
const ZERO = 48;
const DASH = 45;
const FOUR = 52;
const EIGHT = 56;

/** Writes the last `width` decimal digits of a whole number below 2^31. */
export function writeDigits(bytes: Uint8Array, at: number, width: number, value: number): void {
  let rest = value | 0;
  for (let place = at + width - 1; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    bytes[place] = ZERO + rest - next * 10;
    rest = next;
  }
}

/** Writes 32 bits as eight hexadecimal digits. */
export function writeHex(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = HEX[value >>> 28] ?? ZERO;
  bytes[at + 1] = HEX[(value >>> 24) & 15] ?? ZERO;
  bytes[at + 2] = HEX[(value >>> 20) & 15] ?? ZERO;
  bytes[at + 3] = HEX[(value >>> 16) & 15] ?? ZERO;
  bytes[at + 4] = HEX[(value >>> 12) & 15] ?? ZERO;
  bytes[at + 5] = HEX[(value >>> 8) & 15] ?? ZERO;
  bytes[at + 6] = HEX[(value >>> 4) & 15] ?? ZERO;
  bytes[at + 7] = HEX[value & 15] ?? ZERO;
}

/** Writes a microsecond epoch number: 16 digits, until the year 2286. */
export function writeMicros(bytes: Uint8Array, at: number, micros: number): void {
  const high = Math.floor(micros / 100_000_000);
  writeDigits(bytes, at, 8, high);
  writeDigits(bytes, at + 8, 8, micros - high * 100_000_000);
}

/** Writes 128 bits as a UUID of version 4, `xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx`. */
export function writeUuid(bytes: Uint8Array, at: number, a: number, b: number, c: number, d: number): void {
  // Groups of eight, each over the end of the one before; then what is fixed.
  writeHex(bytes, at, a);
  writeHex(bytes, at + 9, b);
  writeHex(bytes, at + 14, c);
  writeHex(bytes, at + 19, d);
  writeHex(bytes, at + 24, a ^ c);
  writeHex(bytes, at + 28, b ^ d);
  bytes[at + 8] = DASH;
  bytes[at + 13] = DASH;
  bytes[at + 14] = FOUR;
  bytes[at + 18] = DASH;
  bytes[at + 19] = EIGHT;
  bytes[at + 23] = DASH;
}
