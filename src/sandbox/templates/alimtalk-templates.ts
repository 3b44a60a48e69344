/** E10 and E11: alimtalk templates. */
import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { entriesOf, pageOf } from '../paging.js';
import type { JsonObject } from '../world/messages/json.js';
import { koreanDate } from '../world/opt-outs.js';
import { type AlimtalkTemplate, alimtalkTemplates } from '../world/templates/alimtalk.js';

/** Templates of a page when the request does not say. */
const PAGE_SIZE = 15;

const STATUS_NAMES = { APR: '승인', REJ: '반려', REQ: '요청', STP: '중단' } as const;

export class AlimtalkTemplates {
  private readonly deleted = new Set<string>();

  constructor(private readonly settings: Settings) {}

  /** E10. A filter that is not sent, or empty, lets everything through. */
  list({ query }: Call): Reply {
    const page = pageOf(query, this.settings.pageParameters.E10, PAGE_SIZE);
    if (typeof page === 'string') return refuse('alimtalk', 'invalid', page);
    const wanted = (name: string, value: string) => [null, '', value].includes(query.get(name));
    const found = this.all().filter(
      (template) =>
        wanted('channelId', template.channelId) &&
        wanted('templateCode', template.code) &&
        wanted('templateName', template.name) &&
        wanted('templateStatus', template.status),
    );
    return jsonAnswer({
      resultCode: 0,
      resultMessage: 'SUCCESS',
      templateListResponse: { templates: entriesOf(found, page).map(shown), totalCount: found.length },
    });
  }

  /** E11. */
  delete(code: string): Reply {
    if (!this.all().some((template) => template.code === code)) {
      return refuse('alimtalk', 'not-found', 'The template does not exist.');
    }
    this.deleted.add(code);
    return jsonAnswer({ resultCode: 0, resultMessage: 'SUCCESS' });
  }

  private all(): AlimtalkTemplate[] {
    const { seed } = this.settings;
    return alimtalkTemplates(this.settings.now(), seed).filter(({ code }) => !this.deleted.has(code));
  }
}

function shown(template: AlimtalkTemplate): JsonObject {
  return {
    channelId: template.channelId,
    senderKey: template.senderKey,
    templateCode: template.code,
    templateName: template.name,
    templateStatusCode: template.status,
    templateStatusName: STATUS_NAMES[template.status],
    templateContent: template.content,
    buttons: template.buttons,
    createDate: koreanDate(template.createdAt),
    updateDate: koreanDate(template.updatedAt),
  };
}
