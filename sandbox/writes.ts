/** The users, events, journeys and messages that E7 to E9 and E13 to E16 write, as statistics and exports show them. */
import { createHash } from 'node:crypto';
import { type Day, dayOf } from '../src/ground/calendar.js';
import type { EndpointName } from './endpoint.js';
import { isRecord } from './json.js';
import type { Settings } from './options.js';
import { recordOf } from './world/catalogue.js';
import { hasMessageData, identityOf, type Written } from './world/export-set.js';
import { recipientOf } from './world/messages/chatapp.js';
import type { Json, JsonObject } from './world/messages/json.js';
import { phoneOf, userOfPhone } from './world/numbers.js';
import { koreanDate } from './world/opt-outs.js';
import { type DayPlan, dayNumber, type StreamDay, type World } from './world/plan.js';
import { hashText } from './world/random.js';
import type { Role, Segment } from './world/segment.js';
import { audienceOf, eventMicros, messageChance, sendingOf, userOf } from './world/sending.js';
import type { Stream } from './world/stream.js';
import { HOLE_MARK } from './world/template.js';

export interface Message {
  readonly endpoint: EndpointName;
  readonly stream: Stream;
  readonly userId: string;
  /** Null where the channel has no numbers. */
  readonly recipientNo: string | null;
  /** This message's own keys of `message_data`. */
  readonly content: JsonObject;
  /** Advertising does not reach people who opted out. */
  readonly isAd: boolean;
  /** Why it fails for every recipient; null if it does not. */
  readonly fault: string | null;
  /** The text that is sent instead when it fails; null without one. */
  readonly failoverText: string | null;
}

/** A record of E21, which E17 to E19 count. */
interface WrittenEvent {
  readonly message: Message;
  /** Its number among all written records, from which its id is made. */
  readonly number: number;
  readonly micros: number;
  readonly event: string;
  readonly role: Role;
  readonly reason: string | null;
}

/** Selects the users that match all its properties (E15). */
export interface Selector {
  readonly userId?: string | undefined;
  readonly properties: Readonly<Record<string, Json | undefined>>;
}

const MOBILE = /^01[016789]\d{7,8}$/;
const OPTED_OUT = '수신 거부된 번호';
const WRONG_NUMBER = '수신번호 오류';
const PHONE = '$phone_number';

/** The channels whose messages go to a number. */
const WITH_NUMBER = ['text-message', 'friendtalk', 'alimtalk'];

export class Writes implements Written {
  private readonly users = new Map<string, JsonObject>();
  /** Deleted users, and how much had been written before that. */
  private readonly deleted = new Map<string, { readonly at: string; readonly number: number }>();
  /** The deleted users to whom the world sends, by number, and the time of the first deletion in microseconds. */
  private readonly gone = new Map<number, number>();
  private readonly tracked: JsonObject[] = [];
  private readonly entered: JsonObject[] = [];
  private readonly messages: JsonObject[] = [];
  private readonly events = new Map<Day, WrittenEvent[]>();
  private readonly population: number;
  private count = 0;

  constructor(
    private readonly settings: Settings,
    private readonly world: World,
    private readonly optedOut: () => ReadonlySet<string>,
  ) {
    this.population = Math.max(...world.streams.map((one) => audienceOf(one, world.scale) * one.arms));
  }

  /** Whether a user is known, or is created by this request. */
  admits(userId: string): boolean {
    if (this.exists(userId)) return true;
    if (this.settings.unknownUsers === 'ignored') return false;
    this.users.set(userId, {});
    return true;
  }

  /** Null removes a property. */
  setProperties(userId: string, properties: JsonObject): void {
    const all = Object.entries({ ...this.users.get(userId), ...properties });
    this.users.set(userId, Object.fromEntries(all.filter(([, value]) => value !== null)));
  }

  /** The users that match a selector. */
  find({ userId, properties }: Selector): string[] {
    const lists = Object.entries(properties).map(([name, value]) => this.having(name, value ?? null));
    if (userId !== undefined) lists.push(this.exists(userId) ? [userId] : []);
    const [first = [], ...rest] = lists;
    return first.filter((one) => rest.every((list) => list.includes(one)));
  }

  /** The user with a number. An unknown number is its own user, named by a hash. */
  userAt(recipientNo: string): string {
    const [known] = this.having(PHONE, recipientNo);
    return known ?? `recipient_${createHash('sha256').update(recipientNo).digest('hex').slice(0, 12)}`;
  }

  delete(userId: string): void {
    const now = this.settings.now();
    this.users.delete(userId);
    this.deleted.set(userId, { at: now.toISOString(), number: this.count });
    const user = worldUser(userId);
    if (user !== null && !this.gone.has(user)) this.gone.set(user, now.getTime() * 1000);
  }

