/** E4 and E5: brand-message templates by sender key, and one with its status. */
import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { entriesOf, pageOf } from '../paging.js';
import type { JsonObject } from '../world/messages/json.js';
import { type BrandTemplate, brandTemplates, updatedAt } from '../world/templates/brand.js';

/** Templates of a page when the request does not say. */
const PAGE_SIZE = 20;

export class BrandTemplates {
  constructor(private readonly settings: Settings) {}

  /** E4. */
  list({ query }: Call): Reply {
    const page = pageOf(query, this.settings.pageParameters.E4, PAGE_SIZE);
    if (typeof page === 'string') return refuse('brand-message', 'invalid', page);
    const senderKey = query.get('senderKey');
    if (senderKey === null || senderKey === '') {
      return refuse('brand-message', 'invalid', 'senderKey is required');
    }
    const found = this.all().filter((template) => template.senderKey === senderKey);
    const templates = entriesOf(found, page).map((template) => this.shown(template));
    return jsonAnswer({ data: { templates, totalCount: found.length }, error: null });
  }

  /** E5. */
  get(id: string, { query, headers }: Call): Reply {
    const key = this.settings.senderKeyIn === 'query' ? query.get('senderKey') : headers['senderkey'];
    if (typeof key !== 'string' || key === '') {
      return refuse('brand-message', 'invalid', 'senderKey is required');
    }
    const template = this.all().find((one) => one.id === id && one.senderKey === key);
    if (template === undefined) return refuse('brand-message', 'not-found', 'The template does not exist.');
    return jsonAnswer({
      data: {
        template: this.shown(template),
        [`${this.settings.messenger}Template`]: { status: template.status },
      },
      error: null,
    });
  }

  private all(): BrandTemplate[] {
    return brandTemplates(this.settings.now(), this.settings.seed);
  }

  private shown(template: BrandTemplate): JsonObject {
    return {
      id: template.id,
      templateName: template.name,
      template: {
        type: template.type,
        content: template.content,
        senderKey: template.senderKey,
        ...(template.failover === undefined ? {} : { failoverTextMessage: template.failover }),
        ...(template.unsubscribeNumber === undefined
          ? {}
          : { unsubscribeNumber: template.unsubscribeNumber }),
      },
      createdAt: template.createdAt.toISOString(),
      updatedAt: updatedAt(template, this.settings.statusMovesUpdatedAt).toISOString(),
    };
  }
}
