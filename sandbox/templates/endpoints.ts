/** E3 to E6, E10 and E11: templates of brand messages and alimtalk. */
import { type Call, decoded, type Endpoint, endpoint } from '../endpoint.js';
import type { Settings } from '../options.js';
import { Images } from './images.js';
import { type Reply, jsonAnswer } from '../answer.js';
import { refuse } from '../family.js';
import { entriesOf, pageOf } from '../paging.js';
import type { JsonObject, Json } from '../world/messages/json.js';
import { koreanDate } from '../world/opt-outs.js';
import { alimtalkCode, SENDER } from '../world/messages/chatapp.js';
import { open } from '../world/messages/index.js';
import { hashText } from '../world/random.js';
import { allStreams, type Stream } from '../world/stream.js';
import { versionAt } from '../world/version.js';
import { created } from '../world/templates/dates.js';
import { randomBytes } from 'node:crypto';
import { type BrandTemplate, brandTemplates, updatedAt } from '../world/templates/brand.js';
import { z } from 'zod';
import { isDeeperThan } from '../json.js';

/** A carousel of many large images. */
const UPLOAD_BYTES = 64 * 1024 * 1024;

export interface Templates {
  readonly endpoints: readonly Endpoint[];
  readonly alimtalk: AlimtalkTemplates;
  /** The templates that were written. */
  state(): JsonObject;
}

export function createTemplates(settings: Settings): Templates {
  const images = new Images();
  const brand = new BrandTemplates(settings, images);
  const alimtalk = new AlimtalkTemplates(settings);
  return {
    endpoints: endpointsOf(settings, images, brand, alimtalk),
    alimtalk,
    state: () => ({
      brandTemplates: brand.written(),
      images: images.written(),
      deletedAlimtalkTemplates: alimtalk.written(),
    }),
  };
}

