/** Searches by words in both languages, including word stems. If nothing has all words, returns what has most of them. */
import { plain } from '../../ground/text.js';

/** Words that are ignored. */
const FILLERS = new Set(
  [
    'a an and the at by for from in of on to with is are was were',
    'do does did has had have how what when where which who why i it me my our us we you your they their them there show most many much',
    'work works should can could would will be been being any more than still per each every all get gets got made make give find please',
    '그 그리고 및 보여줘 알려줘 우리 좀 중 큰 가장 무엇 뭐 어떤 대한 어느 간 왜',
  ].flatMap((words) => words.split(' ')),
);

/** Words for a period, which no question has in its name. */
const PERIOD =
  /^(?:어제|그제|오늘|지난|최근|이번|작년|올해|지난달|이번달|(?:지난|이번|한)주에?|\d+(?:일|월|주|년|개월)?(?:간|동안|치)?|yesterday|today|last|past|this|recent|days?|weeks?|months?|years?|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*)$/;

/** Korean particles and endings that do not change the meaning of a word. */
const ENDINGS =
  /(?:에서|에게|으로|까지|부터|건수|인원|하는|하기|했나|었나|하나|되나|[율률별간들을를은는이가의에로도만수액한])$/;
const ENGLISH_ENDING = /(?<=^[a-z]{4,})(?:ures?|ing|ed|es|s)$/;

/** Words for a rank, which have little weight. */
const VAGUE = /^(?:top|best|better|biggest|highest|ranking|1[위등]|좋은|높은|순위|랭킹|상위)$/;
const VAGUE_WEIGHT = 0.3;
const PERIOD_WEIGHT = 0.1;

interface Term {
  /** The word as typed. */
  readonly text: string;
  readonly words: readonly string[];
  /** How much the word counts. */
  readonly weight: number;
}

/** Synonyms, because campaign names may be in another language or abbreviated. */
const SAME = [
  '블프 블랙프라이데이 blackfriday',
  'black 블랙',
  'friday 프라이데이',
  'cart 장바구니',
  'birthday 생일',
];

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

function termsOf(search: string): Term[] {
  const words = search.split(/\s+/).filter((word) => plain(word) !== '' && !FILLERS.has(plain(word)));
  return words.map((text) => {
    const word = plain(text);
    const weight = VAGUE.test(word) ? VAGUE_WEIGHT : PERIOD.test(word) ? PERIOD_WEIGHT : 1;
    const same = SAME.filter((one) => one.split(' ').includes(word)).flatMap((one) => one.split(' '));
    return { text, words: [...stemsOf(word), ...same], weight };
  });
}

/** A short Latin word matches only at the beginning of a word: `top` does not match `stop`. */
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

/** The weight of the title and its synonyms; the name weighs more. */
const TITLE = 3;
/** The weight of every other place with the word. */
const EACH_OTHER = 0.1;
/** The weight of each further word in the same name or title. */
const TOGETHER = 2;
const MOST_PARTIAL = 5;

interface Hit<T> {
  readonly item: T;
  readonly score: number;
  readonly missing: readonly string[];
}

export interface Found<T> {
  readonly items: readonly T[];
  /** The words that the first result lacks, as they were typed; empty if it has all. */
  readonly missing: readonly string[];
}

export const NOTHING: Found<never> = { items: [], missing: [] };

/**
 * Returns the items with all words, best first, or else the few with most words. Rare words weigh more than frequent ones, and earlier
 * places more than later ones.
 *
 * @param placesOf returns the texts of an item, the most important first
 */
export function findWords<T>(
  items: readonly T[],
  search: string,
  placesOf: (item: T) => readonly string[],
): Found<T> {
  const terms = termsOf(search);
  if (terms.length === 0) return search.trim() === '' ? NOTHING : { items, missing: [] };
  const weights = items.map((item) => {
    const places = placesOf(item).map(textOf);
    const worth = (words: readonly string[]): number => {
      const found = places.flatMap((place, at) => (words.some((word) => has(place, word)) ? [at] : []));
      return found[0] === undefined ? 0 : places.length - found[0] + EACH_OTHER * (found.length - 1);
    };
    return terms.map(({ words }) => worth(words));
  });
  const rarity = terms.map((_, i) => {
    const many = weights.filter((of) => (of[i] ?? 0) > 1).length;
    return 1 / (1 + Math.log2(1 + many));
  });
  // Words for a period or a rank need not be found.
  const saying = [...terms.keys()].filter((i) => terms[i]?.weight === 1);
  const needed = saying.length === 0 ? [...terms.keys()] : saying;
  const hits = items
    .map((item, nth): Hit<T> => {
      const of = weights[nth] ?? [];
      // The last of several nouns counts most.
      const scores = terms.map(({ weight }, i) => weight * (1 + i / 100) * (of[i] ?? 0) * (rarity[i] ?? 0));
      const named = terms.filter((_, i) => (of[i] ?? 0) >= TITLE).length;
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
