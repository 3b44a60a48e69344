/**
 * Search by words in both languages: each word finds itself, its stem and its synonyms. What has all words comes first; if
 * nothing has, what has most of them.
 */
import { plain } from '../../ground/text.js';

interface Synonyms {
  readonly en: readonly string[];
  readonly ko: readonly string[];
  /** The questions that these words mean, best first. */
  readonly questions: readonly string[];
  /** True if the other words say what is wanted: the best of what. */
  readonly isVague?: boolean;
}

const same = (en: string, ko: string, questions: string): Synonyms => ({
  en: en.split(', '),
  ko: ko.split(', '),
  questions: questions.split(' '),
});

/** Words that marketers use for one thing. */
const SYNONYMS: readonly Synonyms[] = [
  same('open rate, opens, openings', '오픈율, 오픈률, 개봉률, 개봉율, 열람률, 오픈, 개봉', 'event-rates'),
  same(
    'unsubscribe, unsubscribes, unsubscribed, opt-out, opt-outs, opt out',
    '구독 취소, 구독 해지, 수신 거부, 수신거부율',
    'opt-outs opt-outs-after-messages',
  ),
  same(
    'roas, roi, revenue per cost, return on ad spend',
    '비용 대비 매출, 광고 수익률, 로아스',
    'revenue-by-channel',
  ),
  same(
    'winner, a/b test, ab test, split test',
    '승자, 이긴 안, a/b 테스트, ab 테스트, 에이비 테스트',
    'ab-tests',
  ),
  same(
    'cause, causes, reason, reasons, bounce, bounces',
    '원인, 실패 원인, 실패 이유, 실패 사유, 반송',
    'failure-reasons',
  ),
  same(
    'ctr, click rate, click-through rate',
    '클릭률, 클릭율, 클릭 비율',
    'campaign-performance channel-summary contents',
  ),
  {
    ...same(
      'top, best, biggest, highest, ranking',
      '1위, 1등, 가장 큰, 가장 많은, 가장 높은, 가장 좋은, 순위, 랭킹, 상위',
      'campaign-performance',
    ),
    isVague: true,
  },
  same(
    'text, texts, copy, wording, subject line',
    '문구, 카피, 제목, 소재, 멘트',
    'contents template-performance',
  ),
  same('revenue, sales, turnover', '매출, 매출액, 판매액, 수익', 'revenue revenue-by-channel'),
  same('churn, churned, lapsed', '이탈, 이탈률, 이탈 고객, 휴면 고객', 'win-back sunset'),
  same('inactive, dormant, unengaged', '휴면, 비활성, 무반응', 'sunset win-back'),
  same('retention, retention rate', '리텐션, 유지율, 잔존율', 'cohorts'),
  same(
    'repurchase, repurchase rate, buy again, repeat purchase',
    '재구매, 재구매율, 재구매률',
    'repeat-buyers win-back',
  ),
  same('conversion rate, cvr', '전환율, 전환률', 'conversions campaign-performance'),
  same('cpc, cpa, cost per click, spend', '클릭당 비용, 전환당 비용, 광고비, 발송비', 'message-costs'),
  same('delivery rate, deliverability', '도달률, 도달율, 전달률', 'channel-summary'),
  same('incremental, incrementality, lift, holdout', '증분, 순증, 홀드아웃, 대조군', 'uplift'),
  same('best time, send time', '발송 시간, 최적 시간, 보내기 좋은 시간', 'best-hours send-heatmap'),
  same('frequency cap', '빈도 제한, 발송 한도', 'frequency message-pressure'),
  same('vip, best customers', '우수 고객, 단골', 'revenue-by-person'),
  same('failure rate', '실패율, 실패률', 'failure-alarm failure-reasons'),
];

/** Words that choose nothing. */
const FILLERS = new Set(
  [
    'a an and the at by for from in of on to with is are was were',
    'do does did has had have how what when where which who i it me my our us show',
    '그 그리고 및 보여줘 알려줘 우리 좀 중 큰 가장 무엇 뭐 어떤 대한',
  ].flatMap((words) => words.split(' ')),
);

/** Words for days choose a period, which a question does not have in its name. */
const PERIOD =
  /^(?:어제|그제|오늘|지난|최근|이번|작년|올해|지난달|이번달|(?:지난|이번|한)주|\d+(?:일|월|주|년|개월)?(?:간|동안|치)?|yesterday|today|last|past|this|recent|days?|weeks?|months?|years?|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*)$/;

/** What may follow a Korean word without changing what it is about. */
const ENDINGS = /(?:에서|에게|으로|까지|부터|건수|인원|하는|하기|[율률별간들을를은는이가의에로도만수액한])$/;
const ENGLISH_ENDING = /(?<=^[a-z]{4,})(?:ures?|ing|ed|es|s)$/;

const VAGUE = 0.3;
const PERIOD_WEIGHT = 0.1;

interface Term {
  /** As it was written. */
  readonly text: string;
  readonly words: readonly string[];
  readonly synonyms: readonly string[];
  readonly questions: readonly string[];
  /** How much it says about what is wanted. */
  readonly weight: number;
}

const stemsOf = (word: string): string[] => {
  const stems = [word];
  for (let stem = word; stems.length < 3;) {
    const shorter = stem.replace(/[가-힣]/.test(stem) ? ENDINGS : ENGLISH_ENDING, '');
    if (shorter === stem || shorter.length < 2) break;
    stems.push(shorter);
    stem = shorter;
  }
  return stems;
};

