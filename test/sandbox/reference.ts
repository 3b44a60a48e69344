/** Requests to the endpoints of catalogs, templates and opt-outs. */
import { expect } from 'vitest';

import type { Sandbox } from '../../sandbox/index.js';
import { ask, type Got, logIn, PROJECT } from './http.js';

export type Item = Record<string, unknown>;

export interface ItemPage {
  items: Item[];
  next_cursor: string | null;
  links: { next: string | null };
}

interface Detail {
  field: string;
  path: (string | number)[];
  code: string;
  message: string;
}

export const CATALOGS = `/v1/projects/${PROJECT}/catalogs`;

export async function reference(sandbox: Sandbox) {
  const token = await logIn(sandbox);
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    ask(sandbox, { method, path, body, headers, token });
  const catalogs = (method: string, rest: string, body?: unknown) => call(method, `${CATALOGS}${rest}`, body);
  async function page(name: string, cursor?: string): Promise<ItemPage> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    return dataOf(await catalogs('GET', `/${name}/items${query}`)) as ItemPage;
  }
  return {
    call,
    catalogs,
    page,
    /** A new catalog with these fields beside `id`. */
    async make(name: string, types: Record<string, string> = {}): Promise<void> {
      const got = await catalogs('POST', '', catalogOf(name, types));
      expect(got.status, got.text).toBe(201);
    },
    /** Every item of a catalog, page after page. */
    async all(name: string): Promise<Item[]> {
      const items: Item[] = [];
      let cursor: string | undefined;
      do {
        const got = await page(name, cursor);
        items.push(...got.items);
        cursor = got.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return items;
    },
    /** One catalog of the list. */
    async listed(name: string) {
      const data = dataOf(await catalogs('GET', '')) as {
        catalogs: (Item & { fields: unknown[]; num_items: number })[];
      };
      return data.catalogs.find((one) => one['name'] === name);
    },
  };
}

export type Reference = Awaited<ReturnType<typeof reference>>;

/** The body that makes a catalog with these fields beside `id`. */
export function catalogOf(name: unknown, types: Record<string, string> = {}) {
  const fields = Object.entries(types).map(([field, type]) => ({ name: field, type }));
  return {
    name,
    description: 'For a test',
    data_classification: 'non_personal',
    fields: [{ name: 'id', type: 'string' }, ...fields],
  };
}

/** `data` of an answer with status 200: each test knows what it is. */
export function dataOf(got: Got): unknown {
  expect(got.status, got.text).toBe(200);
  return (got.json as unknown as { data: unknown }).data;
}

/** Expects a 400 with these details, each as `field code`. */
export function expectRefused(got: Got, ...details: string[]): Detail[] {
  expect(got.status, got.text.slice(0, 500)).toBe(400);
  const { data, error } = got.json as unknown as {
    data: unknown;
    error: { code: string; message: string; details: Detail[] };
  };
  expect(data).toBeNull();
  expect(error.code).toBe('INVALID_ARGUMENT');
  expect(error.message).toBeTypeOf('string');
  expect(error.details.map(({ field, code }) => `${field} ${code}`)).toEqual(details);
  return error.details;
}

/** Expects an error of the catalog family without details. */
export function expectError(got: Got, status: number, code: string): void {
  expect(got.status, got.text.slice(0, 500)).toBe(status);
  expect(got.json).toEqual({ data: null, error: { code, message: expect.any(String) as string } });
}

export const DONE = { data: null, error: null };
