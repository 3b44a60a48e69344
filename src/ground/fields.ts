/**
 * The fields that the specification allows in a document, by place, and what follows from a list of fields. A field that is in no list
 * counts as drift.
 */

/** The kind of a field: which values its column accepts. */
export type Kind = (typeof KINDS)[number];

export interface Field {
  readonly place: string;
  readonly field: string;
  readonly kind: Kind;
  /** The place of the fields inside a field that is an object; null for other fields. */
  readonly part: string | null;
}

const KINDS = [
  /** Text according to the specification. Numbers and booleans are converted. */
  'string',
  /** The number of a recipient; `privacy.recipients` may hash or drop it. */
  'recipient',
  /** A list whose elements have rows of their own. */
  'list',
  /** A list of texts, kept in one column. */
  'texts',
  /** An object whose members are fields. */
  'object',
  /** An object with a row of its own. */
  'document',
  /** An object with any members, kept unchanged. */
  'content',
  /** Any value, kept unchanged. */
  'any',
  /** Text; any other value is kept as its JSON. */
  'text',
  /** A 32-bit integer. */
  'whole',
  /** A whole number from 0 to 10^15, so that sums fit a bigint. */
  'counter',
  'number',
  /** A number that is not negative. */
  'quantity',
  'boolean',
  'day',
  'time',
  /** Microseconds since 1970. */
  'epoch',
] as const;

export const ID_COLUMNS = ['user_id', 'service_user_id', 'device_id', 'service_device_id'] as const;

/** The kinds of ids that link a row of an own table to a person; they are also column names. */
export const KEY_KINDS = [...ID_COLUMNS, 'recipient'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const PERSON_COLUMNS = ['person', 'strongest_id', 'weaker_id', 'stronger_id'];

export function isNested(kind: Kind): boolean {
  return ['list', 'texts', 'object', 'content', 'document', 'any', 'text'].includes(kind);
}

export function isReadAs(kind: Kind): boolean {
  return !['string', 'recipient'].includes(kind) && !isNested(kind);
}

/** The kinds that answers have as text, whatever the type of their column. */
export const TEXTS: readonly Kind[] = ['string', 'recipient', 'day', 'time', 'epoch'];

/** The fields of a place by kind, as lists of names. An object gives the place of its own fields. */
type Shape = Readonly<Partial<Record<Exclude<Kind, 'object'>, string>>> & {
  readonly object?: Readonly<Record<string, string>>;
};

/** The fields of documents by place and kind. `{brand}` is the brand word of the settings. */
export type Shapes = Readonly<Record<string, Shape>>;

/** The fields of all places in a fixed order. `brand` is the brand word of the settings. */
export function fieldsFor(brand: string, shapes: Shapes): Field[] {
  const named = (text: string): string => text.replaceAll('{brand}', brand);
  return Object.entries(shapes).flatMap(([place, { object = {}, ...lists }]) =>
    KINDS.flatMap((kind): Field[] => {
      if (kind === 'object')
        return Object.entries(object).map(([field, part]) => ({ place, field: named(field), kind, part }));
      return (lists[kind]?.split(' ') ?? []).map((field) => ({
        place,
        field: named(field),
        kind,
        part: null,
      }));
    }),
  );
}

/** How json_transform reads each place: scalars as text, objects with known fields by these fields, everything else as JSON. */
export function shapesOf(fields: readonly Field[]): Record<string, string> {
  const shapeOf = (some: readonly Field[]): object =>
    Object.fromEntries(
      some.map(({ field, kind, part }) => [
        field,
        part === null ? (isNested(kind) ? 'JSON' : 'VARCHAR') : shapeOf(fieldsAt(fields, part)),
      ]),
    );
  return byPlace(fields, (some) => JSON.stringify(shapeOf(some)));
}

/** The value of the session variable `specification`: the fields, and the lookups by place that statements use. */
export function specificationOf(fields: readonly Field[]): Record<string, unknown> {
  return {
    fields,
    shapes: shapesOf(fields),
    keys: byPlace(fields, (some) => some.map(({ field }) => field)),
    texts: byPlace(fields, (some) => textsOf(fields, some)),
  };
}

/** Pointers to fields that are text by the specification, including those in objects with known fields. */
function textsOf(fields: readonly Field[], some: readonly Field[]): string[] {
  return some.flatMap(({ field, kind, part }) =>
    part === null
      ? TEXTS.includes(kind)
        ? [pointerTo(field)]
        : []
      : textsOf(fields, fieldsAt(fields, part)).map((inner) => pointerTo(field) + inner),
  );
}

function fieldsAt(fields: readonly Field[], at: string): Field[] {
  return fields.filter(({ place }) => place === at);
}

function byPlace<T>(fields: readonly Field[], of: (some: readonly Field[]) => T): Record<string, T> {
  const places = new Set(fields.map(({ place }) => place));
  return Object.fromEntries([...places].map((place) => [place, of(fieldsAt(fields, place))]));
}

/** A key as a JSON pointer, which may contain any character, unlike a JSON path. */
export function pointerTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
