/** E6: images for brand messages, which templates then refer to. */
import { createHash } from 'node:crypto';
import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';

/** Largest file: 5 MB, not MiB. */
const FILE_BYTES = 5_000_000;

const SMALLEST_WIDTH = 500;

interface Purpose {
  /** One `file`, or several `images`. */
  readonly part: 'file' | 'images';
  /** Width by height, at least and at most. */
  readonly ratio: readonly [least: number, most: number];
  readonly sameRatio?: true;
}

const PURPOSES: Readonly<Record<string, Purpose>> = {
  image: { part: 'file', ratio: [3 / 4, 2] },
  'wide-image': { part: 'file', ratio: [1, 2] },
  'wide-itemlist-first-image': { part: 'file', ratio: [2, 2] },
  'wide-itemlist-image': { part: 'images', ratio: [1, 1] },
  'carousel-image': { part: 'images', ratio: [3 / 4, 2] },
  'carousel-commerce-image': { part: 'images', ratio: [3 / 4, 2], sameRatio: true },
};

/** Pixels are whole, so ratios are never exact. */
const TOLERANCE = 0.01;

export class Images {
  private readonly urls = new Set<string>();

  has(url: string): boolean {
    return this.urls.has(url);
  }

  written(): string[] {
    return [...this.urls];
  }

  upload({ bytes, headers }: Call): Reply {
    const parts = partsOf(String(headers['content-type'] ?? ''), bytes);
    if (parts === null) return invalid('The body must be multipart/form-data');
    const type = parts.find(({ name }) => name === 'type')?.bytes.toString() ?? '';
    const purpose = Object.hasOwn(PURPOSES, type) ? PURPOSES[type] : undefined;
    if (purpose === undefined) return invalid(`type must be one of ${Object.keys(PURPOSES).join(', ')}`);
    const files = parts.filter(({ name }) => name === 'file' || name === 'images');
    const problem = problemOf(files, purpose);
    if (problem !== null) return invalid(problem);
    const images = files.map((file) => ({ url: urlOf(file) }));
    for (const { url } of images) this.urls.add(url);
    return jsonAnswer({ data: { images }, error: null });
  }
}

function invalid(message: string): Reply {
  return refuse('brand-message', 'invalid', message);
}

/** The error in the files; null if they are valid. */
function problemOf(files: readonly Part[], { part, ratio, sameRatio }: Purpose): string | null {
  if (files.length === 0 || files.some(({ name }) => name !== part)) return `The part ${part} is wanted`;
  if (part === 'file' && files.length > 1) return 'One file is wanted';
  const ratios: number[] = [];
  for (const { bytes } of files) {
    if (bytes.length > FILE_BYTES) return 'A file has at most 5 MB';
    const image = readImage(bytes);
    if (image === null) return 'Files must be JPG or PNG';
    if (image.width < SMALLEST_WIDTH) return `Images must be at least ${SMALLEST_WIDTH} pixels wide`;
    ratios.push(ratioOf(image));
  }
  const [least, most] = ratio;
  if (ratios.some((one) => one < least - TOLERANCE || one > most + TOLERANCE)) {
    return 'The ratio of the image does not fit its type';
  }
  const differ = Math.max(...ratios) - Math.min(...ratios) > TOLERANCE;
  return sameRatio === true && differ ? 'All images must share one ratio' : null;
}

function ratioOf({ width, height }: Image): number {
  return width / height;
}

function urlOf({ bytes }: Part): string {
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 24);
  return `https://img.shop.test/uploads/${name}.${readImage(bytes)?.format ?? 'jpg'}`;
}

interface Image {
  readonly format: 'png' | 'jpg';
  readonly width: number;
  readonly height: number;
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Null when it is neither JPG nor PNG. */
function readImage(bytes: Buffer): Image | null {
  if (bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG)) {
    return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  return bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8 ? readJpg(bytes) : null;
}

/** Its size is in the first segment of the kind "start of frame". */
function readJpg(bytes: Buffer): Image | null {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    // C4, C8 and CC are in the same range, but are not starts of frames.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { format: 'jpg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

interface Part {
  readonly name: string;
  readonly fileName: string | null;
  readonly bytes: Buffer;
}

const BLANK = Buffer.from('\r\n\r\n');

/** Null for another kind of body. */
function partsOf(contentType: string, body: Buffer): Part[] | null {
  const match = /^multipart\/form-data\s*;.*\bboundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) return null;
  // A line break in front makes the first boundary like the others.
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
