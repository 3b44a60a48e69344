/** The words of the page in both languages. Sentences about answers are in sql/queries. */
import type { Words } from '../../warehouse/dictionary.js';

const text = (en: string, ko: string): Words => ({ en, ko });

export const WORDS = {
  // Around the sections.
  title: text('Message report', '메시지 발송 리포트'),
  noDay: text('no day yet', '데이터 없음'),
  made: text(
    'Days and times are Korean (KST). Made by Dawnload on {made}.',
    '날짜와 시각은 한국 시간(KST) 기준입니다. 생성: {made} (Dawnload).',
  ),
  next: text(
    '{next_date} follows after 07:00 KST on {morning_date}.',
    '{next_date} 통계는 {morning_date} 오전 7시 이후에 나옵니다.',
  ),
  contents: text('Contents', '목차'),
  happened: text('At a glance', '한눈에 보기'),
  howCounted: text('How these figures are counted', '수치 집계 기준'),
  standsOut: text('What stands out', '눈에 띄는 점'),
  nothingStandsOut: text('No significant changes.', '유의미한 변화가 없습니다.'),
  toDo: text('Do next', '추천 액션'),
  nothingToDo: text('No action needed.', '지금 필요한 액션이 없습니다.'),
  moreToDo: text('{left} more', '{left}건 더 보기'),
  moreRows: text('{left} more {left#row|rows}', '{left}개 더 보기'),
  notDrawn: text('This part could not be shown: {reason}', '이 부분을 표시하지 못했습니다. {reason}'),
  about: text('About the data', '데이터 안내'),
  commands: text('Queries behind this page', '이 페이지의 쿼리'),
  seeAbout: text('See “About the data”.', '‘데이터 안내’를 확인하세요.'),
  // Charts and tiles.
  ofRevenue: text('one goal of each campaign, without journeys', '캠페인별 한 목표 기준, 여정 제외'),
  ofConversions: text('“{goal}”, campaigns and journeys', '‘{goal}’, 캠페인·여정 합계'),
  ofPriced: text(
    'campaigns and journeys; channels with a price: {channels}',
    '캠페인·여정 합계, 단가가 있는 채널: {channels}',
  ),
  ofAllPriced: text('campaigns and journeys, all channels', '캠페인·여정 합계, 전체 채널'),
  ofDeliveries: text('of messages that did not fail: {channels}', '발송 성공 대비: {channels}'),
  ofClicks: text(
    'of messages that did not fail, or were shown: {channels}',
    '발송 성공·노출 대비: {channels}',
  ),
  ofSent: text('all channels, including failures', '전체 채널, 실패 포함'),
  ofPeople: text('people who got a message, except in-app and in-web', '메시지를 받은 사람(인앱·인웹 제외)'),
  ofFailures: text('of messages sent, all channels', '전체 채널 발송 대비'),
  ofOpenings: text('opens per e-mail that did not fail', '발송에 성공한 이메일 대비'),
  ofHoldout: text('holdout “{holdout}”', '홀드아웃 ‘{holdout}’'),
  severalGoals: text('several goals, not added up', '목표가 달라 합산하지 않음'),
  mostADay: text('up to {most} a day', '하루 최대 {most}'),
  weekBefore: text('week before {value}', '전주 {value}'),
  eachDay: text('a day: {low} to {high}', '하루 {low}~{high}'),
  partOfWeek: text('{days} available {days#day|days}', '{days}일분 데이터'),
  weekBeforeAtLeast: text(
    'week before: at least {value} (texts in place of failed messages not counted)',
    '전주 최소 {value}(대체 발송 문자 미집계)',
  ),
  noWeekBefore: text('no data for the whole previous week', '전주 전체 데이터 없음'),
  trend: text(
    '{name}: 28 days to {day}, the last seven marked; {first} on the first day, {last} on the last',
    '{name}, {day}까지 28일의 추이(최근 7일 표시). 첫날 {first}, 마지막 날 {last}',
  ),
  better: text('✓ better', '✓ 개선'),
  worse: text('✗ worse', '✗ 악화'),
  same: text('≈ normal variation', '≈ 평소 수준의 변동'),
  more: text('▲ more', '▲ 증가'),
  fewer: text('▼ fewer', '▼ 감소'),
  ofOptOuts: text('requests to 080 numbers', '080 수신거부 요청'),
  // Titles of sections.
  channels: text('Channels', '채널'),
  campaigns: text('Campaigns', '캠페인'),
  tests: text('A/B tests', 'A/B 테스트'),
  revenue: text('Revenue', '매출'),
  journeys: text('User journeys', '유저 여정'),
  calendar: text('Sending calendar', '발송 캘린더'),
  hours: text('When messages are clicked', '요일·시간대별 클릭률'),
  responses: text('Time to click', '클릭까지 걸린 시간'),
  audience: text('People', '수신자'),
  optOuts: text('Opt-outs', '수신거부'),
  templates: text('Templates', '템플릿'),
  failures: text('Failures and ad rules', '발송 실패·광고 점검'),
  freshness: text('Freshness', '데이터 최신성'),
  restated: text('Restated days', '정정된 날짜'),
  findings: text('Checks', '데이터 검사'),
  fees: text('Export fees', '이벤트 내보내기 비용'),
  // Captions of tables.
  channelDays: text('28 days by channel; one scale per counter', '채널별 28일 추이(지표마다 같은 축)'),
  channelRates: text(
    'Rates of the last seven days by channel, with the change from the week before',
    '채널별 최근 7일 비율과 전주 대비 변화',
  ),
  earned: text(
    'What messages added, compared with people who get none, with a 95% interval',
    '미발송 그룹과의 차이(선: 95% 신뢰 구간)',
  ),
  watched: text(
    'Campaigns whose click rate differs significantly from others on their channel',
    '같은 채널의 다른 캠페인과 클릭률이 유의미하게 차이 나는 캠페인',
  ),
  allCampaigns: text(
    'All campaigns of the last seven days, with the change from the week before',
    '최근 7일의 모든 캠페인과 전주 대비 변화',
  ),
  testArms: text('Difference from the baseline with its interval', '기준안과의 차이와 신뢰 구간'),
  dailySales: text('Revenue of campaigns by day', '일별 캠페인 매출'),
  channelSales: text(
    'Revenue and cost of campaigns in the last seven days by channel, without journeys; cost where a price is set',
    '최근 7일 채널별 캠페인 매출과 비용(여정 제외, 비용은 단가가 설정된 채널만)',
  ),
  sales: text(
    'Campaigns by revenue in 28 days, as the service attributes it',
    '최근 28일 캠페인 기여 매출(메시지 서비스 집계 기준)',
  ),
  funnels: text('Messages by step', '단계별 메시지'),
  sentDays: text('Messages of each campaign and user journey by day', '캠페인·유저 여정별 일별 발송량'),
  heatmap: text('Click rate (%) by hour and weekday of sending', '발송 시각·요일별 클릭률(%)'),
  bestHours: text('The hour with each campaign’s highest click rate', '캠페인별로 클릭률이 가장 높은 시간대'),
  clickTimes: text(
    'Time from sending to half and to 90% of the clicks',
    '발송부터 클릭의 50%, 90%가 일어날 때까지 걸린 시간',
  ),
  pressure: text('People by number of messages', '수신 건수별 수신자'),
  reached: text('Recipients of each campaign or journey', '캠페인·여정별 수신자 수(중복 제외)'),
  followed: text(
    'Opt-outs within 72 hours per 1,000 messages, and the difference from other messages',
    '발송 1,000건당 72시간 내 수신거부, 다른 메시지 대비 차이',
  ),
  sentTemplates: text('Templates, most sent first', '템플릿(발송 많은 순)'),
  adRules: text(
    'Campaigns and journeys whose ads break a rule',
    '광고 표시·수신거부·야간 발송을 점검할 캠페인·여정',
  ),
  causes: text('Failed sends by cause, with the texts of the reasons', '원인별 발송 실패와 사유 문구'),
  streams: text('Available and missing days by type of data', '데이터 종류별 적재·누락 날짜'),
  changes: text('Changes by day and counter', '날짜·지표별 변동'),
  testsOfData: text('Problems found by the latest checks', '최근 데이터 검사에서 발견된 문제'),
  feesByMonth: text('Records paid for, by the month of the request', '요청한 달별 유료 레코드'),
  budget: text('Export budget of the month', '이번 달 내보내기 예산'),
  // How to read a chart.
  readCompared: text('● click rate, dashes: the rate of the others', '● 클릭률, 점선은 다른 캠페인'),
  readInterval: text(
    'an interval across the dashed line: possibly no difference',
    '선이 점선(차이 0)에 닿으면 차이가 있다고 보기 어려움',
  ),
  readScale: text('scale: {low} to {high}', '눈금: {low}~{high}'),
  readHeatmap: text('dashes: fewer than 100 messages', '–는 메시지 100건 미만'),
  readNamed: text('framed: the hour named above', '테두리: 위 문장의 시간대'),
  readDays: text('from {first} to {last}', '{first}\u2060~\u2060{last}'),
  // What the page says about the last run.
  runFailed: text(
    'The last run failed, so this page shows an earlier night.',
    '마지막 실행이 실패하여 그 전의 데이터를 표시합니다.',
  ),
  runIncomplete: text(
    'The last run is incomplete: the latest days may lack data, or a later step failed.',
    '마지막 실행이 일부만 완료되었습니다. 최근 날짜에 빠진 부분이 있거나 수집 이후 단계가 실패했습니다.',
  ),
  lastFailed: text(
    'The last run ({run}) failed: {failure} The report shows the data from before that run.',
    '마지막 실행({run})이 실패했습니다. {failure} 이 리포트는 그 전까지 수집한 데이터입니다.',
  ),
  lastWithheld: text(
    'The last run ({run}) was not published; checks that failed: {checks}. The report shows the data from before that run.',
    '마지막 실행({run})의 결과가 게시되지 않았습니다(실패한 검사: {checks}). 이 리포트는 그 전의 데이터입니다.',
  ),
  lastIncomplete: text(
    'The last run ({run}) is incomplete. `dawnload status` shows what is missing. If nothing is missing, a step after loading failed; the output of the run names it.',
    '마지막 실행({run})이 일부만 완료되었습니다. 빠진 항목은 `dawnload status`로 확인하세요. 빠진 항목이 없으면 수집 이후 단계가 실패한 것이며, 실행 출력에서 확인할 수 있습니다.',
  ),
} satisfies Record<string, Words>;

