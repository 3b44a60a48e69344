/** A stream: what one resource, arm or step sends over one way. The unit in which a day is planned. */
import { CAMPAIGNS } from './campaigns.js';
import type { Channel } from './channels.js';
import type { Curve } from './hours.js';
import { hashText } from './random.js';
import { type Campaign, type Copy, type Journey, type Leg, EVERY_DAY, type JourneyNode } from './resource.js';

export interface Stream {
  readonly resourceType: 'campaign' | 'user-journey';
  readonly resourceId: string;
  readonly resourceName: string;
  readonly tags: readonly string[];
  /** The arm of an A/B test; null when there is no test. */
  readonly variant: { readonly id: string; readonly name: string } | null;
  /** The step of a journey; null for campaigns. */
  readonly node: { readonly id: string; readonly name: string } | null;
  readonly channel: Channel;
  readonly sub: string | null;
  readonly target: string | null;
  readonly copy: Copy;
  readonly weekdays: readonly number[];
  readonly hours: Curve;
  readonly conversions: readonly string[];
  /** Sends of a sending day before scaling. */
  readonly volume: number;
  /** Compares its true click and conversion rates to the channel's. */
  readonly lift: number;
  /** How many arms share the audience, and which of them this is: a user is always in the same arm. */
  readonly arms: number;
  readonly arm: number;
  /** Where its chance begins. */
  readonly seed: number;
  /** Where the chance of who is sent to begins: the same for all arms, so that each reaches as many people. */
  readonly audienceSeed: number;
}

function streamOf(
  resource: Campaign | Journey,
  leg: Leg,
  seed: number,
  rest: Pick<Stream, 'resourceType' | 'variant' | 'node' | 'copy' | 'lift' | 'arms' | 'arm'> & {
    part: number;
  },
): Stream {
  const { part, ...own } = rest;
  const keyOf = (variant?: string): string =>
    [resource.id, variant, own.node?.id, leg.channel, leg.sub, leg.target].join('/');
  return {
    ...own,
    resourceId: resource.id,
    resourceName: resource.name,
    tags: own.resourceType === 'campaign' ? resource.tags : [],
    channel: leg.channel,
    sub: leg.sub ?? null,
    target: leg.target ?? null,
    weekdays: resource.weekdays,
    hours: resource.hours,
    conversions: resource.conversions,
    volume: resource.volume * leg.share * part,
    seed: hashText(keyOf(own.variant?.id), seed),
    audienceSeed: hashText(keyOf(), seed),
  };
}

function campaignStreams(campaign: Campaign, seed: number): Stream[] {
  const arms = campaign.variants.length === 0 ? [null] : campaign.variants;
  return arms.flatMap((variant, arm) =>
    campaign.legs.map((leg) =>
      streamOf(campaign, leg, seed, {
        resourceType: 'campaign',
        variant: variant && { id: `${campaign.id}-${variant.name.toLowerCase()}`, name: variant.name },
        node: null,
        copy: { ...campaign.copy, title: variant?.title ?? campaign.copy.title },
        lift: variant?.lift ?? 1,
        arms: arms.length,
        arm,
        part: 1 / arms.length,
      }),
    ),
  );
}

function journeyStreams(journey: Journey, seed: number): Stream[] {
  return journey.nodes.map((node) =>
    streamOf(journey, node.leg, seed, {
      resourceType: 'user-journey',
      variant: null,
      node: { id: node.id, name: node.name },
      copy: node.copy,
      lift: 1,
      arms: 1,
      arm: 0,
      part: node.remaining,
    }),
  );
}

/** Every stream of the world, in a fixed order. */
export function allStreams(seed: number): Stream[] {
  return [
    ...[...CAMPAIGNS, ...MORE_CAMPAIGNS].flatMap((campaign) => campaignStreams(campaign, seed)),
    ...JOURNEYS.flatMap((journey) => journeyStreams(journey, seed)),
  ];
}

/** The campaigns that messages sent by E7, E8 and E9 are counted in: records and statistics know nothing else. */
const DIRECT = {
  friendtalk: { id: 'api-friendtalk', name: '친구톡 API 발송' },
  'text-message': { id: 'api-text-message', name: '문자 API 발송' },
  alimtalk: { id: 'api-alimtalk', name: '알림톡 API 발송' },
} as const;

