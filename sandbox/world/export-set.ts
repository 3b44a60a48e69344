/** The records of a window of time, numbered from 0 over all its days, written as JSON a page at a time. */
import { type Day, windowOf } from '../../src/ground/calendar.js';
import type { Catalogue } from './catalogue.js';
import type { Channel } from './channels.js';
import { daysTouched, shareOf, type World, type DayPlan, shared } from './plan.js';
import { phoneOf } from './numbers.js';
import { mix, pair, strideOf } from './random.js';
import type { Segment } from './segment.js';
import { eventMicros, messageChance, type Sending, sendingOf, userOf } from './sending.js';
import { HoleKind, type Template } from './template.js';

/** Records by number, as bytes. */
interface Records {
  lengthOf(number: number): number;
  /** Writes record `number` at `at`; returns the position of its end. */
  write(number: number, bytes: Uint8Array, at: number): number;
}

/** Records of events that were written through the interface, in addition to the records of the world. */
export interface Written {
  /** Whether there are users that exports do not show. */
  readonly hidesSome: boolean;
  hides(user: number): boolean;
  /** The records of a day from one microsecond to another. */
  recordsOf(day: Day, from: number, to: number, withMessages: boolean): Buffer[];
}

/** A KST day's part of the window: what the world has of it, or what was written on it. */
interface Span {
  readonly records: () => Records;
  /** The window's first record of this day. */
  readonly first: number;
  readonly count: number;
  /** Which of the day's records; null for all, in order. */
  readonly numbers: Uint32Array | null;
}

/** Days whose records are in memory; reading pages in order, or several in parallel, touches few. */
const KEPT_DAYS = 8;

const COMMA = 44;

export class ExportSet {
  readonly count: number;
  private readonly spans: Span[] = [];
  private readonly days = new Map<Day, DayRecords>();

  /** Takes the records that exist at `now`: an export does not grow after its request. */
  constructor(
    private readonly world: World,
    private readonly catalogue: Catalogue,
    start: Date,
    end: Date,
    private readonly withMessages: boolean,
    now: Date,
    written: Written,
  ) {
    let first = 0;
    const add = (records: () => Records, count: number, numbers: Uint32Array | null) => {
      if (count > 0) this.spans.push({ records, first, count, numbers });
      first += count;
    };
    for (const day of daysTouched(start, end)) {
      const share = shareOf(day, now);
      const records = this.recordsOf(day, share);
      const numbers = numbersWithin(records, start, end, windowOf(day), written);
      add(() => this.recordsOf(day, share), numbers?.length ?? records.count, numbers);
      const texts = written.recordsOf(day, start.getTime() * 1000, end.getTime() * 1000, withMessages);
      add(() => recordsOfTexts(texts), texts.length, null);
    }
    this.count = first;
  }

  /** The records `from` to `from + count - 1`, as many as there are, with commas between them. */
  write(from: number, count: number, before: string, after: string): Buffer {
    const places = this.placesOf(from, Math.min(count, this.count - from));
    let length = Buffer.byteLength(before) + Buffer.byteLength(after) + Math.max(0, places.length - 1);
    for (const [records, number] of places) length += records.lengthOf(number);

    const bytes = Buffer.allocUnsafe(length);
    let at = bytes.write(before);
    places.forEach(([records, number], index) => {
      if (index > 0) {
        bytes[at] = COMMA;
        at += 1;
      }
      at = records.write(number, bytes, at);
    });
    bytes.write(after, at);
    return bytes;
  }

  private placesOf(from: number, count: number): (readonly [Records, number])[] {
    const places: (readonly [Records, number])[] = [];
    for (const span of this.spans) {
      const start = Math.max(from, span.first);
      const end = Math.min(from + count, span.first + span.count);
      if (start >= end) continue;
      const records = span.records();
      for (let i = start - span.first; i < end - span.first; i += 1) {
        places.push([records, span.numbers === null ? i : (span.numbers[i] ?? 0)]);
      }
    }
    return places;
  }

  private recordsOf(day: Day, share: number): DayRecords {
    const kept = this.days.get(day);
    if (kept !== undefined) return kept;
    const records = new DayRecords(
      this.world,
      this.catalogue,
      this.world.planOf(day),
      share,
      this.withMessages,
    );
    if (this.days.size >= KEPT_DAYS) {
      const [oldest] = this.days.keys();
      if (oldest !== undefined) this.days.delete(oldest);
    }
    this.days.set(day, records);
    return records;
  }
}