export type Word = keyof typeof WORDS;

const CAMPAIGN = text('Campaign', '캠페인');
const CHANGE = text('Change', '변화');

/** Headers of columns that would be unclear without context. */
export const HEADS: Readonly<Record<string, Words>> = {
  campaign_name: CAMPAIGN,
  channel_or_campaign: CAMPAIGN,
  item: CAMPAIGN,
  resource_name: text('Campaign or journey', '캠페인·여정'),
  variant_name: text('Variant', '테스트안'),
  template_name: text('Template', '템플릿'),
  user_journey_node_name: text('Step', '단계'),
  sent_change: CHANGE,
  metric: text('Added by messages', '메시지 효과'),
  unmarked_ads: text('Without “(광고)”', '광고 표시 없음'),
  late_mark_ads: text('“(광고)” not first', '광고 표시 위치 오류'),
  without_opt_out: text('Without opt-out', '수신거부 안내 없음'),
  night_ads: text('At night', '야간 발송'),
  cost_return: text('Revenue per cost', '비용 대비 매출'),
  incremental: text('Added', '늘어난 양'),
  change: CHANGE,
  same_day_rate: text('Click rate, same days and campaigns', '클릭률(같은 날·캠페인)'),
  click_rate_points: CHANGE,
  failure_rate_points: CHANGE,
  week_click_rate: text('This week', '이번 주'),
  previous_click_rate: text('Week before', '전주'),
  rate: text('Rate', '비율'),
  difference_low: text('95% interval', '95% 신뢰 구간'),
  change_low: text('Interval', '신뢰 구간'),
  lift_low: text('Interval', '신뢰 구간'),
  per_thousand_low: text('Interval', '신뢰 구간'),
  share_of_first: text('Of the first step', '첫 단계 대비'),
  shrunk_click_rate: text('Click rate, allowing for chance', '클릭률(적은 건수 보정)'),
  click_rate_of_all: text('Click rate of all hours', '전체 시간대 클릭률'),
  p50_seconds: text('50%', '50%'),
  p90_seconds: text('90%', '90%'),
  share_within_hour: text('Within an hour', '1시간 이내'),
  responses: text('Clicks', '클릭'),
  clicker_share: text('People who clicked', '클릭한 고객 비율'),
};
