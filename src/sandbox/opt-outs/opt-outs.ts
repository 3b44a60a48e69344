/** E12: who asked on an 080 number for no more advertising. */
import { z } from 'zod';

import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { entriesOf, pageOf } from '../paging.js';
import { byTime, createOptOuts, koreanDate, type OptOut, type OptOuts } from '../world/opt-outs.js';
import type { World } from '../world/plan.js';

/** Recipients of a page when the request does not say. */
const PAGE_SIZE = 15;

/** Longest filter that is a number. */
const NUMBER_LENGTH = 25;

const Recipients = z.object({
  unsubscribeNo: z.string().regex(/^080\d{7,8}$/, 'must be an 080 number'),
  recipientNoList: z.array(z.string().min(1).max(NUMBER_LENGTH)).min(1),
});

const FIRST = '0000-01-01 00:00:00';
const LAST = '9999-12-31 23:59:59';

export class OptOutList {
  private readonly world: OptOuts;
  /** Those registered by request, by number and recipient. */
  private readonly registered = new Map<string, OptOut>();
  /** When a number and recipient were removed last: what was asked for until then is gone. */
  private readonly removed = new Map<string, string>();

  constructor(
    private readonly settings: Settings,
    world: World,
  ) {
    this.world = createOptOuts(world);
  }

  /** GET. Start and end are both part of the range. */
  list({ query }: Call): Reply {
    const page = pageOf(query, this.settings.pageParameters.E12, PAGE_SIZE);
    if (typeof page === 'string') return refuse('opt-out', 'invalid', page);
    const unsubscribeNo = query.get('unsubscribeNo') ?? '';
    const recipientNo = query.get('recipientNo') ?? '';
    if (unsubscribeNo.length > NUMBER_LENGTH || recipientNo.length > NUMBER_LENGTH) {
      return refuse('opt-out', 'invalid', `numbers have at most ${NUMBER_LENGTH} characters`);
    }
    const start = query.get('startRequestDate') ?? FIRST;
    const end = query.get('endRequestDate') ?? LAST;
    if (!isDate(start) || !isDate(end)) {
      return refuse('opt-out', 'invalid', 'request dates must be yyyy-MM-dd HH:mm:ss');
    }
    if (end < start)
      return refuse('opt-out', 'invalid', 'endRequestDate must not be before startRequestDate');
    const found = this.between(start, end).filter(
      (one) =>
        (unsubscribeNo === '' || one.unsubscribeNo === unsubscribeNo) &&
        (recipientNo === '' || one.recipientNo === recipientNo),
    );
    return jsonAnswer({
      pageNum: page.number,
      pageSize: page.size,
      totalCount: found.length,
      data: entriesOf(found, page),
    });
  }

  /** POST. Who is registered already stays so. */
  register({ body }: Call): Reply {
    const parsed = Recipients.safeParse(body);
    if (!parsed.success) return refuse('opt-out', 'invalid', z.prettifyError(parsed.error));
    const { unsubscribeNo, recipientNoList } = parsed.data;
    const requestDate = koreanDate(this.settings.now());
    for (const recipientNo of recipientNoList) {
      const one = { unsubscribeNo, recipientNo, requestDate };
      if (!this.registered.has(keyOf(one))) this.registered.set(keyOf(one), one);
    }
    return jsonAnswer({ success: true });
  }

  /** DELETE. Whoever is not registered is passed over. */
  remove({ body }: Call): Reply {
    const parsed = Recipients.safeParse(body);
    if (!parsed.success) return refuse('opt-out', 'invalid', z.prettifyError(parsed.error));
    const { unsubscribeNo, recipientNoList } = parsed.data;
    const now = koreanDate(this.settings.now());
    for (const recipientNo of recipientNoList) {
      const key = keyOf({ unsubscribeNo, recipientNo });
      this.registered.delete(key);
      this.removed.set(key, now);
    }
    return jsonAnswer({ success: true });
  }

  private between(start: string, end: string): OptOut[] {
    const asked = this.world
      .between(start.slice(0, 10), end.slice(0, 10), this.settings.now())
      .filter((one) => one.requestDate > (this.removed.get(keyOf(one)) ?? ''));
    const all = this.registered.size === 0 ? asked : [...asked, ...this.registered.values()].sort(byTime);
    return all.filter(({ requestDate }) => requestDate >= start && requestDate <= end);
  }
}

function keyOf({ unsubscribeNo, recipientNo }: Omit<OptOut, 'requestDate'>): string {
  return `${unsubscribeNo}/${recipientNo}`;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return false;
  const instant = new Date(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 19).replace('T', ' ') === text;
}
