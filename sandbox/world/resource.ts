/** Campaigns and user journeys, as their authors wrote them down. */
import type { Channel } from './channels.js';
import type { Curve } from './hours.js';

/** The text of a message; `{상품}` and `{가격}` are filled in per message. */
export interface Copy {
  readonly title: string;
  readonly body: string;
  /** Path of the page that the message leads to. */
  readonly path: string;
}

/** One way that a message takes: a channel, and its sub-channel and target where the channel has them. */
export interface Leg {
  readonly channel: Channel;
  readonly sub?: string;
  /** Whom a brand message is for: M all who agreed to marketing, N of those non-friends, I friends. */
  readonly target?: 'M' | 'N' | 'I';
  readonly share: number;
}

/** An arm of an A/B test. */
export interface Variant {
  readonly name: string;
  readonly title?: string;
  /** How the arm's true click and conversion rates compare to the channel's. */
  readonly lift: number;
}

interface Resource {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  /** Days of the week on which it sends, 0 = Sunday. */
  readonly weekdays: readonly number[];
  readonly hours: Curve;
  /** Sends of one sending day, relative to the other resources. */
  readonly volume: number;
  /** The conversions that its author measures, the most frequent first. */
  readonly conversions: readonly string[];
}

export interface Campaign extends Resource {
  readonly legs: readonly Leg[];
  /** None when it is not an A/B test. */
  readonly variants: readonly Variant[];
  readonly copy: Copy;
}

export interface JourneyNode {
  readonly id: string;
  readonly name: string;
  readonly leg: Leg;
  /** Share of those who entered the journey that still get this far. */
  readonly remaining: number;
  readonly copy: Copy;
}

export interface Journey extends Resource {
  readonly nodes: readonly JourneyNode[];
}

export const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6] as const;
