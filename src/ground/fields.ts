/**
 * The fields that the specification allows in a document, by place: what kinds there are, and what is derived from a list of
 * fields. A field that no list has is drift.
 */

/** The kind of a field: what its column takes. */
export type Kind = (typeof KINDS)[number];

export interface Field {
  readonly place: string;
  readonly field: string;
  readonly kind: Kind;
  /** The place of the fields inside an object; null for other fields. */
  readonly part: string | null;
}

const KINDS = [
  /** A text by the specification; a number or boolean becomes one. */
  'string',
  /** The number of a recipient: a text that `privacy.recipients` hashes or drops. */
  'recipient',
  /** A list whose elements have rows of their own. */
  'list',
  /** A list of texts. */
  'texts',
  /** An object whose members are fields. */
  'object',
  /** An object with a row of its own. */
  'document',
  /** An object of any members, kept unchanged. */
  'content',
  /** Any value, kept unchanged. */
  'any',
  /** A text; a value that is not text is kept as its JSON. */
  'text',
  /** An integer of 32 bits. */
  'whole',
  /** A whole number from 0 to 10^15, so that sums fit a bigint. */
  'counter',
  'number',
  /** A number from 0. */
  'quantity',
  'boolean',
  'day',
  'time',
  /** Microseconds since 1970. */
  'epoch',
] as const;

export const ID_COLUMNS = ['user_id', 'service_user_id', 'device_id', 'service_device_id'] as const;

/** The kinds of ids by which a row of an own table belongs to a person, and the names of their columns. */
export const KEY_KINDS = [...ID_COLUMNS, 'recipient'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const PERSON_COLUMNS = ['person', 'strongest_id', 'weaker_id', 'stronger_id'];

export function isNested(kind: Kind): boolean {
  return ['list', 'texts', 'object', 'content', 'document', 'any', 'text'].includes(kind);
}

export function isReadAs(kind: Kind): boolean {
  return !['string', 'recipient'].includes(kind) && !isNested(kind);
}

/** The kinds that are text in an answer, whatever the type of their column. */
export const TEXTS: readonly Kind[] = ['string', 'recipient', 'day', 'time', 'epoch'];

/** The fields of a place by kind, as lists of names; an object names the place of its fields. */
type Shape = Readonly<Partial<Record<Exclude<Kind, 'object'>, string>>> & {
  readonly object?: Readonly<Record<string, string>>;
};

/** The fields of documents by place and kind. `{brand}` is the brand word of the settings. */
export type Shapes = Readonly<Record<string, Shape>>;

/** The fields of all places, in a fixed order; `brand` is the brand word of the settings. */
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

/** How json_transform reads each place: scalars as text, objects of known fields with those, the rest as JSON. */
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

/** The session variable `specification`: the fields, and the lookups by place that statements need. */
export function specificationOf(fields: readonly Field[]): Record<string, unknown> {
  return {
    fields,
    shapes: shapesOf(fields),
    keys: byPlace(fields, (some) => some.map(({ field }) => field)),
    texts: byPlace(fields, (some) => textsOf(fields, some)),
  };
}

/** Pointers to the fields that are text by the specification, also in objects of known fields. */
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

/** A key as a JSON pointer, which, unlike a JSON path, can contain any character. */
export function pointerTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
