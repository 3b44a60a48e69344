/** E12: who asked on an 080 number for no more advertising. */
import { type Reply, jsonAnswer } from '../answer.js';
import type { Call } from '../endpoint.js';
import { refuse } from '../family.js';
import type { Settings } from '../options.js';
import { entriesOf, pageOf } from '../paging.js';
import { createOptOuts, type OptOut, type OptOuts } from '../world/opt-outs.js';
import type { World } from '../world/plan.js';

/** Recipients of a page when the request does not say. */
const PAGE_SIZE = 15;

/** Longest filter that is a number. */
const NUMBER_LENGTH = 25;

const FIRST = '0000-01-01 00:00:00';
const LAST = '9999-12-31 23:59:59';

export class OptOutList {
  private readonly world: OptOuts;

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

  private between(start: string, end: string): OptOut[] {
    return this.world
      .between(start.slice(0, 10), end.slice(0, 10), this.settings.now())
      .filter(({ requestDate }) => requestDate >= start && requestDate <= end);
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(text)) return false;
  const instant = new Date(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().slice(0, 19).replace('T', ' ') === text;
}
