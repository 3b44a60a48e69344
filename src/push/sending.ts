/** Sends the calls of a push: the intent is durable before a call leaves, what the service said of it after. */
import { unanswered, type Permit, type ServiceAnswer, type ServiceClient } from '../service/client.js';
import type { OnceRequest } from '../service/endpoints.js';
import {
  isMissing,
  namedIn,
  onceOutcome,
  refusalOf,
  shownText,
  takenBy,
  withoutWords,
} from '../service/written.js';
import type { ServiceConfig } from '../config/config.js';
import { ServiceError } from '../ground/errors.js';
import type { Invocation } from '../config/invocation.js';
import { declaredFields } from '../reference/catalogs.js';
import { GONE, type PushedRows } from '../landing/pushed-rows.js';
import type { Session } from '../warehouse/session.js';
import { z } from 'zod';
import { adviceOn, callsOf, sentRows, type Push, type PushLedger } from './ledger.js';
import { callsIn, type Plan, type Row } from './plan.js';
import { requestOf, takesAway, targetText, type Target } from './targets.js';

/** Statuses of a call that is refused for what one of its rows holds. */
const OF_ROWS: readonly (number | undefined)[] = [200, 400, 409, 413, 422];

/** So many refused calls in a row: the service refuses the push, not its rows. */
const HOPELESS = 256;

interface Tools {
  readonly ledger: PushLedger;
  readonly pushed: PushedRows;
  readonly session: Session;
  readonly service: ServiceClient;
  readonly config: ServiceConfig;
  readonly invocation: Invocation;
  readonly how: {
    /** Shows a text of the service to a person. */
    show(text: string): void;
  };
}

interface Calling {
  readonly push: Push;
  readonly target: Target;
  readonly plan: Plan;
  /** The number of the first call. */
  readonly first: number;
  /** False if the push goes on. */
  readonly isNew: boolean;
  /** The fingerprint of the key of the hashes. */
  readonly madeWith: string;
}

const taken = z.tuple([z.object({ calls: z.number(), rows: z.number() })]);

export class Sending {
  readonly counted = { sent: 0, rejected: 0, calls: 0 };
  readonly #tools: Tools;
  readonly #calling: Calling;
  #target: Target;
  #columns: string;
  #refused = 0;
  #call: number;
  #taken = { calls: 0, rows: 0 };
  #catalogIsThere = false;

  constructor(tools: Tools, calling: Calling) {
    this.#tools = tools;
    this.#calling = calling;
    this.#target = calling.target;
    this.#columns = calling.plan.columns;
    this.#call = calling.first;
  }

