/** E20 and E21: paid event exports, asked for, made in a while, and read page by page. */
import { randomBytes } from 'node:crypto';

import { z } from 'zod';

import { type Reply, bytesAnswer, jsonAnswer } from './answer.js';
import type { Bills } from './bills.js';
import { refuse } from './family.js';
import type { Settings } from './options.js';
import { type Catalogue, createCatalogue } from './world/catalogue.js';
import { ExportSet } from './world/export-set.js';
import type { World } from './world/plan.js';

/** Records of a page (E21). */
export const PAGE_RECORDS = 1000;

const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/, 'must be an ISO 8601 UTC timestamp')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is no time that exists');

const ExportRequest = z.object({ start: instant, end: instant, isMessageDataIncluded: z.boolean() });

interface Export {
  readonly set: ExportSet;
  readonly pages: number;
  /** On the monotonic clock, in milliseconds: exports are made in real time even where the clock stands still. */
  readonly readyAt: number;
}

export interface Exports {
  /** E20. Billed here, and nowhere else. */
  request(body: unknown): Reply;
  /** E21. */
  read(exportId: string, query: URLSearchParams): Reply;
  /** How an export or a project that is not known reads. */
  notFound(): Reply;
}

export function createExports(settings: Settings, world: World, bills: Bills): Exports {
  const catalogue: Catalogue = createCatalogue(settings);
  const known = new Map<string, Export>();

  function request(body: unknown): Reply {
    const parsed = ExportRequest.safeParse(body);
    if (!parsed.success) return refuse('export', 'invalid', z.prettifyError(parsed.error));
    const now = settings.now();
    const start = new Date(parsed.data.start);
    const end = new Date(parsed.data.end);
    if (end <= start) return refuse('export', 'invalid', 'end must be after start');
    if (end > now) return refuse('export', 'invalid', 'end must not be in the future');

    const withMessages = parsed.data.isMessageDataIncluded;
    const set = new ExportSet(world, catalogue, start, end, withMessages, now);
    const id = randomBytes(12).toString('hex');
    known.set(id, {
      set,
      pages: Math.ceil(set.count / PAGE_RECORDS),
      readyAt: now.getTime() + settings.exportSeconds * 1000,
    });
    bills.add({
      at: now.toISOString(),
      export_id: id,
      start: parsed.data.start,
      end: parsed.data.end,
      message_data: withMessages,
      records: set.count,
    });
    return jsonAnswer({ export_id: id });
  }

  function notFound(): Reply {
    return jsonAnswer({ status: 'not_found', message: 'Project or export not found.' }, 404);
  }

  function read(exportId: string, query: URLSearchParams): Reply {
    const found = known.get(exportId);
    if (found === undefined) return notFound();
    if (settings.now().getTime() < found.readyAt) {
      return jsonAnswer({
        status: 'processing',
        message: 'Data is being generated. Please try again later.',
      });
    }
    const text = query.get(settings.pageParameter) ?? '0';
    const page = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    const isEmpty = found.pages === 0 && page === 0 && settings.emptyExport === 'success';
    if (!(page < found.pages) && !isEmpty) {
      return jsonAnswer({ status: 'invalid_page', message: `Valid pages: 0 to ${found.pages - 1}.` }, 400);
    }
    return bytesAnswer(
      found.set.write(
        page * PAGE_RECORDS,
        PAGE_RECORDS,
        '{"status":"success","data":[',
        `],"total_page_count":${found.pages}}`,
      ),
    );
  }

  return { request, read, notFound };
}
