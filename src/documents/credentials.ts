/**
 * Replaces credentials by `***` in messages to other systems, whatever the settings: values of suspicious keys, name-value pairs, headers,
 * URLs, forms, JSON inside text, and secret webhook addresses.
 */
import { changed, encoded, isJson, textAt, type Node } from './json.js';

const MASK = '***';

/** Matches the name of a credential. */
const SECRET =
  'authorization|cookie|token|secret|signature|passw(?:or)?d|passphrase|비밀번호|인증키|credential|jwt|bearer|hmac|(?:api|app|access|private|auth|sign(?:ing)?|encryption|service|subscription|functions?|consumer|license|master)[-_ ]?key|session[-_ ]?id';

/** The same, but not within secretary or tokenize. */
const WORD = `(?:${SECRET})(?!ar(?:y|ies|ia[lt])|i[sz](?:e|ing|ation))`;

/** Short names, which count only as a whole. Two of them also have other meanings. */
const SHORT = 'sig|sign|pwd|pass|sid|auth';
const IS_AMBIGUOUS = /^(?:sign|pass)$/i;

/** Matches texts that may contain a credential, in JavaScript and in DuckDB. */
export const CREDENTIAL = `${SECRET}|auth|key|sign|pwd|basic|digest|(?:^|["?&;#])(?:pass|sid|sig)\\\\*["=]|://`;

/** Names of headers, keys and query parameters that carry credentials. */
const REST = String.raw`[^"\\:=&?#\s]*`;
const NAME = `${REST}${WORD}${REST}|${SHORT}|x-auth|x-${REST}(?:auth|key|sign)${REST}`;
const IS_NAME = new RegExp(`^(?:${NAME})$`, 'i');
/** Names whose value may be a number and still be a credential: `token_code`, but not `token_count`. */
const IS_NAME_OF_NUMBER = new RegExp(`(?:${SECRET}|^(?:${SHORT}))[-_ ]?(?:code|value|number|no|\\d+)?$`, 'i');
/** Parameters of a URL or a form. */
const PARAMETERS = new RegExp(`((?:^|[?&;#])(?:${NAME}|key)=)[^&#"\\\\\\s]+`, 'gi');
/** Parameters of a URL that is the value of another parameter. */
const ENCODED = new RegExp(
  String.raw`(%(?:25)*(?:23|26|3B|3F)(?:[\w-]*${WORD}[\w-]*|${SHORT}|key)%(?:25)*3D)(?:(?!%(?:25)*26)[^&#"\\\s])+`,
  'gi',
);
/** A header and its value, in a text. The value ends with the line. */
const HEADERS = new RegExp(
  String.raw`((?:authorization|cookie2?|x-[a-z-]*(?:${SECRET}|auth|key|sign)[a-z-]*)\\?"?\s*[:=]\s*\\?"?)[^"\\\r\n]+`,
  'gi',
);
/** A credential after the name of its scheme. A plain number does not count: "Digest 2026 sale". */
const BEARERS =
  /(\b(?:bearer|basic|digest|apikey)(?:\s|%20|\+)+)(?![\d.]+(?![\w~+/=-]))[A-Za-z0-9._~+/-]*[0-9._~+/=-][A-Za-z0-9._~+/=-]*/gi;