/** Which of a day's records happen in the window; null when the window covers the whole day. */
function numbersWithin(
  records: DayRecords,
  start: Date,
  end: Date,
  day: { start: Date; end: Date },
  written: Written,
): Uint32Array | null {
  if (start <= day.start && end >= day.end && !written.hidesSome) return null;
  const from = start.getTime() * 1000;
  const to = end.getTime() * 1000;
  const numbers: number[] = [];
  for (let number = 0; number < records.count; number += 1) {
    const micros = records.microsOf(number);
    const isHidden = written.hidesSome && written.hides(records.userAt(number));
    if (micros >= from && micros < to && !isHidden) numbers.push(number);
  }
  return Uint32Array.from(numbers);
}

function recordsOfTexts(texts: readonly Buffer[]): Records {
  const textOf = (number: number) => texts[number] ?? Buffer.alloc(0);
  return {
    lengthOf: (number) => textOf(number).length,
    write: (number, bytes, at) => {
      bytes.set(textOf(number), at);
      return at + textOf(number).length;
    },
  };
}

/** Message data exists from this day on, but for push, which always had it (E21). */
export function hasMessageData(channel: Channel, day: Day): boolean {
  return channel === 'push-notification' || day >= '2025-07-18';
}

interface Row {
  readonly segment: Segment;
  readonly sending: Sending;
  readonly templates: readonly Template[];
  /** The number of its first record among those that the whole day will have: ids are made of it. */
  readonly id: number;
}

/** Where record `number` of a day is found; one object, used again for each record. */
interface Place {
  row: Row;
  send: number;
  /** The record's number among all those of the complete day. */
  id: number;
  chance: number;
  micros: number;
}

class DayRecords implements Records {
  /** How many records the day has so far. */
  readonly count: number;
  private readonly rows: Row[] = [];
  /** The first number of each row, in the order of `rows`. */
  private readonly starts: Float64Array;
  private readonly stride: number;
  private readonly place: Place | undefined;
  private readonly idPrefix: number;
  private readonly clock = Buffer.alloc(19, '0');

  constructor(
    world: World,
    catalogue: Catalogue,
    readonly plan: DayPlan,
    readonly share: number,
    withMessages: boolean,
  ) {
    const starts: number[] = [];
    let count = 0;
    let id = 0;
    for (const { segments } of plan.streams) {
      for (const segment of segments) {
        const here = shared(segment.count, share);
        if (here > 0) {
          starts.push(count);
          this.rows.push({
            segment,
            sending: sendingOf(segment.stream, segment.sentOn, world.scale),
            templates: catalogue.templatesOf(
              segment,
              withMessages && hasMessageData(segment.stream.channel, plan.day),
            ),
            id,
          });
        }
        count += here;
        id += segment.count;
      }
    }
    this.count = count;
    this.starts = Float64Array.from(starts);
    this.stride = count > 0 ? strideOf(count) : 1;
    // A bijection of the day: with the record's own bijection below, no two ids of the world are the same.
    this.idPrefix = mix(mix(plan.number) ^ world.seed);
    this.clock.write(plan.day);
    const row = this.rows[0];
    if (row !== undefined) this.place = { row, send: 0, id: 0, chance: 0, micros: 0 };
  }

  /** When record `number` happens, in microseconds since 1970. */
  microsOf(number: number): number {
    return this.plan.startMicros + this.find(number).micros;
  }

  /** The user of record `number`. */
  userAt(number: number): number {
    const { row, send } = this.find(number);
    return userOf(row.sending, send);
  }

  /** How long record `number` is, in bytes. */
  lengthOf(number: number): number {
    const { row, send } = this.find(number);
    return this.templateOf(row, send).bytes.length;
  }

  /** Writes record `number` at `at`; returns the position of its end. */
  write(number: number, bytes: Uint8Array, at: number): number {
    const place = this.find(number);
    const { bytes: text, kinds, places } = this.templateOf(place.row, place.send);
    bytes.set(text, at);
    const user = userOf(place.row.sending, place.send);
    for (let i = 0; i < kinds.length; i += 1) {
      this.fillHole(kinds[i] ?? 0, bytes, at + (places[i] ?? 0), place, user);
    }
    return at + text.length;
  }

  private templateOf(row: Row, send: number): Template {
    const template = row.templates[send % row.templates.length];
    if (template === undefined) throw new Error(`No template for ${row.segment.event}.`);
    return template;
  }

  private find(number: number): Place {
    const place = this.place;
    if (place === undefined || number >= this.count) throw new RangeError(`No record ${number} that day.`);
    // A step that visits every number once: neighbours of a page come from all over the day.
    const at = (number * this.stride) % this.count;
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const row = this.rows[low];
    if (row === undefined) throw new RangeError(`No record ${number} that day.`);
    const inRow = at - (this.starts[low] ?? 0);
    place.row = row;
    place.send = row.segment.first + inRow;
    place.id = row.id + inRow;
    place.chance = messageChance(row.sending, place.send);
    place.micros = eventMicros(row.segment, row.sending, place.chance);
    return place;
  }

