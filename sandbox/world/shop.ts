/** The campaigns and user journeys of a fictional shop. */
import { parse } from 'yaml';
import { z } from 'zod';
import { CHANNEL_NAMES } from './channels.js';
import { CURVE_NAMES } from './hours.js';

const text = z.string();

/** The text of a message; `{상품}` and `{가격}` are filled in per message. The path is of the page that it leads to. */
const Copy = z.object({ title: text, body: text, path: text });

/** A channel, with its sub-channel and target if it has them. */
const Leg = z.object({
  channel: z.enum(CHANNEL_NAMES),
  sub: text.optional(),
  /** A brand message's target: M all who agreed to marketing, N the non-friends among them, I the friends. */
  target: z.enum(['M', 'N', 'I']).optional(),
  share: z.number().default(1),
});

const Resource = z.object({
  id: text,
  name: text,
  tags: z.array(text),
  /** Days of the week on which it sends, 0 = Sunday. */
  weekdays: z.array(z.number()).default([0, 1, 2, 3, 4, 5, 6]),
  hours: z.enum(CURVE_NAMES),
  /** Sends of one sending day, relative to the other resources. */
  volume: z.number(),
  /** Its measured conversions, the most frequent first. */
  conversions: z.array(text),
});

/** An arm of an A/B test: `lift` compares its true click and conversion rates to the channel's. */
const Variant = z.object({ name: text, title: text.optional(), lift: z.number() });

const Campaign = Resource.extend({
  legs: z.array(Leg),
  /** None when it is not an A/B test. */
  variants: z.array(Variant).default([]),
  copy: Copy,
});

/** `remaining` is the share of people in the journey who reach this step. */
const Node = z.object({ id: text, name: text, leg: Leg, remaining: z.number(), copy: Copy });

const Journey = Resource.extend({ nodes: z.array(Node) });

export type Copy = z.output<typeof Copy>;
export type Leg = z.output<typeof Leg>;
export type Campaign = z.output<typeof Campaign>;
export type Journey = z.output<typeof Journey>;

