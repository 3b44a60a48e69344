/** The text that people read in HTML. */
import { expect, test } from 'vitest';
import { withoutTags } from '../../../src/readers/report/html.js';

test.each([
  ['no tags: 1 < 2 & 3', 'no tags: 1 < 2 & 3'],
  ['<h1>Sale</h1><p>A &amp; B<br>from&nbsp;#{price} &#44148;</p>', 'Sale\nA & B\nfrom #{price} 건'],
  ['<style>p{}</style><script>x()</script><!-- <p>old</p> --><p>1 < 2</p>', '1 < 2'],
  ['<p><img src="https://a.example/b.png" alt="A cat"></p>', 'A cat: https://a.example/b.png'],
  ['İİ<STYLE>p{}</STYLE><p>İ sold</p>', 'İİ\nİ sold'],
  ['<p>kept</p> then <b unfinished', 'kept\nthen <b unfinished'],
])('%s is read as %s', (html, text) => {
  expect(withoutTags(html)).toBe(text);
});

test('tags that never end take no time', () => {
  const begun = performance.now();
  for (const piece of ['<style>', '<', '<a', '<!--', '<p '] as const) withoutTags(piece.repeat(50_000));
  expect(performance.now() - begun).toBeLessThan(2_000);
});
