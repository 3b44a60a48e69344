/** E6: images for brand messages, which templates then refer to. */
import { createHash } from 'node:crypto';

import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import { type Part, partsOf } from '../multipart.js';
import { type Image, readImage } from './image.js';

/** Largest file: 5 MB, not MiB. */
export const FILE_BYTES = 5_000_000;

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

/** Ratios are of whole pixels, so that none is quite exact. */
const TOLERANCE = 0.01;

export class Images {
  private readonly urls = new Set<string>();

  has(url: string): boolean {
    return this.urls.has(url);
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

/** What is wrong with the files; null when nothing is. */
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