const SHOP = String.raw`
campaigns:
  # The planted difference: B's coupon truly works better, by about half.
  - { id: Qh3vT8, name: "11월 재구매 유도", tags: [리텐션, 재구매, "11월"], weekdays: [1, 2, 3, 4, 5], hours: morning, volume: 900,
      legs: [{ channel: push-notification }], conversions: [구매 완료, 장바구니 담기],
      variants: [{ name: A, lift: 1 }, { name: B, title: "다시 오시면 5,000원 할인", lift: 1.5 }],
      copy: { title: 다시 만나서 반가워요, body: "지난번에 보신 {상품}, 지금 {가격}원에 만나보세요.", path: /re/november } }
  - { id: a8LmZ2, name: 장바구니 이탈 알림, tags: [장바구니, 자동발송], hours: behaviour, volume: 650,
      legs: [{ channel: push-notification }], conversions: [구매 완료, 장바구니 담기],
      copy: { title: 장바구니에 담아두셨어요, body: "{상품}이(가) 기다리고 있어요. 품절되기 전에 확인해 보세요.", path: /cart } }
  - { id: wE91kd, name: 신규 가입 환영, tags: [온보딩, 자동발송], hours: service, volume: 220,
      legs: [{ channel: alimtalk }], conversions: [첫 구매],
      copy: { title: 가입을 환영합니다, body: 첫 구매에 쓰실 수 있는 쿠폰을 넣어 드렸습니다., path: /welcome } }
  - { id: Zt20Pq, name: 주문 완료 안내, tags: [주문, 자동발송], hours: service, volume: 420,
      legs: [{ channel: alimtalk }], conversions: [],
      copy: { title: 주문이 완료되었습니다, body: "상품명: {상품}\n결제금액: {가격}원", path: /orders } }
  - { id: b5Rn7x, name: 배송 출발 안내, tags: [배송, 자동발송], weekdays: [1, 2, 3, 4, 5, 6], hours: evening, volume: 380,
      legs: [{ channel: alimtalk }], conversions: [],
      copy: { title: 상품이 출발했습니다, body: "{상품}이(가) 오늘 출발하여 내일 도착할 예정입니다.", path: /orders/delivery } }
  - { id: Kc66fV, name: 블랙프라이데이 사전 알림, tags: [블랙프라이데이, "11월", 프로모션], weekdays: [1, 3, 5], hours: lunch, volume: 700,
      legs: [{ channel: brand-message, sub: basic, target: M, share: 0.45 }, { channel: brand-message, sub: basic, target: "N", share: 0.2 }, { channel: brand-message, sub: free-form, target: I, share: 0.35 }], conversions: [구매 완료, 알림 신청],
      copy: { title: 블랙프라이데이 미리보기, body: "{상품}을(를) {가격}원에.", path: /event/black-friday } }
  - { id: Kc67gB, name: 블랙프라이데이 본행사, tags: [블랙프라이데이, "11월", 프로모션], weekdays: [5, 6], hours: morning, volume: 800,
      legs: [{ channel: brand-message, sub: basic, target: M, share: 0.6 }, { channel: brand-message, sub: free-form, target: M, share: 0.4 }], conversions: [구매 완료],
      copy: { title: "오늘 단 하루, 블랙프라이데이", body: "{상품} {가격}원", path: /event/black-friday } }
  # Three arms without any true difference: who finds a winner here has found noise.
  - { id: mX4s0J, name: 겨울 신상 룩북, tags: [신상품, 겨울], weekdays: [2, 4], hours: morning, volume: 600,
      legs: [{ channel: email }], conversions: [구매 완료],
      variants: [{ name: A, lift: 1 }, { name: B, title: 먼저 보여드리는 겨울 신상, lift: 1 }, { name: C, title: 당신을 위한 겨울 룩북, lift: 1 }],
      copy: { title: 겨울 신상 룩북이 도착했어요, body: "올겨울 가장 먼저 만나는 {상품}.", path: /lookbook/winter } }
  - { id: T9yLw3, name: 주간 베스트 상품 레터, tags: [뉴스레터], weekdays: [1, 5], hours: morning, volume: 550,
      legs: [{ channel: email }], conversions: [구매 완료],
      copy: { title: 이번 주 가장 많이 찾은 상품, body: "1위는 {상품}입니다. 지금 {가격}원에 만나보세요.", path: /best/weekly } }
  - { id: d7Hp5U, name: 휴면 고객 복귀 쿠폰, tags: [휴면, 쿠폰, 리텐션], weekdays: [3], hours: lunch, volume: 450,
      legs: [{ channel: text-message, sub: LMS }], conversions: [구매 완료, 로그인],
      copy: { title: (광고) 오랜만이에요, body: "돌아오신 고객님께 15% 쿠폰을 드립니다. {상품}도 {가격}원에.", path: /comeback } }
  - { id: F2gQe9, name: 주말 특가 문자, tags: [프로모션, 주말], weekdays: [5, 6], hours: evening, volume: 420,
      legs: [{ channel: text-message, sub: MMS, share: 0.7 }, { channel: text-message, sub: LMS, share: 0.3 }], conversions: [구매 완료],
      copy: { title: (광고) 주말 특가, body: "이번 주말만 {상품} {가격}원!", path: /weekend } }
  - { id: pV1cN6, name: 결제 실패 안내, tags: [결제, 자동발송], hours: service, volume: 90,
      legs: [{ channel: text-message, sub: SMS }], conversions: [결제 재시도],
      copy: { title: 결제 실패, body: 결제가 완료되지 않았습니다. 결제 수단을 확인해 주세요., path: /payment } }
  - { id: r0SdY4, name: 친구 전용 할인, tags: [프로모션, 친구], weekdays: [1, 4], hours: lunch, volume: 480,
      legs: [{ channel: friendtalk, sub: text, share: 0.4 }, { channel: friendtalk, sub: image, share: 0.6 }], conversions: [구매 완료],
      copy: { title: 친구에게만 드려요, body: "(광고) 채널 친구 전용 {상품} {가격}원.\n수신 거부: 홈 > 채널 차단", path: /friends } }
  - { id: J8aXo1, name: 앱 첫 화면 기획전 배너, tags: [기획전, 인앱], hours: service, volume: 340,
      legs: [{ channel: in-app-message, sub: COMMERCE }], conversions: [구매 완료, 장바구니 담기],
      copy: { title: 이 주의 기획전, body: "{상품}, 앱에서만 {가격}원", path: /exhibition } }
  - { id: n6Bt2K, name: 리뷰 작성 요청, tags: [리뷰, 인앱], hours: behaviour, volume: 260,
      legs: [{ channel: in-app-message, sub: WIDE_ITEM_LIST }], conversions: [리뷰 작성],
      variants: [{ name: A, lift: 1 }, { name: B, title: 리뷰 쓰고 500원 받기, lift: 1.06 }],
      copy: { title: "구매하신 상품은 어떠셨나요?", body: "{상품}의 후기를 남겨 주세요.", path: /reviews/new } }
  - { id: E5uWm8, name: 웹 첫 방문 쿠폰, tags: [쿠폰, 인웹, 온보딩], hours: service, volume: 300,
      legs: [{ channel: in-web-message, sub: WIDE_ITEM_LIST }], conversions: [회원 가입, 첫 구매],
      copy: { title: "처음 오셨나요?", body: "{상품} 10% 쿠폰을 받아가세요.", path: /coupon/first } }
  - { id: c3IzG7, name: 웹 장바구니 리마인드, tags: [장바구니, 인웹], hours: behaviour, volume: 180,
      legs: [{ channel: in-web-message, sub: COMMERCE }], conversions: [구매 완료],
      copy: { title: 담아두신 상품이 있어요, body: "{상품} {가격}원", path: /cart } }
  - { id: L4oDr5, name: 가격 인하 알림, tags: [가격, 자동발송], hours: behaviour, volume: 250,
      legs: [{ channel: web-push-notification }], conversions: [구매 완료],
      copy: { title: 가격이 내려갔어요, body: "{상품}이(가) {가격}원이 되었어요.", path: /price-drop } }
  - { id: x1MjC0, name: 재입고 알림, tags: [재입고, 자동발송], weekdays: [1, 2, 3, 4, 5], hours: lunch, volume: 160,
      legs: [{ channel: web-push-notification, share: 0.5 }, { channel: push-notification, share: 0.5 }], conversions: [구매 완료],
      copy: { title: 기다리시던 상품이 다시 들어왔어요, body: "{상품} 재입고. 수량이 많지 않아요.", path: /restock } }
  - { id: y7Fk3H, name: 회원 등급 변경 연동, tags: [연동], hours: service, volume: 70,
      legs: [{ channel: webhook }], conversions: [],
      copy: { title: grade-changed, body: 회원 등급이 변경되었습니다., path: /hooks/grade } }
  - { id: u2NqA9, name: 적립금 소멸 예정 안내, tags: [적립금], weekdays: [1], hours: morning, volume: 300,
      legs: [{ channel: alimtalk, share: 0.8 }, { channel: text-message, sub: LMS, share: 0.2 }], conversions: [구매 완료],
      copy: { title: 적립금이 곧 사라져요, body: "7일 뒤 적립금이 소멸됩니다. {상품}에 사용해 보세요.", path: /points } }
  - { id: S6eVb4, name: 생일 축하 쿠폰, tags: [쿠폰, 자동발송], hours: morning, volume: 60,
      legs: [{ channel: push-notification }], conversions: [구매 완료],
      copy: { title: 생일 축하해요, body: "오늘 하루 {상품}을(를) {가격}원에 드려요.", path: /birthday } }
  - { id: h9TyP2, name: VIP 고객 감사 안내, tags: [VIP, 리텐션], weekdays: [2, 5], hours: lunch, volume: 240,
      legs: [{ channel: push-notification, share: 0.55 }, { channel: friendtalk, sub: text, share: 0.45 }], conversions: [구매 완료],
      copy: { title: VIP 고객님께 감사드려요, body: "VIP 전용 {상품} {가격}원.", path: /vip } }
  - { id: g0KwX6, name: 앱 업데이트 안내, tags: [공지], weekdays: [2], hours: evening, volume: 520,
      legs: [{ channel: push-notification }], conversions: [앱 실행],
      copy: { title: 앱이 새로워졌어요, body: "더 빨라진 검색으로 {상품}을(를) 찾아보세요.", path: /notice/update } }
journeys:
  - { id: uj-onb01, name: 신규 회원 온보딩, tags: [온보딩], hours: behaviour, volume: 240, conversions: [첫 구매],
      nodes: [
        { id: n1k2, name: 환영 푸시, leg: { channel: push-notification }, remaining: 1,
          copy: { title: "반가워요!", body: "가입 선물로 {상품} 할인 쿠폰을 드려요.", path: /welcome } },
        { id: n2p7, name: 첫 구매 쿠폰, leg: { channel: alimtalk }, remaining: 0.74,
          copy: { title: 첫 구매 쿠폰 안내, body: 첫 구매 쿠폰이 3일 남았습니다., path: /coupon/first } },
        { id: n3x4, name: 이용 안내 메일, leg: { channel: email }, remaining: 0.52,
          copy: { title: 이렇게 이용해 보세요, body: "{상품}처럼 인기 있는 상품을 모았습니다.", path: /guide } },
        { id: n4c9, name: 혜택 인앱 배너, leg: { channel: in-app-message, sub: COMMERCE }, remaining: 0.38,
          copy: { title: 이번 주까지 쓸 수 있어요, body: "{상품} {가격}원", path: /coupon/first } },
        { id: n5v1, name: 마지막 문자, leg: { channel: text-message, sub: LMS }, remaining: 0.21,
          copy: { title: (광고) 쿠폰이 오늘 끝나요, body: 오늘이 지나면 첫 구매 쿠폰이 사라집니다., path: /coupon/first } },
      ] }
  - { id: uj-win02, name: 이탈 고객 되살리기, tags: [리텐션, 휴면], hours: lunch, volume: 210, conversions: [구매 완료, 로그인],
      nodes: [
        { id: n1a5, name: 안부 푸시, leg: { channel: push-notification }, remaining: 1,
          copy: { title: "요즘 어떻게 지내세요?", body: "새로 들어온 {상품}을(를) 보여드릴게요.", path: /new } },
        { id: n2b6, name: 추천 친구톡, leg: { channel: friendtalk, sub: image }, remaining: 0.66,
          copy: { title: "이 상품은 어떠세요?", body: "(광고) {상품} {가격}원", path: /recommend } },
        { id: n3c7, name: 할인 브랜드 메시지, leg: { channel: brand-message, sub: free-form, target: "N" }, remaining: 0.41,
          copy: { title: "돌아오시면 15% 할인", body: "{상품} {가격}원", path: /comeback } },
        { id: n4d8, name: 마지막 문자, leg: { channel: text-message, sub: SMS }, remaining: 0.2,
          copy: { title: (광고) 마지막 안내, body: "(광고) 15% 쿠폰이 오늘 끝납니다.", path: /comeback } },
      ] }
  - { id: uj-rev03, name: 구매 후 리뷰 여정, tags: [리뷰], hours: evening, volume: 180, conversions: [리뷰 작성],
      nodes: [
        { id: n1r1, name: 배송 완료 알림톡, leg: { channel: alimtalk }, remaining: 1,
          copy: { title: 배송이 완료되었습니다, body: "{상품}은(는) 잘 받으셨나요?", path: /orders } },
        { id: n2r2, name: 리뷰 요청 인앱, leg: { channel: in-app-message, sub: WIDE_ITEM_LIST }, remaining: 0.57,
          copy: { title: 한 줄이면 충분해요, body: "{상품}의 후기를 남겨 주세요.", path: /reviews/new } },
        { id: n3r3, name: 리뷰 적립금 푸시, leg: { channel: push-notification }, remaining: 0.33,
          copy: { title: 리뷰 적립금 500원, body: "{상품} 후기를 쓰고 적립금을 받으세요.", path: /reviews/new } },
      ] }
  - { id: uj-sub04, name: 정기 구독 갱신, tags: [구독], hours: morning, volume: 120, conversions: [구독 갱신],
      nodes: [
        { id: n1s1, name: 갱신 안내 메일, leg: { channel: email }, remaining: 1,
          copy: { title: 구독이 곧 갱신됩니다, body: "다음 결제 금액은 {가격}원입니다.", path: /subscription } },
        { id: n2s2, name: 결제 전 알림톡, leg: { channel: alimtalk }, remaining: 0.83,
          copy: { title: 내일 결제됩니다, body: "결제 예정 금액은 {가격}원입니다.", path: /subscription } },
        { id: n3s3, name: 해지 방지 웹 푸시, leg: { channel: web-push-notification }, remaining: 0.31,
          copy: { title: 한 달 더 이용해 보세요, body: "지금 갱신하시면 {상품}을(를) 드려요.", path: /subscription/keep } },
        { id: n4s4, name: 결과 전송, leg: { channel: webhook }, remaining: 0.28,
          copy: { title: subscription-result, body: 구독 갱신 결과, path: /hooks/subscription } },
      ] }
`;

export const { campaigns: CAMPAIGNS, journeys: JOURNEYS } = z
  .object({ campaigns: z.array(Campaign), journeys: z.array(Journey) })
  .parse(parse(SHOP));
