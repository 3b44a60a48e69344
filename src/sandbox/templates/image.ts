/** An image file as far as its first bytes tell: its format and size in pixels. */

export interface Image {
  readonly format: 'png' | 'jpg';
  readonly width: number;
  readonly height: number;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Null when it is neither JPG nor PNG. */
export function readImage(bytes: Buffer): Image | null {
  if (bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG)) {
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpg(bytes) : null;
}

/** Its size stands in the first segment of the kind "start of frame". */
function readJpg(bytes: Buffer): Image | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    // C4, C8 and CC lie among the starts of frames and are none.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { format: 'jpg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}
