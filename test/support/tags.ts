/** Tests that `npm run test:long` runs, and those that only `npm run test:all` does. */
import { test } from 'vitest';

type Tagged = (title: string, work: () => void | Promise<void>, timeout?: number) => void;

const tagged =
  (tag: 'long' | 'extended'): Tagged =>
  (title, work, timeout) => {
    test(title, { tags: [tag], ...(timeout !== undefined && { timeout }) }, work);
  };

export const long = tagged('long');
export const extended = tagged('extended');