function endpointsOf(
  settings: Settings,
  images: Images,
  brand: BrandTemplates,
  alimtalk: AlimtalkTemplates,
): Endpoint[] {
  const { messenger, pageParameters } = settings;
  const brandPath = `/v1/projects/([^/]+)/messages/${messenger}-brand-message` as const;
  const alimtalkPath = `/projects/([^/]+)/messages/${messenger}-alimtalk/templates` as const;
  const family = 'brand-message';
  return [
    endpoint('E3', family, `POST ${brandPath}/templates`, (call) => brand.create(call)),
    endpoint('E4', family, `GET ${brandPath}/templates`, (call) => brand.list(call), {
      pageParameter: pageParameters.E4.page,
    }),
    endpoint('E5', family, `GET ${brandPath}/templates/([^/]+)`, (call) =>
      brand.get(decoded(call.values[0] ?? ''), call),
    ),
    endpoint('E6', family, `POST ${brandPath}/images`, (call) => images.upload(call), {
      hasBody: false,
      bodyBytes: UPLOAD_BYTES,
    }),
    endpoint('E10', 'alimtalk', `GET ${alimtalkPath}`, (call) => alimtalk.list(call), {
      pageParameter: pageParameters.E10.page,
    }),
    endpoint('E11', 'alimtalk', `DELETE ${alimtalkPath}/([^/]+)`, ({ values: [code = ''] }) =>
      alimtalk.delete(decoded(code)),
    ),
  ];
}

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

  written(): string[] {
    return [...this.deleted];
  }

  all(): AlimtalkTemplate[] {
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

export interface AlimtalkTemplate {
  readonly code: string;
  readonly name: string;
  readonly channelId: string;
  readonly senderKey: string;
  /** APR approved, REJ refused, REQ waiting, STP suspended. */
  readonly status: 'APR' | 'REJ' | 'REQ' | 'STP';
  readonly content: string;
  readonly buttons: readonly JsonObject[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The channels that the project has registered. */
export const CHANNEL_IDS: readonly string[] = ['ch-1001', 'ch-1002'];

const MAIN = { channelId: 'ch-1001', senderKey: SENDER.senderKey };
const OTHER = { channelId: 'ch-1002', senderKey: '4b7d9e1a2c5f80361d9e' };

/** Sent but not listed, so that the check for unknown templates has something to find. */
const UNKNOWN = 'tpl-n2s2';

/** When a template that is still sent was refused or suspended. */
const STOPPED: Readonly<Record<string, { status: 'REJ' | 'STP'; since: Date }>> = {
  'tpl-n2p7': { status: 'STP', since: new Date('2026-10-12T05:30:00Z') },
  'tpl-u2NqA9': { status: 'REJ', since: new Date('2026-11-05T08:10:00Z') },
};

const EDITED = 'tpl-wE91kd';
const ENDINGS = [
  '쿠폰은 7일간 쓸 수 있습니다.',
  '쿠폰은 14일간 쓸 수 있습니다.',
  '쿠폰은 30일간 쓸 수 있습니다.',
] as const;

function buttonsOf({ copy }: Stream): JsonObject[] {
  const link = `https://shop.test${copy.path}?p=#{상품코드}&m=chat`;
  const web = { type: 'WL', name: '자세히 보기', linkMo: link, linkPc: link };
  const scheme = `shop:/${copy.path}`;
  const more = { ...web, schemeIos: scheme, schemeAndroid: scheme };
  return copy.path.startsWith('/orders')
    ? [
        { ordering: 1, type: 'DS', name: '배송 조회' },
        { ordering: 2, ...more },
      ]
    : [{ ordering: 1, ...more }];
}

function sent(stream: Stream, now: Date, seed: number): AlimtalkTemplate {
  const code = alimtalkCode(stream);
  const createdAt = created(code, seed);
  const stopped = STOPPED[code];
  const isStopped = stopped !== undefined && stopped.since <= now;
  const edit = code === EDITED ? versionAt(now, hashText(code, seed), 8) : null;
  const ending = edit === null ? '' : `\n${ENDINGS[edit.number % ENDINGS.length] ?? ENDINGS[0]}`;
  return {
    code,
    name: stream.node?.name ?? stream.resourceName,
    ...MAIN,
    status: isStopped ? stopped.status : 'APR',
    content: `[예시상점] ${stream.copy.title}\n${open(stream.copy.body)}${ending}\n주문번호: #{주문번호}`,
    buttons: buttonsOf(stream),
    createdAt,
    updatedAt: edit?.since ?? (isStopped ? stopped.since : createdAt),
  };
}

/** Unused templates; one is inspected, approved and submitted again. */
function unused(now: Date, seed: number): AlimtalkTemplate[] {
  const plain = (code: string, name: string, status: AlimtalkTemplate['status'], content: string) => {
    const createdAt = created(code, seed);
    return { code, name, ...OTHER, status, content, buttons: [], createdAt, updatedAt: createdAt };
  };
  const draft = versionAt(now, hashText('tpl-draft-03', seed), 9);
  const event = versionAt(now, hashText('tpl-event', seed), 7);
  return [
    plain('tpl-old-01', '포인트 적립 안내', 'APR', '[예시상점] #{고객명}님, #{포인트}점이 적립되었습니다.'),
    plain('tpl-old-02', '매장 예약 확인', 'APR', '[예시상점] #{매장} #{일시} 예약이 확인되었습니다.'),
    plain('tpl-promo-04', '할인 안내', 'REJ', '[예시상점] 지금 구매하시면 할인해 드립니다.'),
    {
      ...plain(
        'tpl-draft-03',
        '교환 접수 안내',
        draft.number % 2 === 0 ? 'REQ' : 'APR',
        '[예시상점] 교환이 접수되었습니다.',
      ),
      updatedAt: draft.since,
    },
    // A new one replaces it each week.
    {
      ...plain(
        `tpl-event-${event.number}`,
        `행사 안내 ${event.number}`,
        'APR',
        '[예시상점] 이번 주 행사 안내입니다.',
      ),
      createdAt: event.since,
      updatedAt: event.since,
    },
  ];
}

/** All templates at an instant, the oldest first. */
function alimtalkTemplates(now: Date, seed: number): AlimtalkTemplate[] {
  const streams = new Map<string, Stream>();
  for (const stream of allStreams(seed)) {
    if (stream.channel === 'alimtalk') streams.set(alimtalkCode(stream), stream);
  }
  streams.delete(UNKNOWN);
  const all = [...streams.values()].map((stream) => sent(stream, now, seed));
  return [...all, ...unused(now, seed)].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}

/** Templates of a page when the request does not say. */
const BRAND_PAGE_SIZE = 20;

/** Inspection of a new template takes a day. */
const INSPECTION_MS = 24 * 3_600_000;

class BrandTemplates {
  private readonly created: BrandTemplate[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly images: Images,
  ) {}

  /** E3. */
  create({ body }: Call): Reply {
    const read = readNewTemplate(body, this.images, this.settings.unsubscribeNumbers);
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
    const page = pageOf(query, this.settings.pageParameters.E4, BRAND_PAGE_SIZE);
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

  written(): JsonObject[] {
    return this.created.map((template) => this.shown(template));
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

/** Deeper ones are refused unread. */
const NESTING = 50;

const text = z.string().min(1);

const Failover = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sms'), title: z.string().optional(), body: text, senderPhoneNumber: text }),
  z.object({ type: z.literal('lms'), title: text, body: text, senderPhoneNumber: text }),
]);

const NewTemplate = z.object({
  senderKey: text,
  templateName: text,
  template: z.object({ type: text, content: z.record(z.string(), z.json()) }),
  failoverTextMessage: Failover.optional(),
  unsubscribeNumber: z.string().optional(),
});

const ImageOf = z.object({ url: z.string() });

type NewTemplate = z.output<typeof NewTemplate>;

/** Types that require an image that was uploaded before; the specification does not spell them (N4). */
const WITH_IMAGE = ['image', 'wideimage', 'wideitemlist', 'carousel', 'commerce', 'carouselcommerce'];

/** The request, or its error. */
function readNewTemplate(
  body: unknown,
  images: Images,
  unsubscribeNumbers: readonly string[],
): NewTemplate | string {
  if (isDeeperThan(body, NESTING)) return 'The request is nested too deeply';
  const parsed = NewTemplate.safeParse(body);
  if (!parsed.success) return z.prettifyError(parsed.error);
  const { template, failoverTextMessage, unsubscribeNumber } = parsed.data;
  if (failoverTextMessage !== undefined && unsubscribeNumber === undefined) {
    return 'unsubscribeNumber is required when failoverTextMessage is sent';
  }
  if (unsubscribeNumber !== undefined && !unsubscribeNumbers.includes(unsubscribeNumber)) {
    return 'unsubscribeNumber must be a registered 080 number';
  }
  const urls = imageUrls(template.content);
  const type = template.type.toLowerCase().replaceAll(/[^a-z]/g, '');
  if (WITH_IMAGE.includes(type) && urls.length === 0) return 'content.image.url is required';
  return urls.every((url) => images.has(url)) ? parsed.data : 'Images must be uploaded first';
}

/** The addresses of all images in a content, at any depth. */
function imageUrls(content: Json): string[] {
  if (typeof content !== 'object' || content === null) return [];
  return Object.entries(content).flatMap(([key, value]: [string, Json]) => {
    const image = key === 'image' ? ImageOf.safeParse(value) : null;
    return image?.success === true ? [image.data.url] : imageUrls(value);
  });
}