  /** An event sends the campaign it triggers, if any, to its user (E13). */
  track(event: JsonObject, name: string, userId: string): void {
    this.tracked.push({ at: this.settings.now().toISOString(), ...event });
    this.sendStep('E13', this.settings.triggers[name], userId);
  }

  isJourney(id: string): boolean {
    return this.world.streams.some((one) => one.resourceType === 'user-journey' && one.resourceId === id);
  }

  /** A user who enters a journey is sent its first step immediately (E16). */
  enter(userJourneyId: string, user: JsonObject, userId: string): void {
    this.entered.push({ at: this.settings.now().toISOString(), userJourneyId, ...user });
    this.sendStep('E16', userJourneyId, userId);
  }

  private sendStep(endpoint: EndpointName, resourceId: string | undefined, userId: string): void {
    const stream = this.world.streams.find((one) => one.resourceId === resourceId);
    if (stream === undefined) return;
    const recipientNo = WITH_NUMBER.includes(stream.channel) ? this.numberOf(userId) : null;
    const { title, body } = stream.copy;
    const isAd = title.startsWith('(광고)') || body.startsWith('(광고)');
    const failoverText = stream.channel === 'alimtalk' ? body : null;
    const content = recipientNo === null ? {} : { recipientNo };
    this.send([{ endpoint, stream, userId, recipientNo, content, isAd, fault: null, failoverText }]);
  }

  /** Sends messages immediately. */
  send(messages: readonly Message[]): void {
    const optedOut = messages.some(({ isAd }) => isAd) ? this.optedOut() : new Set<string>();
    for (const message of messages) this.deliver(message, optedOut);
  }

  /** One event, and a second one if a text is sent instead of a failed message. */
  private deliver(message: Message, optedOut: ReadonlySet<string>): void {
    const now = this.settings.now();
    const { endpoint, stream, userId, recipientNo, content, failoverText } = message;
    const reason = reasonOf(message, optedOut);
    const names: string[] = [];
    const add = (event: string, role: Role, why: string | null) => {
      const day = dayOf(now);
      const number = this.count++;
      const one = {
        message,
        number,
        micros: now.getTime() * 1000 + (number % 1000),
        event,
        role,
        reason: why,
      };
      const events = this.events.get(day) ?? [];
      this.events.set(day, events);
      events.push(one);
      names.push(event);
    };
    if (reason === null) add('send_success', 'success', null);
    else add('send_failure', 'failure', reason);
    const isSentAgain = reason !== null && reason !== OPTED_OUT && failoverText !== null;
    if (isSentAgain) {
      if (MOBILE.test(recipientNo ?? '')) add('failover_text_message_send_success', 'other', null);
      else add('failover_text_message_send_failure', 'other', WRONG_NUMBER);
    }
    this.messages.push({
      at: now.toISOString(),
      endpoint,
      resourceId: stream.resourceId,
      channel: stream.channel,
      userId,
      events: names,
      failureReason: reason,
      content,
      failoverText: isSentAgain ? failoverText : null,
    });
  }

  /** A day's plan, with that day's written events and without events of users after their deletion. */
  over(plan: DayPlan): DayPlan {
    const events = this.events.get(plan.day);
    if (events === undefined && this.gone.size === 0) return plan;
    const known = plan.streams.map((part) => ({
      ...part,
      segments: part.segments.map((segment) => ({ ...segment, gone: this.goneOf(segment, plan) })),
    }));
    const written = [...grouped(events ?? [], ({ message }) => message.stream)].map(
      ([stream, list]): StreamDay => ({
        stream,
        conversions: [],
        segments: [...grouped(list, ({ event }) => event).values()].map((same) =>
          segmentOf(stream, same, plan),
        ),
      }),
    );
    return { ...plan, streams: [...known, ...written] };
  }

  private goneOf(segment: Segment, plan: DayPlan): number[] {
    if (this.gone.size === 0) return [];
    const sending = sendingOf(segment.stream, segment.sentOn, this.world.scale);
    const sends: number[] = [];
    for (let send = segment.first; send < segment.first + segment.count; send += 1) {
      const since = this.gone.get(userOf(sending, send));
      if (since === undefined) continue;
      const micros = plan.startMicros + eventMicros(segment, sending, messageChance(sending, send));
      if (micros >= since) sends.push(send);
    }
    return sends;
  }

  get hidesSome(): boolean {
    return this.gone.size > 0;
  }

  hides(user: number): boolean {
    return this.gone.has(user);
  }

