/** `dawnload forget`: finds a person, shows their data, and erases them everywhere in the data folder. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { z } from 'zod';
import { requireService } from '../config/config.js';
import { textGiven } from '../config/files.js';
import * as person from '../erasure/person.js';
import type { NamedId, Persons } from '../erasure/person.js';
import { EXIT, RefusedError, ServiceError, UsageError } from '../ground/errors.js';
import { ID_COLUMNS } from '../ground/fields.js';
import { erase } from '../night/erase.js';
import type { Night } from '../night/step.js';
import { foldersOf } from '../disk/paths.js';
import { ServiceClient } from '../service/client.js';
import { deleteUsers } from '../service/endpoints.js';
import { formatCount, plural } from '../terminal/terminal.js';
import { visibleLines } from '../terminal/text.js';
import type { Command, JsonOptions, Options } from './shared.js';

type ForgetOptions = JsonOptions &
  Options<
    'userId' | 'recipient' | 'email' | 'file' | 'reference',
    'show' | 'dryRun' | 'alsoService' | 'includeShared' | 'yes'
  >;

/**
 * Exit code 1 if an id is left in a file, or if this command completed an interrupted erasure of other persons; 3 if you did not confirm.
 */
export const forgetCommand: Command<ForgetOptions> = async (options, invocation) => {
  const { terminal } = invocation;
  const config = invocation.loadConfig();
  const named = idsNamed(options);
  const onlyLooks = options.show === true || options.dryRun === true;
  const erased = await erase(config, invocation, onlyLooks, (night) => begin(night, named, options));
  if (erased === undefined) return EXIT.done;
  const { receipt, file, resumed } = erased;
  const isOther = resumed !== undefined && !named.every(({ value }) => resumed.includes(value));
  if (resumed !== undefined)
    terminal.warn(
      `This completed the erasure of ${receipt.erased_at}, which had been interrupted.${isOther ? ' The ids on this command line were not processed. Run the command again for them.' : ''}`,
    );
  if (options.json === true) terminal.out(JSON.stringify(receipt));
  else terminal.draw(visibleLines(await readFile(file, 'utf8')));
  terminal.note(`The receipt is ${file}.`);
  return receipt.search.left.length === 0 && !isOther ? EXIT.done : EXIT.incomplete;
};

async function begin(night: Night, named: readonly NamedId[], options: ForgetOptions) {
  const { erasures, file } = night.warehouse;
  const { terminal, effects, signal } = night.invocation;
  if (named.length === 0)
    throw new UsageError('No person was given.', {
      hint: 'Use --user-id, --recipient or --email, or -f with a file for many.',
    });
  const persons = await search(night, named, options.includeShared === true);
  await erasures.lookFor(persons.ids);
  const session = await erasures.session();
  await person.findDays(session);
  const shared = persons.stored.filter((one) => one.shared);
  for (const { kind, value } of shared)
    terminal.warn(
      `The ${kind ?? 'id'} ${value ?? ''} is shared by more than three persons: it is not followed and not erased. To follow it: --include-shared.`,
    );
  if (options.show === true || options.dryRun === true) {
    await look(night, persons, options);
    return undefined;
  }
  const rows = await file.refining(() => person.countFound(session));
  const all = [...rows.values()].reduce((sum, one) => sum + one, 0);
  const question = `Erase ${plural(named.length, 'person')} with ${plural(all, 'row')} in the warehouse, and their records in the landing zone, for good?`;
  if (options.yes !== true && !(await terminal.confirm(question, signal)))
    throw new RefusedError('Nothing was erased, because you did not confirm it.', {
      hint: 'Answer y at the terminal, or give --yes. `--dry-run` counts what would be erased.',
    });
  const serviceDeletedRows = options.alsoService === true ? await eraseAtService(named, night) : undefined;
  await erasures.lookFor(erasures.register.ids);
  const written = persons.stored.flatMap(({ value, shared }) => (value === null || shared ? [] : [value]));
  return {
    at: effects.now().toISOString(),
    reference: options.reference,
    origins: [...persons.origins],
    ids: [...persons.ids],
    written: [...named.flatMap(({ value }) => person.formsOf(value)), ...written],
    sharedIds: shared.length,
    rows: Object.fromEntries(rows),
    serviceDeletedRows,
  };
}

