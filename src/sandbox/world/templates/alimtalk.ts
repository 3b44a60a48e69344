/** The alimtalk templates of the world: those that are sent, but for one, and some that are not. */
import { alimtalkCode, SENDER } from '../messages/chatapp.js';
import { open } from '../messages/index.js';
import type { JsonObject } from '../messages/json.js';
import { hashText } from '../random.js';
import { allStreams, type Stream } from '../stream.js';
import { versionAt } from '../version.js';
import { created } from './dates.js';

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

const MAIN = { channelId: 'ch-1001', senderKey: SENDER.senderKey };
const OTHER = { channelId: 'ch-1002', senderKey: '4b7d9e1a2c5f80361d9e' };

/** It is sent and stands in no list: what a check for unknown templates has to find. */
const UNKNOWN = 'tpl-n2s2';

/** Since when a template is refused or suspended; it is sent all the same. */
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

/** Templates that nothing is sent with; one waits for its approval, gets it, and is handed in again. */
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
    // A new one each week; the one before it is gone.
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

/** All that there are at an instant, the oldest first. */
export function alimtalkTemplates(now: Date, seed: number): AlimtalkTemplate[] {
  const streams = new Map<string, Stream>();
  for (const stream of allStreams(seed)) {
    if (stream.channel === 'alimtalk') streams.set(alimtalkCode(stream), stream);
  }
  streams.delete(UNKNOWN);
  const all = [...streams.values()].map((stream) => sent(stream, now, seed));
  return [...all, ...unused(now, seed)].sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
}
