/**
 * A record as bytes with holes: the common part of a kind of record is serialised once, and the rest (ids, users, times) has a fixed width
 * and is written into the holes.
 */

/** The filling of a hole, and how many bytes (all ASCII) it takes. */
const HOLES = {
  /** The record's id. */
  id: 24,
  /** The user's number. */
  user: 7,
  /** The user's id inside the service. */
  serviceUser: 32,
  /** The user's device: a UUID. */
  device: 36,
  serviceDevice: 32,
  /** When it happened, microseconds since 1970. */
  time: 16,
  /** The last seven digits of a phone number. */
  phone: 7,
  /** A number that belongs to one message, the same in all its events. */
  message: 16,
  /** An order's number. */
  order: 8,
  /** When the message went out, `yyyy-MM-dd HH:mm:ss` in Korea. */
  sentAt: 19,
} as const;

type Hole = keyof typeof HOLES;

const HOLE_NAMES: readonly string[] = Object.keys(HOLES);

/** The places of the holes by number, in the order of `HOLES`: the contents of a template's `kinds`. */
export const HoleKind: Record<Hole, number> = {
  id: 0,
  user: 1,
  serviceUser: 2,
  device: 3,
  serviceDevice: 4,
  time: 5,
  phone: 6,
  message: 7,
  order: 8,
  sentAt: 9,
};

/** Marks a hole inside a text; private-use characters, which JSON does not escape. */
export function hole(name: Hole): string {
  return `\uE000${name}\uE001`;
}

export interface Template {
  readonly bytes: Uint8Array;
  /** The kind of each hole, and its first position in `bytes`. */
  readonly kinds: Uint8Array;
  readonly places: Uint16Array;
}

/** A marked hole, with its name. */
export const HOLE_MARK = /\uE000([A-Za-z]+)\uE001/g;

function isHole(name: string): name is Hole {
  return HOLE_NAMES.includes(name);
}

/** Turns a text with marked holes into a template. */
export function compile(text: string): Template {
  const kinds: number[] = [];
  const places: number[] = [];
  const pieces: Buffer[] = [];
  let length = 0;
  // Odd positions are the names between the marks.
  text.split(HOLE_MARK).forEach((part, index) => {
    let piece = Buffer.from(part);
    if (index % 2 === 1) {
      if (!isHole(part)) throw new Error(`No hole is called ${part}.`);
      kinds.push(HoleKind[part]);
      places.push(length);
      piece = Buffer.alloc(HOLES[part], '0');
    }
    pieces.push(piece);
    length += piece.length;
  });
  return {
    bytes: new Uint8Array(Buffer.concat(pieces)),
    kinds: Uint8Array.from(kinds),
    places: Uint16Array.from(places),
  };
}