/** The most words of a phrase that has synonyms. */
const LONGEST_PHRASE = 4;

const PHRASES = new Map(
  SYNONYMS.flatMap((one) => [...one.en, ...one.ko].map((phrase) => [plain(phrase), one] as const)),
);

function termsOf(search: string): Term[] {
  const words = search
    .trim()
    .split(/\s+/)
    .filter((word) => plain(word) !== '');
  const terms: Term[] = [];
  for (let i = 0; i < words.length;) {
    const lengths = [...Array(Math.min(LONGEST_PHRASE, words.length - i)).keys()].reverse();
    const found = lengths
      .map((more) => {
        const some = words.slice(i, i + more + 1);
        const stem = stemsOf(plain(some.join(''))).find((one) => PHRASES.has(one));
        return { some, group: stem === undefined ? undefined : PHRASES.get(stem) };
      })
      .find(({ group }) => group !== undefined);
    const [some, group] = [found?.some ?? words.slice(i, i + 1), found?.group];
    i += some.length;
    const text = some.join(' ');
    const word = plain(text);
    if (group === undefined && FILLERS.has(word)) continue;
    terms.push({
      text,
      words: stemsOf(word),
      synonyms: group === undefined ? [] : [...group.en, ...group.ko].map(plain),
      questions: group?.questions ?? [],
      weight: group?.isVague === true ? VAGUE : group === undefined && PERIOD.test(word) ? PERIOD_WEIGHT : 1,
    });
  }
  return terms;
}

/** Short Latin words count only as the beginning of a word: top is not in stop. */
function has(text: Text, word: string): boolean {
  if (/^[a-z]{2,3}$/.test(word)) return text.words.some((one) => one.startsWith(word));
  return text.all.includes(word);
}

interface Text {
  readonly all: string;
  readonly words: readonly string[];
}
const textOf = (text: string): Text => ({
  all: plain(text),
  words: text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== ''),
});

/** A synonym is less certain than the word itself. */
const SYNONYM = 0.8;
/** More than a name that has the word. */
const MEANT = 6;
/** What a title is worth: the second of four places. */
const TITLE = 3;
/** For each further word in a name or a title. */
const TOGETHER = 2;
const MOST_PARTIAL = 5;

interface Hit<T> {
  readonly item: T;
  readonly score: number;
  readonly missing: readonly string[];
}

export interface Found<T> {
  readonly items: readonly T[];
  /** The words that the first one lacks, as they were written; empty if all were found. */
  readonly missing: readonly string[];
}

export const NOTHING: Found<never> = { items: [], missing: [] };

/**
 * What has all words, best first; if nothing has, the few that have most of them. A rare word weighs more than a frequent one, and
 * a place more than those after it.
 *
 * @param placesOf the texts of an item, the most important first
 * @param nameOf the name by which synonyms mean an item
 */
export function findWords<T>(
  items: readonly T[],
  search: string,
  placesOf: (item: T) => readonly string[],
  nameOf: (item: T) => string = () => '',
): Found<T> {
  const terms = termsOf(search);
  if (terms.length === 0) return search.trim() === '' ? NOTHING : { items, missing: [] };
  const weights = items.map((item) => {
    const places = placesOf(item).map(textOf);
    const worth = (words: readonly string[]): number => {
      const at = places.findIndex((place) => words.some((word) => has(place, word)));
      return at < 0 ? 0 : places.length - at;
    };
    return terms.map(({ words, synonyms, questions }) => {
      const meant = questions.indexOf(nameOf(item));
      return {
        meant: meant < 0 ? 0 : MEANT - meant,
        said: Math.max(worth(words), SYNONYM * worth(synonyms)),
      };
    });
  });
  const rarity = terms.map((_, i) => {
    const many = weights.filter((of) => (of[i]?.said ?? 0) > 1).length;
    return 1 / (1 + Math.log2(1 + many));
  });
  // Days choose a period, and a rank an order: no question needs to have them.
  const saying = [...terms.keys()].filter((i) => terms[i]?.weight === 1);
  const needed = saying.length === 0 ? [...terms.keys()] : saying;
  const hits = items
    .map((item, nth): Hit<T> => {
      const of = weights[nth] ?? [];
      // Of several nouns, the last is what is wanted.
      const scores = terms.map(
        ({ weight }, i) =>
          weight * (1 + i / 100) * Math.max(of[i]?.meant ?? 0, (of[i]?.said ?? 0) * (rarity[i] ?? 0)),
      );
      const named = terms.filter((_, i) => (of[i]?.said ?? 0) >= SYNONYM * TITLE).length;
      const score = scores.reduce((sum, one) => sum + one, TOGETHER * Math.max(0, named - 1));
      return { item, score, missing: needed.filter((i) => scores[i] === 0).map((i) => terms[i]?.text ?? '') };
    })
    .filter(({ score, missing }) => score > 0 && missing.length < needed.length)
    .sort((a, b) => b.score - a.score);
  const whole = hits.filter(({ missing }) => missing.length === 0);
  if (whole.length > 0) return { items: whole.map(({ item }) => item), missing: [] };
  const few = hits.filter(({ score }) => score >= (hits[0]?.score ?? 0) / 2).slice(0, MOST_PARTIAL);
  return { items: few.map(({ item }) => item), missing: hits[0]?.missing ?? [] };
}
