/** The streams, in the order in which a night pulls them. A new one is a folder here, a folder in `sql/streams`, and an entry. */
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

/** Names of what lands day by day, so that a day can be missing. */
export const DAY_STREAMS = landing(byDay);

/** Names of the service's lists, which land as a snapshot of today. */
export const SNAPSHOTS = landing(STREAMS.filter(({ grain }) => grain === 'snapshot'));

/** True if what lands under the name is a snapshot of today: a list of the service, or an own table. */
export const isSnapshot = (name: StreamName): boolean =>
  STREAMS.some((stream) => stream.grain === 'snapshot' && landsAs(stream, name));

/** True if a stream of this version lands under the name. */
export const isKnown = (name: StreamName): boolean => STREAMS.some((stream) => landsAs(stream, name));

/** Names of everything that lands. */
export const STREAM_NAMES = landing(STREAMS);

/** The names for `--streams`, and those that a backfill pulls by default. */
export const CHOICES = STREAMS.flatMap(({ choices }) => choices);
export const DAY_CHOICES = byDay.flatMap(({ choices }) => choices);

/** The snapshots that the settings switch on. */
export const snapshotsOn = (config: Config): StreamName[] =>
  STREAMS.flatMap((stream) => (stream.grain === 'snapshot' ? stream.on(config) : []));

/** The names of what lands with a row for every day at no cost. */
export const FREE_DAY_STREAMS = landing(byDay.filter(({ paid }) => !paid));

/** Pairs of a landed name and the tables that it is loaded into. */
export const TABLES = STREAMS.flatMap(({ tables }) => Object.entries(tables));

/** The fields of the documents of all streams. */
export const FIELDS = fieldsOf(STREAMS);
