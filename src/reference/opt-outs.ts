/** E12: who opted out of text messages by an 080 number. */
import { optOuts } from '../api/endpoints.js';
import { koreanTime } from '../calendar.js';
import type { OptOutSettings } from '../config/schema.js';
import { SOLE_LIST } from '../storage/pull.js';
import { numbered, readLists, type ListsRead, type ListsReader } from './read-lists.js';
/** Before the service began. */
const FIRST = '2000-01-01 00:00:00';

/**
 * All opt-outs that were requested before the pull began: those that come while the list is read do not move its pages.
 * Throws as `readLists` does.
 */
export function readOptOuts(settings: OptOutSettings, reader: ListsReader): Promise<ListsRead> {
  const { projectId, snapshot } = reader;
  // The specification names no zone; the service's own days are those of Korea.
  const until = koreanTime(snapshot.pulledAt).slice(0, 19).replace('T', ' ');
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
