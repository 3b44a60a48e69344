/** Reads the opt-outs from text messages, made by calls to an 080 number (E12). */
import { optOuts } from '../service/endpoints.js';
import { koreanTime } from '../ground/calendar.js';
import type { OptOutSettings } from '../config/schema.js';
import { SOLE_LIST } from '../landing/pull.js';
import { numbered, readLists, type ListsRead, type ListsReader } from './read-lists.js';
/** An instant before the service existed. */
const FIRST = '2000-01-01 00:00:00';

/**
 * Reads all opt-outs that were requested before the pull began, so that later opt-outs do not shift the pages during the
 * reading.
 *
 * @throws the errors of `readLists`
 */
export function readOptOuts(settings: OptOutSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, pull } = reader;
  // The specification does not name a time zone; Korean time is used because the service's days are Korean days.
  const until = koreanTime(pull.pulledAt).slice(0, 19).replace('T', ' ');
  const source = {
    list: SOLE_LIST,
    what: 'the opt-outs',
    shape: { rows: [['data']], total: ['totalCount'] },
    id: '',
    paging: numbered('opt_outs', settings, (pages) =>
      optOuts(projectId, {
        [settings.startParameter]: FIRST,
        [settings.endParameter]: until,
        ...pages,
      }),
    ),
  };
  return readLists([source], reader);
}
