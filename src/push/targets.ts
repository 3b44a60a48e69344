/** The targets of a push: their columns and limits, and their requests. Pure. */
import {
  enterJourney,
  setUserProperties,
  trackEvents,
  writeItems,
  writeOptOuts,
  type ServiceRequest,
} from '../service/endpoints.js';
import { closest } from 'fastest-levenshtein';
import { MODES } from '../config/schema.js';
import { UsageError } from '../ground/errors.js';

/** @param most maximum number of rows of a call (specification, Limits) */
function traits(identity: string, most: number, needs = '', none = '', form = /^$/) {
  return { identity, most, needs, none, form };
}

/** The targets: the column that every query needs, the rows of a call, and the word after the kind. */
const KINDS = {
  'catalog-items': traits('id', 50, 'the name of a catalog', 'catalog has the name', /^[\w-]{1,250}$/),
  'user-properties': traits('user_id', 1_000),
  'opt-outs': traits('recipient_no', 1_000, 'an 080 number', '080 number is', /^080-?\d{3,4}-?\d{4}$/),
  events: traits('user_id', 500, 'the name of an event', 'event has the name', /./s),
  // A name of dots would be another path of the service.
  journey: traits('user_id', 1_000, 'the id of a user journey', 'user journey has the id', /^(?!\.{1,2}$)./s),
};
type Kind = keyof typeof KINDS;
export const ALL: readonly Kind[] = ['catalog-items', 'user-properties', 'opt-outs', 'events', 'journey'];

export type Target = ReturnType<typeof parseTarget>;

/**
 * Reads the words that name a target.
 *
 * @param pushes the names of pushes in the settings, for the hint
 * @throws UsageError for a target that does not exist, or a name or mode that does not fit it
 */
export function parseTarget(
  [kindText, name = '']: readonly [string, (string | undefined)?],
  { mode, remove = false }: { readonly mode?: string | undefined; readonly remove?: boolean | undefined },
  pushes: readonly string[] = [],
) {
  const kind = ALL.find((one) => one === kindText);
  if (kind === undefined)
    throw new UsageError(`There is no target and no push ${kindText}.`, {
      hint: `Did you mean ${closest(kindText, [...ALL, ...pushes])}? Choose one of ${[...ALL, ...pushes].join(', ')}.`,
    });
  const { identity, most, needs, none, form } = KINDS[kind];
  const known = MODES.find((one) => one === mode);
  const isOfItems = kind === 'catalog-items';
  const faults: readonly (readonly [isFault: boolean, what: string])[] = [
    [
      (needs === '') !== (name === ''),
      `The target ${kind} ${needs === '' ? 'takes no name' : `needs ${needs}`}.`,
    ],
    [!form.test(name), `No ${none} ${name}.`],
    [isOfItems && known === undefined, `The target ${kind} needs --mode ${MODES.join(', ')}.`],
    [!isOfItems && mode !== undefined, `The target ${kind} has no --mode; it belongs to catalog-items.`],
    [remove && kind !== 'opt-outs', `The target ${kind} has no --remove; it belongs to opt-outs.`],
  ];
  const fault = faults.find(([isFault]) => isFault);
  if (fault !== undefined) throw new UsageError(fault[1], { hint: 'See `dawnload push --help`.' });
  const takesAway = known === 'delete' || remove;
  return {
    kind,
    /** The catalog, the 080 number, the event or the journey; empty for user properties. */
    name,
    mode: known,
    /** True if opt-outs are removed. */
    removes: remove,
    text: `${kind} ${name}`.trim(),
    identity,
    most,
    /** True if a call is sent once: a repetition would reach people again. An unknown outcome needs a person. */
    once: kind === 'events' || kind === 'journey',
    /** True if the rows are taken away: nothing is remembered of them but that they are gone. */
    takesAway,
    /** True if a row is its identity alone, and other columns of the query do not count. */
    isBare: takesAway || kind === 'opt-outs',
    /** True if a column that is null sets a value to null: a patch and a property change what is given. */
    sendsNull: kind === 'user-properties' || known === 'patch',
  };
}

const METHODS = { replace: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;

/** The call that carries these items, each as JSON text. */
export function requestOf(target: Target, projectId: string, items: readonly string[]): ServiceRequest {
  const list = `[${items.join(',')}]`;
  switch (target.kind) {
    case 'catalog-items':
      return writeItems(projectId, target.name, METHODS[target.mode ?? 'replace'], list);
    case 'user-properties':
      return setUserProperties(list);
    case 'opt-outs':
      return writeOptOuts(projectId, target.name, list, target.removes);
    case 'events':
      return trackEvents(list);
    case 'journey':
      return enterJourney(projectId, target.name, list);
  }
}
