/** E4 and E5: brand-message templates by sender key, and one with its status. */
import { randomBytes } from 'node:crypto';

import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { entriesOf, pageOf } from '../paging.js';
import type { JsonObject } from '../world/messages/json.js';
import { type BrandTemplate, brandTemplates, updatedAt } from '../world/templates/brand.js';
import type { Images } from './images.js';
import { type NewTemplate, readNewTemplate } from './new-template.js';

/** Templates of a page when the request does not say. */
const PAGE_SIZE = 20;

/** Inspection of a new template takes a day. */
const INSPECTION_MS = 24 * 3_600_000;

export class BrandTemplates {
  private readonly created: BrandTemplate[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly images: Images,
  ) {}

  /** E3. */
  create({ body }: Call): Reply {
    const read = readNewTemplate(body, (url) => this.images.has(url));
    if (typeof read === 'string') return refuse('brand-message', 'invalid', read);
    const now = this.settings.now();
    const id = randomBytes(12).toString('hex');
    this.created.push({
      id,
      name: read.templateName,
      type: read.template.type,
      content: read.template.content,
      senderKey: read.senderKey,
      ...(read.failoverTextMessage === undefined ? {} : { failover: failoverOf(read.failoverTextMessage) }),
      ...(read.unsubscribeNumber === undefined ? {} : { unsubscribeNumber: read.unsubscribeNumber }),
      status: 'inspecting',
      createdAt: now,
      editedAt: now,
      statusAt: now,
    });
    return jsonAnswer({ data: { templateId: id }, error: null });
  }

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
    const now = this.settings.now();
    const created = this.created.map((template) => {
      const inspected = new Date(template.createdAt.getTime() + INSPECTION_MS);
      return inspected > now ? template : { ...template, status: 'approved', statusAt: inspected };
    });
    return [...brandTemplates(now, this.settings.seed), ...created];
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

function failoverOf(failover: NonNullable<NewTemplate['failoverTextMessage']>): JsonObject {
  const { type, title, body, senderPhoneNumber } = failover;
  return { type, ...(title === undefined ? {} : { title }), body, senderPhoneNumber };
}
