/**
 * Searches by words in both languages. MiniSearch ranks the items; this file knows the words: which of them say nothing, word stems, and
 * Korean, whose compound words are compared by pairs of syllables.
 */
import MiniSearch from 'minisearch';

/** Words that are ignored. */
const FILLERS = new Set(
  [
    'a an and the as at by for from if in of on or so than that this these those to with is are was were be been being',
    'do does did has had have how what when where which who whom why i it its me my our us we you your they them their there',
    'any each every all per still many much get gets got made make give find show please can could will would should work works one ones',
    '그 그리고 및 보여줘 알려줘 우리 좀 중 큰 가장 제일 너무 무엇 뭐 어떤 대한 어느 간 왜 것 게 수',
  ].flatMap((words) => words.split(' ')),
);

/** Words for a period, which no question has in its name. */
const PERIOD =
  /^(?:어제|그제|오늘|지난|최근|이번|작년|올해|지난달|이번달|(?:지난|이번|한)주에?|\d+(?:일|월|주|년|개월)?(?:간|동안|치)?|yesterday|today|last|past|recent|day|week|month|year|(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]*)$/;

/** Words for a rank, which have little weight. */
const VAGUE = /^(?:top|best|better|biggest|highest|ranking|1[위등]|좋은|높은|순위|랭킹|상위)$/;

const weightOf = (term: string): number => (PERIOD.test(term) ? 0.15 : VAGUE.test(term) ? 0.3 : 1);

/** Korean particles and endings that do not change the meaning of a word. */
const ENDINGS =
  /(?:에서|에게|으로|까지|부터|하는|하기|했나|었나|하나|되나|[간들을를은는이가의에로도만수액한])$/;

/** Synonyms, because campaign names may be in another language or abbreviated. */
const SAME = [
  ['블프', '블랙프라이데이'],
  ['blackfriday', '블랙프라이데이'],
  ['black', '블랙'],
  ['friday', '프라이데이'],
  ['cart', '장바구니'],
  ['birthday', '생일'],
] as const;

/** Spellings of one word. */
const SPELLINGS = [
  [/(?<=[a-z])['’]s\b/g, ''],
  [/\be-mail/g, 'email'],
  [/\ba\/b\b/g, 'ab'],
  [/\bopt(?:s|ed|ing)?[ -]?outs?\b/g, 'optout'],
] as const;

/** English words without their ending, which need not be words: `purchas`. */
const stemOf = (word: string): string =>
  word.length < 4
    ? word
    : word
        .replace(/ies$/, 'y')
        .replace(/(?<=^.{3,})(?:ures?|ing|ed|es|s|ly)$/, '')
        .replace(/e$/, '')
        .replace(/([a-z])\1$/, '$1');

/** The syllables of a Korean word in pairs, so that a part of a compound word is found: `재구매율` has `구매`. */
function pairsOf(word: string): string[] {
  const stem = word.replace(ENDINGS, '') || word;
  const pairs = Array.from({ length: stem.length - 1 }, (_, at) => stem.slice(at, at + 2));
  return pairs.length > 1 ? [...pairs, stem] : [stem];
}

const wordsOf = (text: string): string[] =>
  SPELLINGS.reduce<string>(
    (spelled, [from, to]) => spelled.replace(from, to),
    text.normalize('NFKC').toLowerCase(),
  )
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word));

const termsOf = (word: string): string[] => (/[가-힣]/.test(word) ? pairsOf(word) : [stemOf(word)]);

const tokenize = (text: string): string[] => wordsOf(text).flatMap(termsOf);

const withSynonyms = (search: string): string =>
  [
    search,
    ...wordsOf(search).flatMap((word) =>
      SAME.flatMap(([one, other]) => (one === word ? [other] : other === word ? [one] : [])),
    ),
  ].join(' ');

/** The weights of the texts of an item, the most important first; further texts have the last one. */
const WEIGHTS = [1.4, 1.6, 2, 1.2, 0.4];

/** How much each word adds to the weight of the next. */
const LATER = 0.05;

/** How much each word of a usual phrase adds, if the search has the whole phrase. */
const PHRASE = 0.3;

/** How much more it adds if the search is nothing but the phrase. */
const WHOLE = 2;

const MOST_PARTIAL = 5;

