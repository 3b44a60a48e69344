/**
 * The ten channels of the specification: what is measured on each, at what rates, and why sends fail.
 *
 * Event names are those of the field notes; `email_open` and `email_click` are examples of the "more exist".
 */

export const CHANNEL_NAMES = [
  ...(['push-notification', 'text-message', 'email', 'friendtalk', 'alimtalk'] as const),
  ...(['brand-message', 'in-app-message', 'in-web-message', 'web-push-notification', 'webhook'] as const),
] as const;

export type Channel = (typeof CHANNEL_NAMES)[number];

/** An event that some share of the messages leads to. */
interface Reaction {
  readonly event: string;
  readonly rate: number;
}

interface ChannelRules {
  /** Share of the sends that fail. */
  readonly failure: number;
  readonly reasons: readonly string[];
  /** The event counted as `delivered`, of the successful sends; null where the channel does not support it. */
  readonly delivered: Reaction | null;
  /** The event counted as `click`, of the delivered (or else the successful) ones; null where not supported. */
  readonly click: Reaction | null;
  /** The share of the clicks that come only on the day after the send. */
  readonly lateClicks: number;
  /** Events that no counter counts: opening, closing. Those of clickers come first, unless `apart`. */
  readonly other: readonly (Reaction & { readonly apart: boolean })[];
  /** Whether a failed send is tried again as a text message, and how often that works (alimtalk). */
  readonly failover: number | null;
  /** Conversions per successful send: all, and those that directly follow a click. */
  readonly conversion: { readonly total: number; readonly direct: number };
}

const quiet = {
  delivered: null,
  click: null,
  lateClicks: 0,
  other: [],
  failover: null,
} satisfies Partial<ChannelRules>;

/** Why text messages fail; also the reason when a failover fails. */
export const TEXT_REASONS = [
  '수신번호 오류',
  '단말기 전원 꺼짐',
  '4420',
  '수신 거부된 번호',
  '이동통신사 응답 시간 초과 (4405)',
] as const;

const CHATAPP_REASONS = [
  '수신자가 채팅앱 사용자가 아님',
  '3018',
  'NotAvailableSendMessageException',
  '발신 프로필이 차단됨',
  'InvalidPhoneNumberException',
] as const;

export const CHANNELS: Record<Channel, ChannelRules> = {
  'push-notification': {
    ...quiet,
    failure: 0.03,
    reasons: ['NotRegistered', 'InvalidRegistration', '푸시 토큰이 만료되었습니다', 'MismatchSenderId'],
    delivered: { event: 'push_delivered', rate: 0.92 },
    click: { event: 'push_click', rate: 0.045 },
    lateClicks: 0.2,
    conversion: { total: 0.018, direct: 0.006 },
  },
  'text-message': {
    ...quiet,
    failure: 0.015,
    reasons: TEXT_REASONS,
    conversion: { total: 0.021, direct: 0 },
  },
  email: {
    ...quiet,
    failure: 0.02,
    reasons: ['550 5.1.1 user unknown', '수신함 용량 초과', '421 4.7.0 try again later', '스팸으로 거부됨'],
    click: { event: 'email_click', rate: 0.035 },
    lateClicks: 0.35,
    other: [{ event: 'email_open', rate: 0.28, apart: false }],
    conversion: { total: 0.012, direct: 0.004 },
  },
  friendtalk: {
    ...quiet,
    failure: 0.06,
    reasons: CHATAPP_REASONS,
    conversion: { total: 0.024, direct: 0 },
  },
  alimtalk: {
    ...quiet,
    failure: 0.04,
    reasons: [...CHATAPP_REASONS, '템플릿과 일치하지 않음', 'NoMatchedTemplateException'],
    failover: 0.9,
    conversion: { total: 0.03, direct: 0 },
  },
  'brand-message': {
    ...quiet,
    failure: 0.08,
    reasons: [...CHATAPP_REASONS, '마케팅 수신 동의 없음'],
    conversion: { total: 0.026, direct: 0 },
  },
  'in-app-message': {
    ...quiet,
    failure: 0.004,
    reasons: ['SDK_VERSION_NOT_SUPPORTED', '이미지를 불러오지 못함'],
    delivered: { event: 'in_app_message_show', rate: 0.7 },
    click: { event: 'main_button_click', rate: 0.12 },
    other: [{ event: 'close_button_click', rate: 0.46, apart: true }],
    conversion: { total: 0.03, direct: 0.014 },
  },
  'in-web-message': {
    ...quiet,
    failure: 0.006,
    reasons: ['팝업이 차단됨', 'SDK_VERSION_NOT_SUPPORTED'],
    delivered: { event: 'in_web_message_show', rate: 0.8 },
    click: { event: 'main_button_click', rate: 0.09 },
    other: [{ event: 'close_button_click', rate: 0.52, apart: true }],
    conversion: { total: 0.027, direct: 0.011 },
  },
  'web-push-notification': {
    ...quiet,
    failure: 0.05,
    reasons: ['410 Gone', '브라우저 알림 권한이 해제됨', 'push subscription has expired'],
    delivered: { event: 'push_delivered', rate: 0.85 },
    click: { event: 'push_click', rate: 0.03 },
    lateClicks: 0.15,
    conversion: { total: 0.011, direct: 0.004 },
  },
  webhook: {
    ...quiet,
    failure: 0.01,
    reasons: ['HTTP 500', 'timeout of 5000ms exceeded', 'HTTP 429'],
    conversion: { total: 0, direct: 0 },
  },
};

/** A deployment's words for `service_` and `chatapp`. */
export interface Words {
  readonly brand: string;
  readonly messenger: string;
  /** How export records spell the push channel; the statistics always use the hyphen. */
  readonly pushChannelSpelling: 'push-notification' | 'push_notification';
}

/** The channel as the statistics (E17, E18, E19) spell it. */
export function channelName(channel: Channel, words: Words): string {
  switch (channel) {
    case 'friendtalk':
    case 'alimtalk':
    case 'brand-message':
      return `${words.messenger}-${channel}`;
    default:
      return channel;
  }
}

/** The channel as export records (E21) spell it. */
export function exportChannelName(channel: Channel, words: Words): string {
  return channel === 'push-notification' ? words.pushChannelSpelling : channelName(channel, words);
}
