/** The brand-message templates of the world: those that are sent, and some that are not. */
import { imageOf, PRODUCTS } from '../messages/product.js';
import { brandTemplateName, SENDER } from '../messages/chatapp.js';
import { open } from '../messages/index.js';
import type { Json, JsonObject } from '../messages/json.js';
import { MAIN_080 } from '../numbers.js';
import { hashText } from '../random.js';
import { allStreams, type Stream } from '../stream.js';
import { versionAt } from '../version.js';
import { created, hexId, latest } from './dates.js';

export interface BrandTemplate {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: JsonObject;
  readonly senderKey: string;
  readonly failover?: JsonObject;
  readonly unsubscribeNumber?: string;
  readonly status: string;
  readonly createdAt: Date;
  /** When its text was changed last. */
  readonly editedAt: Date;
  /** When its status was changed last. */
  readonly statusAt: Date;
}

/** The sender profiles, the first that of the events. */
const SENDER_KEYS = [SENDER.senderKey, '4b7d9e1a2c5f80361d9e', 'c0ffee5e11e70000beef'] as const;

/** Duration of the inspection after a change of text. */
const INSPECTION_MS = 20 * 3_600_000;

/** From then on this template is suspended, but still sent. */
const SUSPENDED = { name: '이탈 고객 되살리기 자유형', since: new Date('2026-10-05T02:00:00Z') };

const EDITED = '블랙프라이데이 사전 알림 기본형';
const ENDINGS = ['오늘만 이 가격이에요.', '수량이 많지 않아요.', '내일이면 끝나요.'] as const;

function link(path: string): JsonObject {
  const url = `https://shop.test${path}?m=brand`;
  return { linkMo: url, linkPc: url, linkAnd: `shop:/${path}`, linkIos: `shop:/${path}` };
}

function button(name: string, path: string): Json {
  return { buttonType: 'WL', buttonName: name, ...link(path) };
}

function contentOf(stream: Stream, text: string): JsonObject {
  const { path } = stream.copy;
  const isMain = stream.resourceName.includes('본행사');
  return {
    text,
    ...(stream.sub === 'basic'
      ? { image: { url: imageOf(PRODUCTS[1], 'brand'), link: `https://shop.test${path}` } }
      : {}),
    buttons: isMain
      ? [button('지금 구매', path), button('알림 끄기', '/settings')]
      : [button('보러 가기', path)],
    ...(isMain && stream.sub === 'basic'
      ? { coupon: { title: '10,000원 할인 쿠폰', description: '5만원 이상 구매 시', ...link('/coupon/bf') } }
      : {}),
  };
}

/** The text sent if the chat app refuses the message: short for most, long with a title for the main event. */
function failoverOf(stream: Stream): Pick<BrandTemplate, 'failover' | 'unsubscribeNumber'> {
  if (stream.resourceType === 'user-journey') return {};
  const body = `(광고)[예시상점] ${stream.copy.title}\n무료수신거부 ${MAIN_080}`;
  const rest = { body, senderPhoneNumber: '15440000' };
  const isLong = stream.resourceName.includes('본행사');
  return {
    failover: isLong ? { type: 'lms', title: stream.copy.title, ...rest } : { type: 'sms', ...rest },
    unsubscribeNumber: MAIN_080,
  };
}

function sent(stream: Stream, now: Date, seed: number): BrandTemplate {
  const name = brandTemplateName(stream);
  const text = `${stream.copy.title}\n${open(stream.copy.body)}`;
  const createdAt = created(name, seed);
  const base = {
    id: hexId(name, seed),
    name,
    type: stream.sub === 'basic' ? 'image' : 'text',
    senderKey: stream.resourceType === 'user-journey' ? SENDER_KEYS[1] : SENDER_KEYS[0],
    createdAt,
    ...failoverOf(stream),
  };
  if (name === EDITED) {
    const { number, since } = versionAt(now, hashText(name, seed), 6);
    const inspected = new Date(since.getTime() + INSPECTION_MS);
    const done = inspected <= now;
    return {
      ...base,
      content: contentOf(stream, `${text}\n${ENDINGS[number % ENDINGS.length] ?? ENDINGS[0]}`),
      status: done ? 'approved' : 'inspecting',
      editedAt: since,
      statusAt: done ? inspected : since,
    };
  }
  const suspended = name === SUSPENDED.name && SUSPENDED.since <= now;
  return {
    ...base,
    content: contentOf(stream, text),
    status: suspended ? 'suspended' : 'approved',
    editedAt: createdAt,
    statusAt: suspended ? SUSPENDED.since : createdAt,
  };
}

/** Unused templates. */
function unused(seed: number): BrandTemplate[] {
  const plain = (name: string, type: string, sender: 0 | 1 | 2, status: string, content: JsonObject) => {
    const createdAt = created(name, seed);
    return {
      id: hexId(name, seed),
      name,
      type,
      content,
      senderKey: SENDER_KEYS[sender],
      status,
      createdAt,
      editedAt: createdAt,
      statusAt: createdAt,
    };
  };
  return [
    plain('겨울 정기 세일 안내', 'wide-image', 0, 'approved', {
      text: '겨울 정기 세일이 시작됩니다.',
      image: { url: imageOf(PRODUCTS[0], 'wide'), link: 'https://shop.test/sale/winter' },
      buttons: [button('세일 보기', '/sale/winter')],
    }),
    plain('신규 브랜드 소개', 'text', 1, 'rejected', { text: '#{브랜드}를 소개합니다.', buttons: [] }),
    plain('설 연휴 배송 안내', 'text', 2, 'approved', { text: '연휴 배송 일정을 알려 드립니다.' }),
  ];
}

/** A template that a new one replaces every five days. */
function weekly(now: Date, seed: number): BrandTemplate {
  const { number, since } = versionAt(now, hashText('weekly', seed), 5);
  const name = `주간 특가 ${number}`;
  return {
    id: hexId(name, seed),
    name,
    type: 'text',
    content: {
      text: `#{고객명}님, 이번 주 특가 ${number % 10}탄`,
      buttons: [button('특가 보기', '/weekly')],
    },
    senderKey: SENDER_KEYS[0],
    status: 'approved',
    createdAt: since,
    editedAt: since,
    statusAt: since,
  };
}

/** All templates at an instant, the oldest first. */
export function brandTemplates(now: Date, seed: number): BrandTemplate[] {
  const streams = new Map<string, Stream>();
  for (const stream of allStreams(seed)) {
    if (stream.channel === 'brand-message') streams.set(brandTemplateName(stream), stream);
  }
  const all = [...streams.values()].map((stream) => sent(stream, now, seed));
  return [...all, ...unused(seed), weekly(now, seed)].sort(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
  );
}

/** When anything about it was changed last. */
export function updatedAt(template: BrandTemplate, withStatus: boolean): Date {
  return latest(template.editedAt, ...(withStatus ? [template.statusAt] : []));
}