/** Searches the warehouse. Also searches landed pages if the warehouse lacks one of the ids, or if the settings drop numbers or ids. */
async function search(
  { warehouse, config: { privacy, brand }, invocation: { terminal } }: Night,
  named: readonly NamedId[],
  includeShared: boolean,
): Promise<Persons> {
  const { erasures, file } = warehouse;
  terminal.progress('looking for the ids in the warehouse');
  const dropsIds =
    privacy.recipients === 'drop' ||
    privacy.columns.some(({ name, rule }) => rule === 'drop' && ID_COLUMNS.some((id) => id === name));
  const session = await erasures.session();
  const find = (): Promise<Persons> => file.refining(() => person.findPersons(session, named, includeShared));
  await file.refining(() => person.readLinks(session));
  let persons = await find();
  const present = new Set(persons.stored.filter(({ kind }) => kind !== null).map(({ origin }) => origin));
  if (!dropsIds && persons.origins.every((origin) => present.has(origin))) return persons;
  terminal.progress('looking for the ids in the landing zone');
  const searched = new Set<string>();
  // Search for each new id too, because its records show how many persons share it.
  while (persons.ids.some((id) => !searched.has(id))) {
    for (const id of persons.ids) searched.add(id);
    await erasures.lookFor(persons.ids);
    const sets = new Map<string, person.Linked>();
    for await (const some of erasures.find())
      for (const { record, own } of some) {
        const ids = own ? idsOf(record, brand) : {};
        if (Object.keys(ids).length > 0) sets.set(JSON.stringify(ids), ids);
      }
    await person.addLinks(session, [...sets.values()]);
    persons = await find();
  }
  return persons;
}

function idsOf(record: string, brand: string): person.Linked {
  const text = z.union([z.string(), z.number()]).transform(String).catch('');
  const { message_data: message, ...ids } = z
    .looseObject({ message_data: z.looseObject({ recipientNo: text }).catch({ recipientNo: '' }) })
    .parse(JSON.parse(record));
  const columns = ID_COLUMNS.map((kind) => [kind, text.parse(ids[kind.replace('service', brand)])] as const);
  const all = [...columns, ['recipient', message.recipientNo] as const];
  return Object.fromEntries(all.flatMap(([kind, value]) => (value === '' ? [] : [[kind, value]])));
}

/** Prints everything that is stored about the persons (`show`), or how much would be erased in each place. */
async function look(night: Night, { stored }: Persons, { show, json }: ForgetOptions): Promise<void> {
  const { config, warehouse } = night;
  const { erasures, file: database } = warehouse;
  const { terminal } = night.invocation;
  const session = await erasures.session();
  const landing: { file: string; position: number; own: boolean; record: unknown }[] = [];
  const zone = foldersOf(config.dataDir).landing;
  for await (const some of erasures.find())
    for (const { filename, position, own, record } of some)
      landing.push({ file: relative(zone, filename), position, own, record: JSON.parse(record) });
  if (show === true) {
    const rows = await database.refining(() => person.rowsFound(session));
    if (rows.size + landing.length === 0) terminal.note('No data about them was found.');
    const ids = stored.flatMap(({ kind, value, shared }) => (value === null ? [] : { kind, value, shared }));
    const all = { ids, warehouse: Object.fromEntries(rows), landing };
    terminal.draw(visibleLines(JSON.stringify(all, null, 2)));
    return;
  }
  const rows = await database.refining(() => person.countFound(session));
  const own = landing.filter((one) => one.own);
  const mentions = landing.length - own.length;
  const optOuts = own.filter(({ file }) => file.startsWith('opt_outs')).length;
  const landed = { records: own.length - optOuts, mentions_blanked: mentions, opt_outs: optOuts };
  if (json === true) terminal.out(JSON.stringify({ warehouse: Object.fromEntries(rows), landing: landed }));
  else if (rows.size + landing.length === 0) terminal.note('No data about them was found.');
  else {
    for (const [table, count] of rows) terminal.out(`warehouse, ${table}: ${plural(count, 'row')}`);
    terminal.out(`landing zone, pages of exports: ${plural(landed.records, 'record')}`);
    terminal.out(`landing zone, numbers in records of others, to be blanked: ${formatCount(mentions)}`);
    terminal.out(`landing zone, opt-outs: ${plural(optOuts, 'row')}`);
    terminal.note('Nothing was erased.');
  }
}

