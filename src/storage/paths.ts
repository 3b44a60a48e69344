/** Where everything lies in the data folder: descriptive names, made and parsed only here. Pure. */
import { join } from 'node:path';
import { dayOf, isDay, type Day, type DayRange } from '../calendar.js';
import type { ReferenceStream } from './pull.js';
import { safeName, slug } from './safe-name.js';

/** One paid export on disk: the ledger's key and the id that the service gave (E20). */
export interface ExportFolder {
  readonly day: Day;
  readonly key: string;
  readonly exportId: string;
}

/** What one landed file is. */
export type LandingPath =
  /** An answer to E17 for a range of days. */
  | {
      readonly stream: 'statistics';
      readonly range: DayRange;
      readonly pulledAt: Date;
      /** Whether a person accepts the answer, however little it holds. */
      readonly accepted?: boolean;
    }
  /** An answer to E18 for one day. */
  | {
      readonly stream: 'statistics_by_subchannel';
      readonly day: Day;
      readonly pulledAt: Date;
      readonly accepted?: boolean;
    }
  /** One page of an export's result (E21), counted from zero. */
  | { readonly stream: 'events'; readonly export: ExportFolder; readonly page: number }
  /** An answer that cannot be used, kept as received: `endpoint` such as `E21`, `what` in a few words. */
  | { readonly stream: 'rejected'; readonly endpoint: string; readonly what: string; readonly at: Date };

export const MANIFEST = 'pull.json';

/** The folders of a data folder. */
export function foldersOf(dataDir: string): { landing: string; ledger: string; private: string } {
  return {
    landing: join(dataDir, 'landing'),
    ledger: join(dataDir, 'ledger'),
    private: join(dataDir, 'private'),
  };
}

/** The path below `landing/` for a path. */
export function pathOf(path: LandingPath): string {
  switch (path.stream) {
    case 'statistics':
      return join('statistics', rangeName(path.range), answerName(path));
    case 'statistics_by_subchannel':
      return join('statistics_by_subchannel', path.day, answerName(path));
    case 'events':
      return join(exportFolder(path.export), pageName(path.page));
    case 'rejected': {
      const name = [instantName(path.at), slug(path.endpoint), slug(path.what)].join('-');
      return join('rejected', dayOf(path.at), `${name}.gz`);
    }
  }
}

/** The folder, below `landing/`, of one pull of campaign statistics (E19). */
export function campaignFolder(range: DayRange, pulledAt: Date): string {
  return join('campaigns', rangeName(range), instantName(pulledAt));
}

/** The file of a campaign's n-th answer within one pull; more than one when its window was asked for in parts. */
export function campaignName(campaignId: string, nth: number): string {
  // safeName leaves no dot, so that no id can look like another id's second answer.
  return nth === 1 ? `${safeName(campaignId)}.json.gz` : `${safeName(campaignId)}.${nth}.json.gz`;
}

/** The folder, below `landing/`, of one pull of reference data. */
export function snapshotFolder(stream: ReferenceStream, pulledAt: Date): string {
  return join(stream, dayOf(pulledAt), instantName(pulledAt));
}

/** The name of a list's pages within such a pull: a folder while they arrive, and what its files begin with. */
export function listName(list: string, reading: number): string {
  return `${safeName(list)}.${reading}`;
}

/** The folder, below `landing/`, of an export's pages. */
export function exportFolder({ day, key, exportId }: ExportFolder): string {
  return join('events', day, key, safeName(exportId));
}

/** What is in the name of an answer's file. */
interface AnswerName {
  readonly pulledAt: Date;
  readonly accepted: boolean;
}

/** `20261121T070512.123Z.json.gz`, or `….accepted.json.gz`: the mark lands together with the answer. */
function answerName({
  pulledAt,
  accepted = false,
}: Partial<AnswerName> & { readonly pulledAt: Date }): string {
  return `${instantName(pulledAt)}${accepted ? '.accepted' : ''}.json.gz`;
}

/** What the name of an answer's file stands for. */
export function answerOf(name: string): AnswerName | undefined {
  const [, instant = '', mark] = /^(.*?)(\.accepted)?\.json\.gz$/.exec(name) ?? [];
  const pulledAt = instantOf(instant);
  return pulledAt && { pulledAt, accepted: mark !== undefined };
}

/** `page-00000.json.gz` */
export function pageName(page: number): string {
  return `page-${String(page).padStart(5, '0')}.json.gz`;
}

/** The page that a file name stands for. */
export function pageOf(name: string): number | undefined {
  const digits = /^page-(\d{5,})\.json\.gz$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `2026-11-14_2026-11-20` */
export function rangeName({ start, end }: DayRange): string {
  return `${start}_${end}`;
}

/** The range that a folder name stands for. */
export function rangeOf(name: string): DayRange | undefined {
  const [start = '', end = '', ...more] = name.split('_');
  return isDay(start) && isDay(end) && more.length === 0 ? { start, end } : undefined;
}

/** An instant as a name that sorts in time, in UTC: `20261121T070512.123Z`. */
export function instantName(instant: Date): string {
  return instant.toISOString().replaceAll(/[-:]/g, '');
}

/** The instant that a name stands for. */
export function instantOf(name: string): Date | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3}Z)$/.exec(name);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second] = parts;
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}
