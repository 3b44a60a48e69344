/**
 * The single list of the fields that the specification allows in a document, by place. Shapes, known keys, kinds and
 * drift are derived from it. A field that is not listed is drift.
 */

/**
 * The kind of a field. `scalar` is a text, number or boolean; `string` is text by the specification, and its column takes
 * the other two as text. `recipient` is a scalar that the privacy setting hashes
 * or drops. `any` is kept as it is, and so is `content`, an object whose members nobody lists. `texts` is a list of texts. `text` is kept as text; a value that is not text is kept as its JSON. The elements of a
 * `list` and a `document` are kept in rows of their own. The other kinds are scalars that must be readable as the kind: `whole` as an integer of 32 bits, `epoch` as microseconds since
 * 1970, `counter` as a whole number from 0 to 10^15, whose sums fit a bigint, `quantity` as a number from 0.
 */
export type Kind = (typeof KINDS)[number];

export interface Field {
  readonly place: string;
  readonly field: string;
  readonly kind: Kind;
  /** The place of the fields inside an object; null for other fields. */
  readonly part: string | null;
}

const KINDS = [
  'string',
  'recipient',
  'list',
  'texts',
  'object',
  'document',
  'content',
  'any',
  'text',
  'whole',
  'counter',
  'number',
  'quantity',
  'boolean',
  'day',
  'time',
  'epoch',
] as const;

/** The columns of `events` that identify a person, the strongest first. */
export const ID_COLUMNS = ['user_id', 'service_user_id', 'device_id', 'service_device_id'] as const;

/** Columns in which models hold persons as numbers. */
export const PERSON_COLUMNS = ['person', 'strongest_id', 'weaker_id', 'stronger_id'];

/** True if a field of this kind may hold an object or a list. */
export function isNested(kind: Kind): boolean {
  return ['list', 'texts', 'object', 'content', 'document', 'any', 'text'].includes(kind);
}

/** True if the values of a field of this kind must be readable as a type. */
export function isReadAs(kind: Kind): boolean {
  return !['string', 'recipient'].includes(kind) && !isNested(kind);
}

/** The kinds that are text in an answer, whatever their column is. */
export const TEXTS: readonly Kind[] = ['string', 'recipient', 'day', 'time', 'epoch'];

type Shape = Readonly<Partial<Record<Kind, string>>>;

const IN_APP = {
  string: 'messageType chatBubbleType title content imageUrl header',
  any: 'attachment',
  list: 'buttons',
  object: 'commerce',
};
const COMMERCE = { string: 'title', number: 'regularPrice discountPrice discountRate' };

/**
 * The fields by place and kind. `{brand}` stands for the brand word in `<brand>_user_id` and for the name of the
 * web-push object.
 */