/** The stream of one request that sends messages. */
export function directStream(channel: keyof typeof DIRECT, sub: string | null, copy: Copy): Stream {
  const rest = { tags: [], weekdays: EVERY_DAY, hours: 'service', volume: 0, conversions: [] } as const;
  const leg: Leg = { channel, ...(sub === null ? {} : { sub }), share: 1 };
  const campaign: Campaign = { ...DIRECT[channel], ...rest, legs: [leg], variants: [], copy };
  const [stream] = campaignStreams(campaign, 0);
  if (stream === undefined) throw new Error('A campaign with a leg has a stream.');
  return stream;
}

/** Whether a campaign of that id exists (E19 knows campaigns only). */
export function isCampaign(id: string): boolean {
  return [CAMPAIGNS, MORE_CAMPAIGNS, Object.values(DIRECT)].some((all) => all.some((one) => one.id === id));
}

function node(id: string, name: string, leg: Omit<Leg, 'share'>, remaining: number, copy: Copy): JourneyNode {
  return { id, name, leg: { ...leg, share: 1 }, remaining, copy };
}

const JOURNEYS: readonly Journey[] = [
  {
    id: 'uj-onb01',
    name: '신규 회원 온보딩',
    tags: ['온보딩'],
    weekdays: EVERY_DAY,
    hours: 'behaviour',
    volume: 240,
    conversions: ['첫 구매'],
    nodes: [
      node('n1k2', '환영 푸시', { channel: 'push-notification' }, 1, {
        title: '반가워요!',
        body: '가입 선물로 {상품} 할인 쿠폰을 드려요.',
        path: '/welcome',
      }),
      node('n2p7', '첫 구매 쿠폰', { channel: 'alimtalk' }, 0.74, {
        title: '첫 구매 쿠폰 안내',
        body: '첫 구매 쿠폰이 3일 남았습니다.',
        path: '/coupon/first',
      }),
      node('n3x4', '이용 안내 메일', { channel: 'email' }, 0.52, {
        title: '이렇게 이용해 보세요',
        body: '{상품}처럼 인기 있는 상품을 모았습니다.',
        path: '/guide',
      }),
      node('n4c9', '혜택 인앱 배너', { channel: 'in-app-message', sub: 'COMMERCE' }, 0.38, {
        title: '이번 주까지 쓸 수 있어요',
        body: '{상품} {가격}원',
        path: '/coupon/first',
      }),
      node('n5v1', '마지막 문자', { channel: 'text-message', sub: 'LMS' }, 0.21, {
        title: '(광고) 쿠폰이 오늘 끝나요',
        body: '오늘이 지나면 첫 구매 쿠폰이 사라집니다.',
        path: '/coupon/first',
      }),
    ],
  },
  {
    id: 'uj-win02',
    name: '이탈 고객 되살리기',
    tags: ['리텐션', '휴면'],
    weekdays: EVERY_DAY,
    hours: 'lunch',
    volume: 210,
    conversions: ['구매 완료', '로그인'],
    nodes: [
      node('n1a5', '안부 푸시', { channel: 'push-notification' }, 1, {
        title: '요즘 어떻게 지내세요?',
        body: '새로 들어온 {상품}을(를) 보여드릴게요.',
        path: '/new',
      }),
      node('n2b6', '추천 친구톡', { channel: 'friendtalk', sub: 'image' }, 0.66, {
        title: '이 상품은 어떠세요?',
        body: '(광고) {상품} {가격}원',
        path: '/recommend',
      }),
      node('n3c7', '할인 브랜드 메시지', { channel: 'brand-message', sub: 'free-form', target: 'N' }, 0.41, {
        title: '돌아오시면 15% 할인',
        body: '{상품} {가격}원',
        path: '/comeback',
      }),
      node('n4d8', '마지막 문자', { channel: 'text-message', sub: 'SMS' }, 0.2, {
        title: '(광고) 마지막 안내',
        body: '(광고) 15% 쿠폰이 오늘 끝납니다.',
        path: '/comeback',
      }),
    ],
  },
  {
    id: 'uj-rev03',
    name: '구매 후 리뷰 여정',
    tags: ['리뷰'],
    weekdays: EVERY_DAY,
    hours: 'evening',
    volume: 180,
    conversions: ['리뷰 작성'],
    nodes: [
      node('n1r1', '배송 완료 알림톡', { channel: 'alimtalk' }, 1, {
        title: '배송이 완료되었습니다',
        body: '{상품}은(는) 잘 받으셨나요?',
        path: '/orders',
      }),
      node('n2r2', '리뷰 요청 인앱', { channel: 'in-app-message', sub: 'WIDE_ITEM_LIST' }, 0.57, {
        title: '한 줄이면 충분해요',
        body: '{상품}의 후기를 남겨 주세요.',
        path: '/reviews/new',
      }),
      node('n3r3', '리뷰 적립금 푸시', { channel: 'push-notification' }, 0.33, {
        title: '리뷰 적립금 500원',
        body: '{상품} 후기를 쓰고 적립금을 받으세요.',
        path: '/reviews/new',
      }),
    ],
  },
  {
    id: 'uj-sub04',
    name: '정기 구독 갱신',
    tags: ['구독'],
    weekdays: EVERY_DAY,
    hours: 'morning',
    volume: 120,
    conversions: ['구독 갱신'],
    nodes: [
      node('n1s1', '갱신 안내 메일', { channel: 'email' }, 1, {
        title: '구독이 곧 갱신됩니다',
        body: '다음 결제 금액은 {가격}원입니다.',
        path: '/subscription',
      }),
      node('n2s2', '결제 전 알림톡', { channel: 'alimtalk' }, 0.83, {
        title: '내일 결제됩니다',
        body: '결제 예정 금액은 {가격}원입니다.',
        path: '/subscription',
      }),
      node('n3s3', '해지 방지 웹 푸시', { channel: 'web-push-notification' }, 0.31, {
        title: '한 달 더 이용해 보세요',
        body: '지금 갱신하시면 {상품}을(를) 드려요.',
        path: '/subscription/keep',
      }),
      node('n4s4', '결과 전송', { channel: 'webhook' }, 0.28, {
        title: 'subscription-result',
        body: '구독 갱신 결과',
        path: '/hooks/subscription',
      }),
    ],
  },
];

