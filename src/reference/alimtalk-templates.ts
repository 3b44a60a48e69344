/** E10: templates of alimtalk messages. */
import { alimtalkTemplates } from '../api/endpoints.js';
import type { AlimtalkTemplateSettings } from '../config/reference.js';
import { SOLE_LIST } from '../storage/pull.js';
import { numbered, type ListSource } from './read-list.js';
import { readLists, type ListsRead, type ListsReader } from './read-lists.js';

/** The templates of each channel, or, where none is named, of the only one. Throws as `readLists` does. */
export function readAlimtalkTemplates(
  settings: AlimtalkTemplateSettings,
  reader: ListsReader,
): Promise<ListsRead> {
  const channels = settings.channelIds.length === 0 ? [undefined] : settings.channelIds;
  return readLists(
    channels.map((channel) => templatesOf(channel, settings, reader)),
    reader,
  );
}

function templatesOf(
  channelId: string | undefined,
  settings: AlimtalkTemplateSettings,
  { projectId, messenger }: ListsReader,
): ListSource {
  return {
    list: channelId ?? SOLE_LIST,
    what:
      channelId === undefined ? 'the alimtalk templates' : `the alimtalk templates of channel ${channelId}`,
    shape: {
      rows: [['templateListResponse', 'templates']],
      total: ['templateListResponse', 'totalCount'],
    },
    id: '',
    paging: numbered('alimtalk_templates', settings, (pages) =>
      alimtalkTemplates(projectId, messenger, { [settings.channelParameter]: channelId, ...pages }),
    ),
  };
}