const SHAPES: Readonly<Record<string, Shape>> = {
  // E21
  record: {
    string:
      'id user_id {brand}_user_id device_id {brand}_device_id channel event_name failure_reason resource_title ' +
      'resource_type campaign_id experiment_group_name user_journey_id user_journey_node_id',
    epoch: 'time',
    document: 'message_data',
    object: 'channel_metadata',
  },
  channel_metadata: { string: 'channel_subtype brand_message_target' },
  'message_data:text-message': {
    string: 'requestId templateId title body sendNo messageType countryCode adYn',
    recipient: 'recipientNo',
    time: 'requestDate',
    list: 'attachFileList',
  },
  attachment: { string: 'fileName filePath saveFileName uploadType', text: 'fileId' },
  'message_data:email': { string: 'title body.html body.text', object: 'body' },
  'message_data:email.body': { string: 'html text' },
  'message_data:chatapp-friendtalk': {
    string: 'plusFriendId senderKey content',
    recipient: 'recipientNo',
    boolean: 'isAd',
    list: 'buttons',
  },
  'message_data:chatapp-alimtalk': {
    string: 'plusFriendId senderKey templateCode content',
    recipient: 'recipientNo',
    // The specification does not describe its contents.
    text: 'templateExtra',
    list: 'buttons',
  },
  'message_data:chatapp-brand-message': { string: 'templateName' },
  'message_data:in-app-message': IN_APP,
  'message_data:in-app-message.commerce': COMMERCE,
  'message_data:in-web-message': IN_APP,
  'message_data:in-web-message.commerce': COMMERCE,
  'message_data:push-notification': { string: 'title body link' },
  'message_data:web-push-notification': { object: '{brand}' },
  // The service does not document the last keys, and its web notifications put lists and objects there.
  'message_data:web-push-notification.service': {
    string: 'ti bd u ic bg im',
    text: 'cid mid sd tg vb ri',
    any: 'data ac',
  },
  'message_data:webhook': { string: 'url method', any: 'headers data' },
  button: { string: 'type name linkMo linkPc schemeIos schemeAndroid', whole: 'ordering' },
  // Daily statistics (E17, E18).
  statistic: {
    string:
      'resource_type campaign_id campaign_name variant_id variant_name user_journey_id user_journey_name ' +
      'user_journey_node_id user_journey_node_name channel',
    day: 'date',
    counter: 'message_sent message_failed delivered click',
    content: 'message',
    texts: 'tags',
    list: 'conversion',
  },
  statistic_by_subchannel: {
    string:
      'resource_type resource_id resource_name node_id node_mane node_name variant_id variant_name channel ' +
      'channel_sub brand_message_target',
    day: 'date',
    counter: 'message_sent message_failed delivered click',
    texts: 'tags',
    list: 'conversion',
  },
  conversion: { string: 'name type', counter: 'count' },
  // E19
  answer: { time: 'lastCollectedAt', list: 'stats' },
  metric: {
    string: 'metricType metricName conversionType',
    number: 'totalSum',
    quantity: 'totalCount',
    list: 'dailySums dailyCounts',
  },
  daily: { day: 'date', number: 'sum', quantity: 'count', list: 'dimensionSums dimensionCounts' },
  dimension: { string: 'dimensionKey dimensionValue', number: 'sum', quantity: 'count' },
  // E2
  catalog: { string: 'name description data_classification', counter: 'num_items', list: 'fields' },
  catalog_field: { string: 'name type' },
  // E4
  brand_template: {
    string: 'id templateName senderKey unsubscribeNumber',
    time: 'createdAt updatedAt',
    any: 'template failoverTextMessage',
  },
  brand_template_button: { string: 'buttonType buttonName linkMo linkPc linkAnd linkIos' },
  // E12
  opt_out: { string: 'unsubscribeNo recipientNo', time: 'requestDate' },
};

/** Places of objects inside documents, if the place is not named after its field. */
const PARTS: Readonly<Record<string, string>> = {
  record: 'channel_metadata',
  'message_data:web-push-notification': 'message_data:web-push-notification.service',
};

/** The fields of all places, in a fixed order; `brand` is the brand word of the settings. */
export function fieldsFor(brand: string): Field[] {
  return Object.entries(SHAPES).flatMap(([place, shape]) =>
    KINDS.flatMap((kind) =>
      (shape[kind]?.replaceAll('{brand}', brand).split(' ') ?? []).map((field) => ({
        place,
        field,
        kind,
        part: kind === 'object' ? (PARTS[place] ?? `${place}.${field}`) : null,
      })),
    ),
  );
}

/** The structure by which json_transform reads the documents of each place: scalars as text, everything else as JSON. */
export function shapesOf(fields: readonly Field[]): Record<string, string> {
  const typeOf = (kind: Kind): string => (isNested(kind) ? 'JSON' : 'VARCHAR');
  return byPlace(fields, (known) =>
    JSON.stringify(Object.fromEntries(known.map(({ field, kind }) => [field, typeOf(kind)]))),
  );
}

/** The session variable `specification`: the fields, and the lookups by place that statements need. */
export function specificationOf(fields: readonly Field[]): Record<string, unknown> {
  return {
    fields,
    shapes: shapesOf(fields),
    // Pointers to the fields that are text by the specification.
    texts: byPlace(fields, (known) =>
      known.filter(({ kind }) => TEXTS.includes(kind)).map(({ field }) => pointerTo(field)),
    ),
  };
}

function byPlace<T>(fields: readonly Field[], of: (known: readonly Field[]) => T): Record<string, T> {
  const places = [...new Set(fields.map(({ place }) => place))];
  return Object.fromEntries(places.map((name) => [name, of(fields.filter(({ place }) => place === name))]));
}

/** A key as a JSON pointer, which, unlike a JSON path, can hold any character. */
export function pointerTo(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
