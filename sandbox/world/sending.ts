/** Computes the recipient and time of send number i of a stream's day. */
import { HOUR_SLOTS } from './hours.js';
import { mix, pair, SPREAD, strideOf } from './random.js';
import type { Segment } from './segment.js';
import type { Stream } from './stream.js';

const HOUR_MICROS = 3_600_000_000;
const DAY_MICROS = 24 * HOUR_MICROS;

/** Delivery takes up to this long. */
const DELIVERY_MICROS = 45_000_000;

/** Late clicks come within this long after midnight. */
const LATE_MICROS = 15 * HOUR_MICROS;

/** One stream's sends of one day. */
export interface Sending {
  /** The day's random seed. */
  readonly seed: number;
  readonly arms: number;
  readonly arm: number;
  /** How many people the stream is for, per arm; the same every day. */
  readonly audience: number;
  readonly stride: number;
  readonly offset: number;
  readonly slots: Uint8Array;
}

/** How many people a stream is for, per arm. Twice the usual sends: then nobody is sent the same campaign twice on one day. */
export function audienceOf(stream: Stream, scale: number): number {
  return Math.max(40, Math.ceil(stream.volume * scale * 2));
}

export function sendingOf(stream: Stream, day: number, scale: number): Sending {
  const seed = pair(stream.seed ^ 0x6d2b79f5, day);
  const audience = audienceOf(stream, scale);
  return {
    seed,
    arms: stream.arms,
    arm: stream.arm,
    audience,
    stride: strideOf(audience),
    offset: pair(stream.audienceSeed ^ 0x6d2b79f5, day) % audience,
    slots: HOUR_SLOTS[stream.hours],
  };
}

/** 32 random bits of one send, shared by all its events. */
export function messageChance(sending: Sending, send: number): number {
  return mix(sending.seed ^ Math.imul(send, SPREAD));
}

/**
 * The user of a send. Audiences are nested, each beginning with user 0: those with low numbers are in every
 * audience and get many messages, the others few.
 */
export function userOf(sending: Sending, send: number): number {
  const place = (send * sending.stride + sending.offset) % sending.audience;
  return place * sending.arms + sending.arm;
}

/** When a message goes out, in microseconds after the day's first instant. */
function sendMicros(sending: Sending, chance: number): number {
  const hour = sending.slots[chance & 255] ?? 12;
  return hour * HOUR_MICROS + Math.floor(mix(chance ^ 0x1b873593) * (HOUR_MICROS / 0x1_0000_0000));
}

/** When an event happens, in microseconds after the first instant of its own day. Never outside that day. */
export function eventMicros(segment: Segment, sending: Sending, chance: number): number {
  const own = mix(chance ^ 0x7f4a7c15) / 0x1_0000_0000;
  if (segment.delay === 'next-day') return Math.floor(own * own * LATE_MICROS);
  const sent = sendMicros(sending, chance);
  if (segment.delay === 'none') return sent;
  const rest = DAY_MICROS - sent;
  // Most people react soon, some only in the evening.
  const delay = segment.delay === 'seconds' ? own * Math.min(DELIVERY_MICROS, rest) : own * own * own * rest;
  return sent + Math.floor(delay);
}
