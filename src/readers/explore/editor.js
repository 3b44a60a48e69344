// Makes the text area of SQL an editor: it completes tables, columns and macros with their meanings, and keeps a history in this
// browser. Without it the text area works. The build bundles it with CodeMirror into dist/editor.js.
import { autocompletion } from '@codemirror/autocomplete';
import { PostgreSQL, keywordCompletionSource, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';

if (document.querySelector('select.history') === null)
  await new Promise((done) => addEventListener('DOMContentLoaded', done, { once: true }));
const area = document.querySelector('textarea[name=q]');
const { form } = area;
const known = await fetch('/schema.json').then((answer) => answer.json());

/** Tables and macros anywhere, and the columns of the tables that the text names. */
function complete(context) {
  const word = context.matchBefore(/[\w.]*/);
  if (word === null || (word.from === word.to && !context.explicit)) return null;
  const text = context.state.doc.toString();
  const named = known.relations.filter(({ name }) => text.includes(name.replace(/^\w+\./, '')));
  const columns = named.flatMap(({ columns: all }) => all);
  const from = context.state.sliceDoc(word.from, word.to).replace(/^(?!marts\.|ops\.|catalog\.)\w+\./, '');
  return {
    from: word.to - from.length,
    options: [
      ...new Map(
        columns.map((one) => [one.name, { label: one.name, detail: one.type, info: one.about, boost: 1 }]),
      ).values(),
      ...known.relations.map(({ name, about }) => ({ label: name, type: 'class', info: about })),
      ...known.macros.map(({ name, takes }) => ({ label: name, detail: takes, type: 'function' })),
    ],
    validFor: /^[\w.]*$/,
  };
}

const styles = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.number], color: 'var(--good)' },
  { tag: tags.comment, color: 'var(--quiet)' },
]);
const look = EditorView.theme({
  '&': {
    border: '1px solid var(--line)',
    borderRadius: '0.35rem',
    background: 'var(--paper)',
    fontSize: '0.95rem',
  },
  '.cm-scroller': {
    minHeight: '10rem',
    maxHeight: '60vh',
    overflow: 'auto',
    fontFamily: 'ui-monospace, monospace',
  },
  '.cm-gutters': { background: 'var(--card)', color: 'var(--quiet)', border: '0' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'var(--card)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--mark) !important' },
  '.cm-tooltip': { background: 'var(--card)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-completionInfo': { maxWidth: '22rem' },
});

// A shadow root takes style sheets without inline styles, which the policy of the page forbids.
const place = document.createElement('div');
area.before(place);
area.hidden = true;
const root = place.attachShadow({ mode: 'open' });
const view = new EditorView({
  doc: area.value,
  root,
  parent: root,
  extensions: [
    Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => (form.requestSubmit(), true) }])),
    basicSetup,
    sql({ dialect: PostgreSQL }),
    autocompletion({ override: [complete, keywordCompletionSource(PostgreSQL)] }),
    syntaxHighlighting(styles),
    look,
    EditorView.lineWrapping,
    // A form is checked before it is sent.
    EditorView.updateListener.of(({ state }) => (area.value = state.doc.toString())),
    EditorView.contentAttributes.of({ 'aria-label': area.getAttribute('aria-label') }),
  ],
});

const KEY = 'dawnload-sql';
const past = JSON.parse(localStorage.getItem(KEY) ?? '[]');
form.addEventListener('submit', () => {
  const all = [area.value, ...past.filter((one) => one !== area.value)];
  localStorage.setItem(KEY, JSON.stringify(all.slice(0, 30)));
});
const history = document.querySelector('select.history');
for (const [at, text] of past.entries())
  history.add(new Option(text.replace(/\s+/g, ' ').slice(0, 90), String(at)));
history.closest('label').hidden = past.length === 0;
history.addEventListener('change', () => {
  const insert = past[Number(history.value)];
  if (insert !== undefined) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
});
