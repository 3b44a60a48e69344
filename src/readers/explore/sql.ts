/** Free SQL as a view: an editor, the answer as a table and a chart, and how to keep it as a question. */
import { Dictionary, entriesOf, type Language } from '../../warehouse/dictionary.js';
import { markup, prose, type Html } from '../report/html.js';
import type { Chart } from '../queries/catalogue.js';
import type { Known, Outcome } from './answer.js';
import { addressOf, type View } from './frame.js';
import { block, downloads } from './question.js';

const FIRST = ['marts.channel_days', 'marts.campaign_days', 'marts.messages', 'daily_statistics', 'events'];

/** The longest SQL that an address has; longer SQL is in the form alone. */
export const LONGEST_ADDRESS = 4_000;

export function editor(view: View, sql: string): Html {
  const links = FIRST.map(
    (name) => markup`<li><a href="${addressOf('/sql', [['q', `from ${name}\nlimit 20`]])}">${name}</a></li>`,
  );
  return markup`<h1>${view.word('sqlTitle')}</h1>
    <form class="sql" method="post" action="/sql">
      <textarea name="q" rows="8" spellcheck="false" aria-label="${view.word('sqlLabel')}" required>${'\n'}${sql}</textarea>
      <p><button>${view.word('ask')}</button> <span class="note">${view.word('sqlLabel')}. ${view.word('sqlHint')}</span></p>
      <label hidden>${view.word('history')} <select class="history"><option></option></select></label>
    </form>
    ${sql === '' ? markup`<p>${view.word('tryOne')}:</p><ul class="links">${links}</ul>` : undefined}`;
}

export function sqlAnswer(
  view: View,
  sql: string,
  outcome: Outcome,
  known: Known,
  queries: string | undefined,
): Html {
  const file = (ending: string): string => addressOf(`/sql.${ending}`, [['q', sql]]);
  const links = sql.length <= LONGEST_ADDRESS ? downloads(view, file) : undefined;
  return markup`${block(view, undefined, outcome, known)}${'sheet' in outcome ? [links, keeping(view, sql, outcome.sheet.charts, queries)] : undefined}`;
}

function keeping(view: View, sql: string, charts: readonly Chart[], queries: string | undefined): Html {
  if (queries === undefined) return markup`<p class="note">${prose(view.word('keepWhere'))}</p>`;
  const chart = charts
    .map(({ kind, columns, by }) => [kind, ...columns, ...(by === undefined ? [] : ['by', by])].join(' '))
    .join(', ');
  const field = (name: string, label: string, more = ''): Html =>
    markup`<label>${label}<input name="${name}" required pattern="${more || '.*\\S.*'}"></label>`;
  return markup`<form class="keep" method="post" action="/keep">
    <input type="hidden" name="q" value="${sql}"><input type="hidden" name="chart" value="${chart}">
    ${field('name', view.word('keepName'), '[a-z0-9]+(-[a-z0-9]+)*')}${field('title', view.word('keepTitle'))}${field('question', view.word('keepQuestion'))}
    <button>${view.word('keep')}</button></form>`;
}

export function schemaJson({ columns, macros }: Known, language: Language): string {
  const relations = entriesOf(columns, Dictionary.load(), language).flatMap((schema) => schema.relations);
  return JSON.stringify({
    relations: relations.map((one) => ({
      name: one.name,
      about: one.description,
      columns: one.columns.map(({ name, type, description }) => ({ name, type, about: description })),
    })),
    macros,
  });
}