interface Hit<T> {
  readonly item: T;
  readonly score: number;
  /** True if the search has one of the item's phrases. */
  readonly isNamed: boolean;
  /** The words that the item lacks, as they were typed; periods and ranks need not be found. */
  readonly missing: readonly string[];
}

/**
 * Returns the items that have words of the search, best first. Rare words weigh more than frequent ones, and earlier texts more than later
 * ones.
 *
 * @param textsOf the texts of an item, the most important first
 * @param phrasesOf phrases by which people usually ask for the item
 */
export function rank<T>(
  items: readonly T[],
  search: string,
  textsOf: (item: T) => readonly string[],
  phrasesOf: (item: T) => readonly string[] = () => [],
): Hit<T>[] {
  const fields = WEIGHTS.map((_, at) => `text${at}`);
  const asWords = wordsOf(search).map(termsOf);
  const weights = new Map(
    asWords.flatMap((terms, at) =>
      terms.map((term) => [term, (weightOf(term) * (1 + LATER * at)) / terms.length] as const),
    ),
  );
  const index = new MiniSearch<Record<string, string | number>>({
    fields,
    tokenize,
    processTerm: (term) => term,
    searchOptions: {
      boost: Object.fromEntries(WEIGHTS.map((weight, at) => [`text${at}`, weight])),
      // The syllables of a word weigh together as much as a word; the last of several nouns weighs most.
      boostTerm: (term) => weights.get(term) ?? weightOf(term),
      // A short word matches only as a whole: `top` does not match `stop`.
      prefix: (term) => /[a-z]{5}/.test(term),
      fuzzy: (term) => (/^[a-z]{6,}$/.test(term) ? 0.15 : false),
      bm25: { k: 1.2, b: 0.4, d: 0.3 },
    },
  });
  index.addAll(
    items.map((item, id) => ({
      id,
      ...Object.fromEntries(textsOf(item).map((text, at) => [`text${at}`, text])),
    })),
  );
  const typed = search.split(/\s+/).flatMap((text) => {
    const terms = tokenize(text);
    return terms.length === 0 ? [] : [{ text: text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''), terms }];
  });
  // Words that are one in another spelling, such as `opt out`, are not looked for apart.
  const saying = typed.filter(({ terms }) =>
    terms.every((term) => weights.has(term) && weightOf(term) === 1),
  );
  const asked = ` ${tokenize(search).join(' ')} `;
  const hits = index.search(withSynonyms(search)).flatMap(({ id, score, queryTerms }): Hit<T>[] => {
    const item = items[Number(id)];
    if (item === undefined) return [];
    const phrases = phrasesOf(item).map((phrase) => ({ phrase, terms: tokenize(phrase) }));
    const said = phrases.filter(({ terms }) => terms.length > 0 && asked.includes(` ${terms.join(' ')} `));
    const longest = Math.max(0, ...said.map(({ terms }) => terms.length));
    const isWhole = said.some(({ terms }) => asked === ` ${terms.join(' ')} `);
    const missing = saying.filter(
      ({ terms }) => terms.filter((term) => queryTerms.includes(term)).length < terms.length / 2,
    );
    return [
      {
        item,
        score: score * (1 + PHRASE * longest + (isWhole ? WHOLE : 0)),
        // One word left of several is not a phrase: `open` of `who opened`.
        isNamed: said.some(({ phrase, terms }) => terms.length > 1 || !phrase.includes(' ')),
        missing: missing.map(({ text }) => text),
      },
    ];
  });
  return hits.sort((a, b) => b.score - a.score);
}

/** True for a search of signs and ignored words alone, which matches everything. */
export const saysNothing = (search: string): boolean => search.trim() !== '' && wordsOf(search).length === 0;

/** The items that have all words of the search; if none has, the few with most of them, and the words that the first one lacks. */
export function findWords<T>(
  items: readonly T[],
  search: string,
  textsOf: (item: T) => readonly string[],
): { readonly items: readonly T[]; readonly missing: readonly string[] } {
  if (saysNothing(search)) return { items, missing: [] };
  const hits = rank(items, search, textsOf);
  const whole = hits.filter(({ missing }) => missing.length === 0);
  const found = whole.length > 0 ? whole : hits.slice(0, MOST_PARTIAL);
  return { items: found.map(({ item }) => item), missing: found[0]?.missing ?? [] };
}
