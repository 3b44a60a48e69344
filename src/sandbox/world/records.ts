/** The records of one KST day by number: which segment, which send, when, and the bytes. */
import { writeDigits, writeHex, writeMicros, writeUuid } from './bytes.js';
import type { Catalogue } from './catalogue.js';
import { phoneOf } from './phone.js';
import { type DayPlan, shared, type World } from './plan.js';
import { mix, pair, strideOf } from './random.js';
import type { Segment } from './segment.js';
import { eventMicros, messageChance, type Sending, sendingOf, userOf } from './sending.js';
import { HoleKind, type Template } from './template.js';

/** Message data exists from this day on, but for push, which always had it (E21). */
const MESSAGE_DATA_SINCE = '2025-07-18';

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

export class DayRecords {
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
        const isPush = segment.stream.channel === 'push-notification';
        if (here > 0) {
          starts.push(count);
          this.rows.push({
            segment,
            sending: sendingOf(segment.stream, segment.sentOn, world.scale),
            templates: catalogue.templatesOf(
              segment,
              withMessages && (isPush || plan.day >= MESSAGE_DATA_SINCE),
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

  /** How long record `number` is, in bytes. */
  lengthOf(number: number): number {
    const { row, send } = this.find(number);
    return this.templateOf(row, send).bytes.length;
  }

  /** Writes record `number` at `at`; returns where it ends. */
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
        writeHash(bytes, at, user ^ 0x2545f491);
        return;
      case HoleKind.device: {
        const a = mix(user ^ 0x3c6ef372);
        writeUuid(bytes, at, a, mix(a ^ 1), mix(a ^ 2), mix(a ^ 3));
        return;
      }
      case HoleKind.serviceDevice:
        writeHash(bytes, at, user ^ 0x1f83d9ab);
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

/** Writes 128 bits that follow from a number, as 32 hexadecimal digits. */
function writeHash(bytes: Uint8Array, at: number, value: number): void {
  const a = mix(value);
  writeHex(bytes, at, a);
  writeHex(bytes, at + 8, mix(a ^ 1));
  writeHex(bytes, at + 16, mix(a ^ 2));
  writeHex(bytes, at + 24, mix(a ^ 3));
}
