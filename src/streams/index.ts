/**
 * The streams, in the order in which a night pulls them. To add one, add a folder here, a folder in `sql/streams`, and an entry in this
 * list.
 */
import type { Config } from '../config/config.js';
import { fieldsOf } from '../config/schema.js';
import type { StreamName } from '../ground/streams.js';
import { campaigns } from './campaigns/index.js';
import { landsAs } from '../warehouse/load.js';
import { events } from './events/index.js';
import { own } from './own/index.js';
import { reference } from './reference/index.js';
import { statistics } from './statistics/index.js';
import type { Stream } from './stream.js';

export const STREAMS: readonly Stream[] = [statistics, campaigns, events, reference, own];

const landing = (some: readonly Stream[]): StreamName[] => some.flatMap(({ lands }) => lands);
const byDay = STREAMS.filter(({ grain }) => grain === 'day');

/** Streams that land day by day, so that a day can be missing. */
export const DAY_STREAMS = landing(byDay);

/** Lists of the service, which land as a snapshot of today. */
export const SNAPSHOTS = landing(STREAMS.filter(({ grain }) => grain === 'snapshot'));

/** True if the stream lands snapshots of today: a list of the service, or an own table. */
export const isSnapshot = (name: StreamName): boolean =>
  STREAMS.some((stream) => stream.grain === 'snapshot' && landsAs(stream, name));

/** True if this version has a stream of this name. */
export const isKnown = (name: StreamName): boolean => STREAMS.some((stream) => landsAs(stream, name));

/** All names under which data lands. */
export const STREAM_NAMES = landing(STREAMS);

/** The names that `--streams` accepts, and those that a backfill pulls by default. */
export const CHOICES = STREAMS.flatMap(({ choices }) => choices);
export const DAY_CHOICES = byDay.flatMap(({ choices }) => choices);

/** The names of the snapshots that the settings switch on. */
export const snapshotsOn = (config: Config): StreamName[] =>
  STREAMS.flatMap((stream) => (stream.grain === 'snapshot' ? stream.on(config) : []));

/** The free streams that land day by day. */
export const FREE_DAY_STREAMS = landing(byDay.filter(({ paid }) => !paid));

/** Pairs of a stream's name and a pattern for the tables that it is loaded into. */
export const TABLES = STREAMS.flatMap(({ tables }) => Object.entries(tables));

/** The fields of all streams' documents. */
export const FIELDS = fieldsOf(STREAMS);
