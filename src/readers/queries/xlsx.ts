/**
 * Writes an answer as an Excel workbook with one sheet. Rows are written as they come, so that the largest sheet needs no more memory than
 * a small one; libraries that build the sheet first need 2 GB for it.
 */
import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { cellText, isNumeric, KST_OFFSET_MICROS, type Naming, type QueryResult } from './formats.js';
import { unitOf } from './wording.js';
import duckdb = require('@duckdb/node-api');

/** Maximum number of rows on a sheet, below the headers. */
export const SHEET_ROWS = 1_048_575;

const CELL_CHARACTERS = 32_767;
const CUT = ' … (cut: Excel has no longer cells)';

/** Formats of cells, by their index in `cellXfs` of the styles. */
const FORM = { plain: 0, head: 1, percent: 2, day: 3, instant: 4 } as const;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${CONTENT}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}"><sheets><sheet name="answer" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="164" formatCode="0.0%"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="166" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/></font><font><b/><sz val="11"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/></border></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="5"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf numFmtId="165" applyNumberFormat="1"/><xf numFmtId="166" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};

/**
 * Yields the bytes of the workbook. Rates are percentages, days and instants are dates (instants in Korean time), and numbers that Excel
 * would round are text.
 *
 * @param answer its first 1,048,575 rows are written
 */
export async function* xlsxBytes(answer: QueryResult, naming: Naming): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    made.push(bytes);
  });
  const add = (name: string): ZipDeflate => {
    const part = new ZipDeflate(name, { level: 6 });
    zip.add(part);
    return part;
  };
  for (const [name, text] of Object.entries(PARTS)) add(name).push(strToU8(XML + text), true);
  const sheet = add('xl/worksheets/sheet1.xml');
  const heads = answer.columns.map(({ name }) => naming.head(name));
  const widths = heads.map(
    (head, i) =>
      `<col min="${i + 1}" max="${i + 1}" width="${Math.min(40, Math.max(12, head.length * 1.3))}" customWidth="1"/>`,
  );
  sheet.push(
    strToU8(
      `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData><row>${heads.map((head) => textCell(head, FORM.head)).join('')}</row>`,
    ),
  );
  let rows = 0;
  for await (const chunk of answer.chunks) {
    const fitting = chunk.getRows().slice(0, SHEET_ROWS - rows);
    rows += fitting.length;
    const lines = fitting.map((row) =>
      answer.columns.map(({ name, type }, i) => cell(name, type, row[i] ?? null, naming)).join(''),
    );
    sheet.push(strToU8(lines.map((line) => `<row>${line}</row>`).join('')));
    yield* made.splice(0);
    if (rows === SHEET_ROWS) break;
  }
  sheet.push(strToU8('</sheetData></worksheet>'), true);
  zip.end();
  yield* made;
}

function cell(column: string, type: DuckDBType, value: DuckDBValue, { word, words }: Naming): string {
  if (value === null) return '<c/>';
  if (typeof value === 'string') return textCell(word(column, value));
  if (typeof value === 'boolean') return `<c t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = words?.(column, value) ?? cellText(value, type);
  if (isNumeric(type) && isExact(text)) {
    const unit = unitOf(column);
    return numberCell(text, unit === 'rate' || unit === 'change' ? FORM.percent : FORM.plain);
  }
  if (value instanceof duckdb.DuckDBDateValue && isDay(value.days))
    return numberCell(String(value.days + EPOCH), FORM.day);
  if (value instanceof duckdb.DuckDBTimestampTZValue) {
    const days = Number(value.micros + KST_OFFSET_MICROS) / 86_400_000_000;
    if (isDay(days)) return numberCell(String(days + EPOCH), FORM.instant);
  }
  return textCell(text);
}

/** 1970-01-01 as a day number of Excel. */
const EPOCH = 25_569;

/** Excel has days from 1900-03-01 (earlier ones are wrong) to 9999-12-31. */
const isDay = (days: number): boolean => days + EPOCH >= 61 && days + EPOCH < 2_958_466;

/** Excel keeps 15 significant digits, and has neither infinity nor NaN. */
const isExact = (text: string): boolean =>
  Number.isFinite(Number(text)) &&
  (text.includes('e') || text.replace(/\D/g, '').replace(/^0+/, '').length <= (text.includes('.') ? 17 : 15));

const numberCell = (text: string, form: number): string => `<c s="${form}"><v>${text}</v></c>`;

/** A text cell, which Excel never runs as a formula. Characters that XML does not allow are escaped as Excel does. */
function textCell(text: string, form: number = FORM.plain): string {
  const fitting =
    text.length <= CELL_CHARACTERS ? text : `${text.slice(0, CELL_CHARACTERS - CUT.length)}${CUT}`;
  const escaped = fitting
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(
      /(?![\t\n])[\p{Cc}\ufffe\uffff]/gu,
      (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
  return `<c s="${form}" t="inlineStr"><is><t xml:space="preserve">${escaped}</t></is></c>`;
}
