/** The shop's user journeys: three to five steps, each with fewer people than the one before. */
import { EVERY_DAY, type Copy, type Journey, type JourneyNode, type Leg } from './resource.js';

function node(id: string, name: string, leg: Omit<Leg, 'share'>, remaining: number, copy: Copy): JourneyNode {
  return { id, name, leg: { ...leg, share: 1 }, remaining, copy };
}

export const JOURNEYS: readonly Journey[] = [
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