const MORE_CAMPAIGNS: readonly Campaign[] = [
  {
    id: 'r0SdY4',
    name: '친구 전용 할인',
    tags: ['프로모션', '친구'],
    weekdays: [1, 4],
    hours: 'lunch',
    volume: 480,
    legs: [
      { channel: 'friendtalk', sub: 'text', share: 0.4 },
      { channel: 'friendtalk', sub: 'image', share: 0.6 },
    ],
    variants: [],
    copy: {
      title: '친구에게만 드려요',
      body: '(광고) 채널 친구 전용 {상품} {가격}원.\n수신 거부: 홈 > 채널 차단',
      path: '/friends',
    },
    conversions: ['구매 완료'],
  },
  {
    id: 'J8aXo1',
    name: '앱 첫 화면 기획전 배너',
    tags: ['기획전', '인앱'],
    weekdays: EVERY_DAY,
    hours: 'service',
    volume: 340,
    legs: [{ channel: 'in-app-message', sub: 'COMMERCE', share: 1 }],
    variants: [],
    copy: { title: '이 주의 기획전', body: '{상품}, 앱에서만 {가격}원', path: '/exhibition' },
    conversions: ['구매 완료', '장바구니 담기'],
  },
  {
    id: 'n6Bt2K',
    name: '리뷰 작성 요청',
    tags: ['리뷰', '인앱'],
    weekdays: EVERY_DAY,
    hours: 'behaviour',
    volume: 260,
    legs: [{ channel: 'in-app-message', sub: 'WIDE_ITEM_LIST', share: 1 }],
    variants: [
      { name: 'A', lift: 1 },
      { name: 'B', title: '리뷰 쓰고 500원 받기', lift: 1.06 },
    ],
    copy: {
      title: '구매하신 상품은 어떠셨나요?',
      body: '{상품}의 후기를 남겨 주세요.',
      path: '/reviews/new',
    },
    conversions: ['리뷰 작성'],
  },
  {
    id: 'E5uWm8',
    name: '웹 첫 방문 쿠폰',
    tags: ['쿠폰', '인웹', '온보딩'],
    weekdays: EVERY_DAY,
    hours: 'service',
    volume: 300,
    legs: [{ channel: 'in-web-message', sub: 'WIDE_ITEM_LIST', share: 1 }],
    variants: [],
    copy: { title: '처음 오셨나요?', body: '{상품} 10% 쿠폰을 받아가세요.', path: '/coupon/first' },
    conversions: ['회원 가입', '첫 구매'],
  },
  {
    id: 'c3IzG7',
    name: '웹 장바구니 리마인드',
    tags: ['장바구니', '인웹'],
    weekdays: EVERY_DAY,
    hours: 'behaviour',
    volume: 180,
    legs: [{ channel: 'in-web-message', sub: 'COMMERCE', share: 1 }],
    variants: [],
    copy: { title: '담아두신 상품이 있어요', body: '{상품} {가격}원', path: '/cart' },
    conversions: ['구매 완료'],
  },
  {
    id: 'L4oDr5',
    name: '가격 인하 알림',
    tags: ['가격', '자동발송'],
    weekdays: EVERY_DAY,
    hours: 'behaviour',
    volume: 250,
    legs: [{ channel: 'web-push-notification', share: 1 }],
    variants: [],
    copy: { title: '가격이 내려갔어요', body: '{상품}이(가) {가격}원이 되었어요.', path: '/price-drop' },
    conversions: ['구매 완료'],
  },
  {
    id: 'x1MjC0',
    name: '재입고 알림',
    tags: ['재입고', '자동발송'],
    weekdays: [1, 2, 3, 4, 5],
    hours: 'lunch',
    volume: 160,
    legs: [
      { channel: 'web-push-notification', share: 0.5 },
      { channel: 'push-notification', share: 0.5 },
    ],
    variants: [],
    copy: {
      title: '기다리시던 상품이 다시 들어왔어요',
      body: '{상품} 재입고. 수량이 많지 않아요.',
      path: '/restock',
    },
    conversions: ['구매 완료'],
  },
  {
    id: 'y7Fk3H',
    name: '회원 등급 변경 연동',
    tags: ['연동'],
    weekdays: EVERY_DAY,
    hours: 'service',
    volume: 70,
    legs: [{ channel: 'webhook', share: 1 }],
    variants: [],
    copy: { title: 'grade-changed', body: '회원 등급이 변경되었습니다.', path: '/hooks/grade' },
    conversions: [],
  },
  {
    id: 'u2NqA9',
    name: '적립금 소멸 예정 안내',
    tags: ['적립금'],
    weekdays: [1],
    hours: 'morning',
    volume: 300,
    legs: [
      { channel: 'alimtalk', share: 0.8 },
      { channel: 'text-message', sub: 'LMS', share: 0.2 },
    ],
    variants: [],
    copy: {
      title: '적립금이 곧 사라져요',
      body: '7일 뒤 적립금이 소멸됩니다. {상품}에 사용해 보세요.',
      path: '/points',
    },
    conversions: ['구매 완료'],
  },
  {
    id: 'S6eVb4',
    name: '생일 축하 쿠폰',
    tags: ['쿠폰', '자동발송'],
    weekdays: EVERY_DAY,
    hours: 'morning',
    volume: 60,
    legs: [{ channel: 'push-notification', share: 1 }],
    variants: [],
    copy: { title: '생일 축하해요', body: '오늘 하루 {상품}을(를) {가격}원에 드려요.', path: '/birthday' },
    conversions: ['구매 완료'],
  },
  {
    id: 'h9TyP2',
    name: 'VIP 고객 감사 안내',
    tags: ['VIP', '리텐션'],
    weekdays: [2, 5],
    hours: 'lunch',
    volume: 240,
    legs: [
      { channel: 'push-notification', share: 0.55 },
      { channel: 'friendtalk', sub: 'text', share: 0.45 },
    ],
    variants: [],
    copy: { title: 'VIP 고객님께 감사드려요', body: 'VIP 전용 {상품} {가격}원.', path: '/vip' },
    conversions: ['구매 완료'],
  },
  {
    id: 'g0KwX6',
    name: '앱 업데이트 안내',
    tags: ['공지'],
    weekdays: [2],
    hours: 'evening',
    volume: 520,
    legs: [{ channel: 'push-notification', share: 1 }],
    variants: [],
    copy: {
      title: '앱이 새로워졌어요',
      body: '더 빨라진 검색으로 {상품}을(를) 찾아보세요.',
      path: '/notice/update',
    },
    conversions: ['앱 실행'],
  },
];
