/** The records of a window of time, numbered from 0 over all its days, written as JSON a page at a time. */
import { type Day, windowOf } from '../../calendar.js';
import type { Catalogue } from './catalogue.js';
import { daysTouched, shareOf, type World } from './plan.js';
import { DayRecords } from './records.js';

/** A KST day's part of the window. */
interface Span {
  readonly day: Day;
  readonly share: number;
  /** The window's first record that is of this day. */
  readonly first: number;
  readonly count: number;
  /** Which of the day's records; null for all of them, in their order. */
  readonly numbers: Uint32Array | null;
}

/** Days whose records are at hand; reading pages in order, or several at once, touches few. */
const KEPT_DAYS = 8;

const COMMA = 44;

export class ExportSet {
  readonly count: number;
  private readonly spans: Span[] = [];
  private readonly days = new Map<Day, DayRecords>();

  /** Takes what is there at `now`: an export does not grow after it was asked for. */
  constructor(
    private readonly world: World,
    private readonly catalogue: Catalogue,
    start: Date,
    end: Date,
    private readonly withMessages: boolean,
    now: Date,
  ) {
    let count = 0;
    for (const day of daysTouched(start, end)) {
      const share = shareOf(day, now);
      const records = this.recordsOf(day, share);
      const numbers = numbersWithin(records, start, end, windowOf(day));
      const span = { day, share, first: count, count: numbers?.length ?? records.count, numbers };
      if (span.count > 0) this.spans.push(span);
      count += span.count;
    }
    this.count = count;
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

  private placesOf(from: number, count: number): (readonly [DayRecords, number])[] {
    const places: (readonly [DayRecords, number])[] = [];
    for (const span of this.spans) {
      const start = Math.max(from, span.first);
      const end = Math.min(from + count, span.first + span.count);
      if (start >= end) continue;
      const records = this.recordsOf(span.day, span.share);
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

/** Which of a day's records happen in the window; null when the window holds the whole day. */
function numbersWithin(
  records: DayRecords,
  start: Date,
  end: Date,
  day: { start: Date; end: Date },
): Uint32Array | null {
  if (start <= day.start && end >= day.end) return null;
  const from = start.getTime() * 1000;
  const to = end.getTime() * 1000;
  const numbers: number[] = [];
  for (let number = 0; number < records.count; number += 1) {
    const micros = records.microsOf(number);
    if (micros >= from && micros < to) numbers.push(number);
  }
  return Uint32Array.from(numbers);
}
