/** What a part of the report shows of answers that a test makes up. */
import { parseHTML } from 'linkedom';
import type { Language } from '../../src/dictionary/dictionary.js';
import { Page } from '../../src/report/page.js';
import type { ReadyPart, Shown } from '../../src/report/part.js';

export const DAY = '2026-11-20';

export function shown(
  part: ReadyPart,
  answers: readonly unknown[],
  given: ConstructorParameters<typeof Page>[3] = {},
  language: Language = 'en',
): Shown {
  const found = part.show(answers, new Page(language, DAY, DAY, given));
  if (found === undefined) throw new Error('nothing is shown');
  return found;
}

export const textOf = (body: { markup: string }): string =>
  (parseHTML(`<main>${body.markup}</main>`).document.querySelector('main')?.textContent ?? '').replace(
    /[ \n]+/g,
    ' ',
  );