  recordsOf(day: Day, from: number, to: number, withMessages: boolean): Buffer[] {
    return (this.events.get(day) ?? [])
      .filter(({ micros, number, message: { userId } }) => {
        return micros >= from && micros < to && number >= (this.deleted.get(userId)?.number ?? 0);
      })
      .map((one) => Buffer.from(JSON.stringify(this.record(one, day, withMessages))));
  }

  /** A record as the world's are, with the user and the content of the message. */
  private record(
    { message, number, micros, event, reason }: WrittenEvent,
    day: Day,
    withMessages: boolean,
  ): JsonObject {
    const { stream, userId, content } = message;
    const user = worldUser(userId) ?? hashText(userId);
    const id = createHash('sha256').update(`${this.world.seed}/${number}`).digest('hex');
    const holes: Readonly<Record<string, string>> = {
      ...identityOf(user),
      id: id.slice(0, 24),
      time: String(micros),
      message: id.slice(24, 40),
      order: String(number).padStart(8, '0'),
      phone: String(phoneOf(user % 10_000_000)).padStart(7, '0'),
      sentAt: koreanDate(new Date(micros / 1000)),
    };
    const kind = { stream, event, reasons: reason === null ? [] : [reason] };
    const text = JSON.stringify(
      recordOf(kind, 0, withMessages && hasMessageData(stream.channel, day), this.settings),
    );
    const filled: unknown = JSON.parse(text.replace(HOLE_MARK, (_, name: string) => holes[name] ?? ''));
    const record = isRecord(filled) ? filled : {};
    const data = record['message_data'];
    return { ...record, user_id: userId, message_data: isRecord(data) ? { ...data, ...content } : null };
  }

  state(): JsonObject {
    return {
      users: [...this.users].map(([userId, properties]) => ({ userId, properties })),
      deletedUsers: [...this.deleted].map(([userId, { at }]) => ({ userId, at })),
      events: this.tracked,
      journeys: this.entered,
      messages: this.messages,
    };
  }

  private exists(userId: string): boolean {
    if (this.users.has(userId)) return true;
    const user = worldUser(userId);
    return user !== null && user < this.population && !this.deleted.has(userId);
  }

  /** The users that have a property. Those of the world have a number from the beginning. */
  private having(name: string, value: Json): string[] {
    const found = [...this.users].flatMap(([id, properties]) => (properties[name] === value ? [id] : []));
    const digits = name === PHONE && typeof value === 'string' ? /^0100(\d{7})$/.exec(value)?.[1] : undefined;
    if (digits === undefined) return found;
    const id = `user_${String(userOfPhone(Number(digits))).padStart(7, '0')}`;
    return this.exists(id) && this.users.get(id)?.[PHONE] === undefined ? [...found, id] : found;
  }

  /** A user's number; an empty text without one. */
  private numberOf(userId: string): string {
    const own = this.users.get(userId)?.[PHONE];
    if (typeof own === 'string') return own;
    const user = worldUser(userId);
    return user === null || user >= this.population ? '' : recipientOf(user);
  }
}

/** Why a message fails; null when it does not. */
function reasonOf(
  { stream, recipientNo, isAd, fault }: Message,
  optedOut: ReadonlySet<string>,
): string | null {
  if (recipientNo === null) return fault;
  const isText = stream.channel === 'text-message';
  if (!MOBILE.test(recipientNo)) return isText ? WRONG_NUMBER : 'InvalidPhoneNumberException';
  if (isAd && optedOut.has(recipientNo)) return OPTED_OUT;
  if (fault !== null) return fault;
  // Numbers of the old kind, 011 to 019, have no chat app.
  return isText || recipientNo.startsWith('010') ? null : '수신자가 채팅앱 사용자가 아님';
}

/** The number of one of the world's users; null for other names. */
function worldUser(userId: string): number | null {
  const digits = /^user_(\d{7})$/.exec(userId)?.[1];
  return digits === undefined ? null : Number(digits);
}

function segmentOf(stream: Stream, events: readonly WrittenEvent[], { day }: DayPlan): Segment {
  const [first] = events;
  return {
    stream,
    event: first?.event ?? '',
    role: first?.role ?? 'other',
    count: events.length,
    first: 0,
    sentOn: dayNumber(day),
    delay: 'none',
    reasons: events.flatMap(({ reason }) => reason ?? []),
    times: events.map(({ micros }) => micros),
  };
}

function grouped<T, K>(list: readonly T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of list) {
    const group = groups.get(keyOf(one)) ?? [];
    groups.set(keyOf(one), group);
    group.push(one);
  }
  return groups;
}