/**
 * Asks the service to delete the persons (E15), at most 1,000 per request. Numbers are sent exactly as given.
 *
 * @returns the number of rows that the service deleted
 * @throws ServiceError if a request fails; then nothing is erased in the data folder
 */
async function eraseAtService(named: readonly NamedId[], { config, invocation }: Night): Promise<number> {
  const deleted = z.looseObject({ data: z.number() });
  const users = named.map(({ kind, value }) => {
    const property = value.includes('@') ? '$email' : '$phone_number';
    return kind === 'user_id' ? { userId: value } : { userProperties: { [property]: value } };
  });
  await using service = ServiceClient.open(requireService(config), invocation);
  let rows = 0;
  for (let first = 0; first < users.length; first += 1000) {
    const request = deleteUsers(service.projectId, users.slice(first, first + 1000));
    const { verdict, body } = await service.ask(request);
    const answer = deleted.safeParse(verdict.kind === 'ok' ? JSON.parse(body.toString('utf8')) : undefined);
    if (!answer.success) {
      const reason = 'reason' in verdict ? verdict.reason : 'its answer has no count of deleted rows';
      throw new ServiceError(`The service did not delete these persons (E15): ${reason}.`, {
        hint: 'Nothing was erased here. Run again; deleting twice does no harm.',
      });
    }
    rows += answer.data.data;
  }
  return rows;
}

/** Parses the ids on the command line and in a file, whose lines are `user_id ID`, `recipient NUMBER` or `email ADDRESS`. */
function idsNamed({ userId, recipient, email, file }: ForgetOptions): NamedId[] {
  const options = { user_id: userId, recipient: recipient?.trim(), email: email?.trim() };
  const named = Object.entries(options).flatMap(([kind, value]) =>
    value === undefined ? [] : namedId(kind, value, `--${kind.replace('_', '-')}`),
  );
  if (file === undefined) return named;
  const text = textGiven(file, 'Use -f with a file that has one id per line.');
  const inFile = text.split(/\r?\n/).flatMap((line, nth) => {
    if (/^\s*(#|$)/.test(line)) return [];
    const [, kind = '', value = ''] = /^\s*(\w+)[\s,]+(.*)$/.exec(line) ?? [];
    return namedId(kind, value.trim(), `Line ${nth + 1} of ${file}`);
  });
  return [...named, ...inFile];
}

const NUMBER = /^\(?\+?[0-9][0-9 ().\u2010-\u2015-]{6,24}$/;
const FORMS = new Map([
  // CSV files may end lines with CR.
  ['user_id', { form: /^\P{Cc}*\S\P{Cc}*$/u, needs: 'a user id without a line break' }],
  ['recipient', { form: NUMBER, needs: 'a telephone number, such as 010-1234-5678' }],
  ['email', { form: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, needs: 'an e-mail address, such as kim@example.com' }],
]);
const NO_FORM = { form: /(?!)/, needs: '`user_id ID`, `recipient NUMBER` or `email ADDRESS`' };

/** @param where the option or the line that names the id; errors never repeat the id */
function namedId(kind: string, value: string, where: string): NamedId {
  const { form, needs } = FORMS.get(kind) ?? NO_FORM;
  if (form.test(value.normalize('NFKC')))
    return { kind: kind === 'user_id' ? 'user_id' : 'recipient', value };
  throw new UsageError(`${where} needs ${needs}.`, {
    hint: 'Correct it and try again. Nothing was erased.',
  });
}