  async all(): Promise<void> {
    const { session, ledger } = this.#tools;
    const { push, target, plan, isNew } = this.#calling;
    // Calls of a process that was killed count too.
    [this.#taken] = taken.parse(await session.rowsWith('push/taken', z.unknown(), { push: push.id }));
    for (const { reason, rows } of plan.invalid) {
      this.counted.rejected += rows;
      if (isNew) await ledger.write(push, { event: 'rejected', rows, reason });
    }
    for await (const rows of callsIn(session, 'push/to_send', target)) await this.#send(rows);
    if (plan.gone === 0) return;
    [this.#target, this.#columns] = [{ ...target, mode: 'delete' }, GONE];
    for await (const rows of callsIn(session, 'push/to_delete', target)) await this.#send(rows);
  }

  /** Notes in the journal what calls that may be repeated took, also those of a command that was killed. */
  async noteSent(): Promise<void> {
    const { ledger, invocation } = this.#tools;
    const { push } = this.#calling;
    const rows = this.#taken.rows - sentRows(push);
    const calls = this.#taken.calls - callsOf(push);
    if (!push.once && calls > 0)
      await ledger.write(push, { event: 'sent', rows, calls, run: invocation.runId });
  }

  async #reject(rows: readonly Row[], reason: string): Promise<void> {
    const { ledger, pushed } = this.#tools;
    const { push } = this.#calling;
    this.counted.rejected += rows.length;
    await pushed.reject(push.id, reason, rows);
    await ledger.write(push, { event: 'rejected', rows: rows.length, reason });
  }

  /** Sends the rows in one call. */
  async #send(rows: readonly Row[]): Promise<void> {
    const { service, config, pushed, invocation } = this.#tools;
    const { push, madeWith: made_with } = this.#calling;
    invocation.signal.throwIfAborted();
    const request = requestOf(
      this.#target,
      config.projectId,
      rows.map(({ item }) => item),
    );
    // The token comes first, so that a call that lacks one is never recorded as intended.
    const permit = await service.authorize();
    const call = this.#call++;
    const about = { target: targetText(this.#target), push: push.id, call, made_with };
    const line = await pushed.intend({ ...about, columns: this.#columns }, rows);
    this.counted.calls++;
    if (request.once) return this.#sendOnce(rows, request, { call, line, permit });
    const answer = await service.ask(request).catch(withoutWords);
    invocation.effects.reach('push/answered');
    const count = takenBy(request.endpoint, answer, rows.length);
    // An item that a repeated call does not find is taken away already.
    const isGone = takesAway(this.#target) && rows.length === 1 && (await this.#isNoItem(answer));
    if (count === rows.length || isGone) {
      await pushed.taken(push.id, call);
      this.#taken = { calls: this.#taken.calls + 1, rows: this.#taken.rows + rows.length };
      this.counted.sent += rows.length;
      this.#refused = isGone ? this.#refused + 1 : 0;
      if (this.#refused > HOPELESS) throw this.#failure(answer, `${HOPELESS} calls found no item`);
    } else if (count !== undefined) {
      const reason = 'the service did not count it';
      await (count === 0 ? this.#reject(rows, reason) : this.#divide(rows, reason));
    } else await this.#refusal(rows, answer);
  }

  /** Sends a call that must not be repeated (E13, E16). */
  async #sendOnce(
    rows: readonly Row[],
    request: OnceRequest,
    { call, line, permit }: { call: number; line: string; permit: Permit },
  ): Promise<void> {
    const { ledger, config, invocation, how } = this.#tools;
    const { push } = this.#calling;
    const { runId: run, effects } = invocation;
    await ledger.write(push, { event: 'intended', call, run, rows: rows.length, line });
    const answer = await permit.sendOnce(request);
    effects.reach('push/answered');
    const endpoint = request.endpoint === 'E13' ? 'E13' : 'E16';
    const { outcome, text } = onceOutcome(endpoint, answer, rows.length, config.push);
    const note = outcome === 'acknowledged' ? undefined : refusalOf(answer);
    await ledger.write(push, { event: 'settled', call, outcome, note });
    if (outcome === 'acknowledged') {
      this.counted.sent += rows.length;
      this.#refused = 0;
      return;
    }
    if (outcome === 'refused') return this.#refusal(rows, answer);
    if (outcome === 'withdrawn') throw this.#failure(answer);
    if (text !== undefined) {
      const items = rows.map(({ item }) => item);
      how.show(
        `The service said: ${shownText(text, items)} If you know what it means, list the text in dawnload.yaml under ${answer.status === 200 ? 'push.acknowledgements, with {count} for the number of rows' : 'push.refusals'}.`,
      );
    }
    throw new ServiceError(`The outcome of a call is unknown, so the push stopped. ${adviceOn(push)}`);
  }

  /** Divides the rows that the service does not take, until the refused rows are found. */
  async #refusal(rows: readonly Row[], answer: ServiceAnswer): Promise<void> {
    const reason = refusalOf(answer);
    const isOfRows = answer.verdict.kind === 'refused' && OF_ROWS.includes(answer.status);
    if (!isOfRows && !(await this.#isNoItem(answer))) throw this.#failure(answer, reason);
    this.#refused++;
    if (this.#refused > HOPELESS) throw this.#failure(answer, `${HOPELESS} calls were refused, ${reason}`);
    const named = namedIn(answer, rows.length);
    for (const [nth, why] of named) await this.#reject(rows.slice(nth, nth + 1), why);
    const rest = rows.filter((_, nth) => !named.has(nth));
    if (named.size > 0 && rest.length > 0) await this.#send(rest);
    else if (named.size === 0) await this.#divide(rows, reason);
  }

  async #divide(rows: readonly Row[], reason: string): Promise<void> {
    if (rows.length === 1) return this.#reject(rows, reason);
    const middle = Math.ceil(rows.length / 2);
    await this.#send(rows.slice(0, middle));
    await this.#send(rows.slice(middle));
  }

  /** True if a catalog says that an item is not there, and the catalog itself is. */
  async #isNoItem(answer: ServiceAnswer): Promise<boolean> {
    const { service, config } = this.#tools;
    if (this.#target.kind !== 'catalog-items' || !isMissing(answer)) return false;
    if (!this.#catalogIsThere) await declaredFields(service, config.baseUrl, this.#target.name, []);
    this.#catalogIsThere = true;
    return true;
  }

  #failure({ verdict }: ServiceAnswer, reason = 'no usable answer'): ServiceError {
    const what = targetText(this.#target);
    if (verdict.kind === 'unreachable' && !verdict.sent)
      return unanswered(what, this.#tools.config.baseUrl, verdict);
    const { push } = this.#calling;
    const rows = push.once ? sentRows(push) : this.#taken.rows;
    return new ServiceError(`The push to ${what} stopped: ${reason}.`, {
      hint: `${rows} rows were taken. The same command goes on with the others.`,
    });
  }
}