  private fillHole(kind: number, bytes: Uint8Array, at: number, place: Place, user: number): void {
    switch (kind) {
      case HoleKind.id:
        writeHex(bytes, at, this.idPrefix);
        writeHex(bytes, at + 8, mix(place.id));
        writeHex(bytes, at + 16, pair(place.id, this.idPrefix));
        return;
      case HoleKind.user:
        writeDigits(bytes, at, 7, user);
        return;
      case HoleKind.serviceUser:
        writeHash(bytes, at, user ^ SERVICE_USER);
        return;
      case HoleKind.device:
        writeDevice(bytes, at, user);
        return;
      case HoleKind.serviceDevice:
        writeHash(bytes, at, user ^ SERVICE_DEVICE);
        return;
      case HoleKind.time:
        writeMicros(bytes, at, this.plan.startMicros + place.micros);
        return;
      case HoleKind.phone:
        writeDigits(bytes, at, 7, phoneOf(user));
        return;
      case HoleKind.message:
        writeHex(bytes, at, place.chance);
        writeHex(bytes, at + 8, mix(place.chance ^ 0x5be0cd19));
        return;
      case HoleKind.order:
        writeDigits(bytes, at, 8, mix(place.chance ^ 0x41) % 100_000_000);
        return;
      default:
        this.writeSentAt(bytes, at, place.micros);
    }
  }

  /** Text messages have no events after the sending, so that the event's time is the message's. */
  private writeSentAt(bytes: Uint8Array, at: number, micros: number): void {
    const seconds = Math.floor(micros / 1_000_000);
    bytes.set(this.clock, at);
    bytes[at + 10] = 32;
    writeDigits(bytes, at + 11, 2, Math.floor(seconds / 3600));
    bytes[at + 13] = 58;
    writeDigits(bytes, at + 14, 2, Math.floor(seconds / 60) % 60);
    bytes[at + 16] = 58;
    writeDigits(bytes, at + 17, 2, seconds % 60);
  }
}

const SERVICE_USER = 0x2545f491;
const SERVICE_DEVICE = 0x1f83d9ab;

function writeDevice(bytes: Uint8Array, at: number, user: number): void {
  const a = mix(user ^ 0x3c6ef372);
  writeUuid(bytes, at, a, mix(a ^ 1), mix(a ^ 2), mix(a ^ 3));
}

/** The fields of a user other than the id; they are the same in every record. */
export function identityOf(user: number): { serviceUser: string; device: string; serviceDevice: string } {
  const bytes = Buffer.alloc(100);
  writeHash(bytes, 0, user ^ SERVICE_USER);
  writeDevice(bytes, 32, user);
  writeHash(bytes, 68, user ^ SERVICE_DEVICE);
  const part = (start: number, end: number) => bytes.toString('latin1', start, end);
  return { serviceUser: part(0, 32), device: part(32, 68), serviceDevice: part(68, 100) };
}

/** Writes 128 bits that follow from a number, as 32 hexadecimal digits. */
function writeHash(bytes: Uint8Array, at: number, value: number): void {
  const a = mix(value);
  writeHex(bytes, at, a);
  writeHex(bytes, at + 8, mix(a ^ 1));
  writeHex(bytes, at + 16, mix(a ^ 2));
  writeHex(bytes, at + 24, mix(a ^ 3));
}

const HEX = Uint8Array.from(Buffer.from('0123456789abcdef'));
const ZERO = 48;
const DASH = 45;
const FOUR = 52;
const EIGHT = 56;

/** Writes the last `width` decimal digits of a whole number below 2^31. */
function writeDigits(bytes: Uint8Array, at: number, width: number, value: number): void {
  let rest = value | 0;
  for (let place = at + width - 1; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    bytes[place] = ZERO + rest - next * 10;
    rest = next;
  }
}

/** Writes 32 bits as eight hexadecimal digits. */
function writeHex(bytes: Uint8Array, at: number, value: number): void {
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
function writeMicros(bytes: Uint8Array, at: number, micros: number): void {
  const high = Math.floor(micros / 100_000_000);
  writeDigits(bytes, at, 8, high);
  writeDigits(bytes, at + 8, 8, micros - high * 100_000_000);
}

/** Writes 128 bits as a UUID of version 4, `xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx`. */
function writeUuid(bytes: Uint8Array, at: number, a: number, b: number, c: number, d: number): void {
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
