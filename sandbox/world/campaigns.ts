/** The campaigns of a shop that does not exist. */
import { type Campaign, type Copy, type Leg, EVERY_DAY, type Variant } from './resource.js';

type Rest = Pick<Campaign, 'id' | 'name' | 'tags' | 'weekdays' | 'hours' | 'volume'>;

function campaign(
  rest: Rest,
  legs: readonly Leg[],
  copy: Copy,
  conversions: readonly string[] = ['구매 완료'],
  variants: readonly Variant[] = [],
): Campaign {
  return { ...rest, legs, copy, conversions, variants };
}

const push: Leg = { channel: 'push-notification', share: 1 };
const alimtalk: Leg = { channel: 'alimtalk', share: 1 };
const email: Leg = { channel: 'email', share: 1 };
const text = (sub: 'SMS' | 'LMS' | 'MMS', share = 1): Leg => ({ channel: 'text-message', sub, share });

export const CAMPAIGNS: readonly Campaign[] = [
  // The planted difference: B's coupon truly works better, by about half.
  campaign(
    {
      id: 'Qh3vT8',
      name: '11월 재구매 유도',
      tags: ['리텐션', '재구매', '11월'],
      weekdays: [1, 2, 3, 4, 5],
      hours: 'morning',
      volume: 900,
    },
    [push],
    {
      title: '다시 만나서 반가워요',
      body: '지난번에 보신 {상품}, 지금 {가격}원에 만나보세요.',
      path: '/re/november',
    },
    ['구매 완료', '장바구니 담기'],
    [
      { name: 'A', lift: 1 },
      { name: 'B', title: '다시 오시면 5,000원 할인', lift: 1.5 },
    ],
  ),
  campaign(
    {
      id: 'a8LmZ2',
      name: '장바구니 이탈 알림',
      tags: ['장바구니', '자동발송'],
      weekdays: EVERY_DAY,
      hours: 'behaviour',
      volume: 650,
    },
    [push],
    {
      title: '장바구니에 담아두셨어요',
      body: '{상품}이(가) 기다리고 있어요. 품절되기 전에 확인해 보세요.',
      path: '/cart',
    },
    ['구매 완료', '장바구니 담기'],
  ),
  campaign(
    {
      id: 'wE91kd',
      name: '신규 가입 환영',
      tags: ['온보딩', '자동발송'],
      weekdays: EVERY_DAY,
      hours: 'service',
      volume: 220,
    },
    [alimtalk],
    { title: '가입을 환영합니다', body: '첫 구매에 쓰실 수 있는 쿠폰을 넣어 드렸습니다.', path: '/welcome' },
    ['첫 구매'],
  ),
  campaign(
    {
      id: 'Zt20Pq',
      name: '주문 완료 안내',
      tags: ['주문', '자동발송'],
      weekdays: EVERY_DAY,
      hours: 'service',
      volume: 420,
    },
    [alimtalk],
    { title: '주문이 완료되었습니다', body: '상품명: {상품}\n결제금액: {가격}원', path: '/orders' },
    [],
  ),
  campaign(
    {
      id: 'b5Rn7x',
      name: '배송 출발 안내',
      tags: ['배송', '자동발송'],
      weekdays: [1, 2, 3, 4, 5, 6],
      hours: 'evening',
      volume: 380,
    },
    [alimtalk],
    {
      title: '상품이 출발했습니다',
      body: '{상품}이(가) 오늘 출발하여 내일 도착할 예정입니다.',
      path: '/orders/delivery',
    },
    [],
  ),
  campaign(
    {
      id: 'Kc66fV',
      name: '블랙프라이데이 사전 알림',
      tags: ['블랙프라이데이', '11월', '프로모션'],
      weekdays: [1, 3, 5],
      hours: 'lunch',
      volume: 700,
    },
    [
      { channel: 'brand-message', sub: 'basic', target: 'M', share: 0.45 },
      { channel: 'brand-message', sub: 'basic', target: 'N', share: 0.2 },
      { channel: 'brand-message', sub: 'free-form', target: 'I', share: 0.35 },
    ],
    { title: '블랙프라이데이 미리보기', body: '{상품}을(를) {가격}원에.', path: '/event/black-friday' },
    ['구매 완료', '알림 신청'],
  ),
  campaign(
    {
      id: 'Kc67gB',
      name: '블랙프라이데이 본행사',
      tags: ['블랙프라이데이', '11월', '프로모션'],
      weekdays: [5, 6],
      hours: 'morning',
      volume: 800,
    },
    [
      { channel: 'brand-message', sub: 'basic', target: 'M', share: 0.6 },
      { channel: 'brand-message', sub: 'free-form', target: 'M', share: 0.4 },
    ],
    { title: '오늘 단 하루, 블랙프라이데이', body: '{상품} {가격}원', path: '/event/black-friday' },
  ),
  // Three arms without any true difference: who finds a winner here has found noise.
  campaign(
    {
      id: 'mX4s0J',
      name: '겨울 신상 룩북',
      tags: ['신상품', '겨울'],
      weekdays: [2, 4],
      hours: 'morning',
      volume: 600,
    },
    [email],
    {
      title: '겨울 신상 룩북이 도착했어요',
      body: '올겨울 가장 먼저 만나는 {상품}.',
      path: '/lookbook/winter',
    },
    ['구매 완료'],
    [
      { name: 'A', lift: 1 },
      { name: 'B', title: '먼저 보여드리는 겨울 신상', lift: 1 },
      { name: 'C', title: '당신을 위한 겨울 룩북', lift: 1 },
    ],
  ),
  campaign(
    {
      id: 'T9yLw3',
      name: '주간 베스트 상품 레터',
      tags: ['뉴스레터'],
      weekdays: [1, 5],
      hours: 'morning',
      volume: 550,
    },
    [email],
    {
      title: '이번 주 가장 많이 찾은 상품',
      body: '1위는 {상품}입니다. 지금 {가격}원에 만나보세요.',
      path: '/best/weekly',
    },
  ),
  campaign(
    {
      id: 'd7Hp5U',
      name: '휴면 고객 복귀 쿠폰',
      tags: ['휴면', '쿠폰', '리텐션'],
      weekdays: [3],
      hours: 'lunch',
      volume: 450,
    },
    [text('LMS')],
    {
      title: '(광고) 오랜만이에요',
      body: '돌아오신 고객님께 15% 쿠폰을 드립니다. {상품}도 {가격}원에.',
      path: '/comeback',
    },
    ['구매 완료', '로그인'],
  ),
  campaign(
    {
      id: 'F2gQe9',
      name: '주말 특가 문자',
      tags: ['프로모션', '주말'],
      weekdays: [5, 6],
      hours: 'evening',
      volume: 420,
    },
    [text('MMS', 0.7), text('LMS', 0.3)],
    { title: '(광고) 주말 특가', body: '이번 주말만 {상품} {가격}원!', path: '/weekend' },
  ),
  campaign(
    {
      id: 'pV1cN6',
      name: '결제 실패 안내',
      tags: ['결제', '자동발송'],
      weekdays: EVERY_DAY,
      hours: 'service',
      volume: 90,
    },
    [text('SMS')],
    { title: '결제 실패', body: '결제가 완료되지 않았습니다. 결제 수단을 확인해 주세요.', path: '/payment' },
    ['결제 재시도'],
  ),
];