/** A name and a value in other formats: XML, YAML, JSON that was cut off, a dictionary in single quotes, multipart. */
const ASSIGNMENTS = new RegExp(
  String.raw`((?<!<\/[\w:-]{0,40})${WORD}[\w-]{0,40}\\?["']?(?:\s{0,3}(?:=>|[:=>])\s{0,3}|(?:\r?\n){2})\\?["']?)(?!\*)[^\s"'\\<>,;&#}]+`,
  'gi',
);
const USERS = /(:\/\/)[^/?#\s"\\]*@/g;

/** In a name-value pair such as {"name": "token", "value": "…"}: the keys of the name and of the value. */
const NAMES = /^(?:name|key|k|id|header|field)$/i;
const VALUES = /^(?:values?|val|v|content)$/i;

const SUSPICION = new RegExp(CREDENTIAL, 'i');

/** Addresses that work as a credential: incoming webhooks. */
const HOOKS =
  /(https?:\/\/(?:hooks\.slack(?:-gov)?\.com|(?:[a-z]+\.)?discord(?:app)?\.com(?=\/api\/webhooks)|[a-z0-9.-]+\.webhook\.office\.com|outlook\.office(?:365)?\.com(?=\/webhook)|[a-z0-9.-]+\.(?:logic\.azure|api\.powerplatform)\.com|api\.telegram\.org|hooks\.zapier\.com|hook\.[a-z0-9.-]*make\.com|chat\.googleapis\.com|wh\.jandi\.com|hook\.dooray\.com|[a-z0-9.-]+\.dooray\.com(?=\/services))(?::\d+)?)\/[^\s"\\<>]+/gi;
const ADDRESSES = /(https?:\/\/[^/?#\s"\\<>]+)([/?#][^\s"\\<>]*)/gi;
const LONGEST_WORD = 20;

/**
 * JSON with its credentials masked.
 *
 * @param isForOthers true for messages to other systems: there, parts of addresses that look random are masked, too
 */
export function masked(json: string, isForOthers: boolean): string {
  if (!SUSPICION.test(json)) return json;
  return changed(json, (node) => {
    if (isCredential(json, node)) return `"${MASK}"`;
    if (node.kind !== 'text') return undefined;
    const text = textAt(json, node);
    const result = maskedText(text, isForOthers);
    return result === text ? undefined : encoded(result);
  });
}

/** True if a value's key, or the name in the same name-value pair, names a credential. Booleans never count. */
function isCredential(json: string, node: Node): boolean {
  const { key, parent, kind } = node;
  if (kind === 'word' || parent === undefined) return false;
  const isNamed = (name: string): boolean => {
    if (!IS_NAME.test(name)) return false;
    if (kind === 'number') return IS_NAME_OF_NUMBER.test(name);
    // A season pass or a zodiac sign.
    return !IS_AMBIGUOUS.test(name) || (kind === 'text' && /^[!-~]+$/.test(textAt(json, node)));
  };
  if (key !== undefined && isNamed(key)) return true;
  const isName = (other: Node | undefined): boolean => other?.kind === 'text' && isNamed(textAt(json, other));
  if (key === undefined) {
    // Lists that alternate names and values, such as [['Cookie', 'a=b']] or the raw headers of Node.
    const { length } = parent.children;
    const at = kind !== 'text' || length > 100 || length % 2 > 0 ? -1 : parent.children.indexOf(node);
    return at % 2 === 1 && isName(parent.children[at - 1]);
  }
  return VALUES.test(key) && parent.children.some((other) => NAMES.test(other.key ?? '') && isName(other));
}

function maskedText(text: string, isForOthers: boolean): string {
  if (!SUSPICION.test(text)) return text;
  if (isJson(text)) return masked(text, isForOthers);
  const without = text
    .replace(HOOKS, `$1/${MASK}`)
    .replace(USERS, `$1${MASK}@`)
    .replace(PARAMETERS, `$1${MASK}`)
    .replace(ENCODED, `$1${MASK}`)
    .replace(HEADERS, `$1${MASK}`)
    .replace(BEARERS, `$1${MASK}`);
  if (!isForOthers) return without;
  return without
    .replace(ASSIGNMENTS, `$1${MASK}`)
    .replace(
      ADDRESSES,
      (_, host: string, rest: string) =>
        host + rest.replace(/[A-Za-z0-9._~%+-]+/g, (part) => (looksRandom(part) ? MASK : part)),
    );
}

/** True if a part of a path or query looks random: 20 letters and digits in a row, or frequent changes between them. */
function looksRandom(part: string): boolean {
  if (part.length < LONGEST_WORD) return false;
  if (/[A-Za-z0-9]{20}/.test(part)) return true;
  const changes = part.match(/[a-z](?=[-_.]?\d)|\d(?=[-_.]?[A-Za-z])|[a-z](?=[A-Z])/g) ?? [];
  return changes.length >= 4;
}
