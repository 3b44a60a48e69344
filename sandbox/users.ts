/** E13 to E16: events, user properties, deleted users and journeys. */
import { z } from 'zod';
import { type Reply, jsonAnswer } from './answer.js';
import { decoded, type Endpoint, endpoint } from './endpoint.js';
import { type Family, refuse } from './family.js';
import { isDeeperThan, isList, isRecord } from './json.js';
import type { Settings } from './options.js';
import type { Writes } from './writes.js';

/** Most events of a call (E13), and most users of one (E14 to E16). */
const MOST_EVENTS = 500;
const MOST_USERS = 1000;

/** The largest body with many users or recipients. The specification has no limit, so the catalogs' one applies. */
export const MULTI_BODY_BYTES = 4 * 1024 * 1024;

/** Deeper ones are refused unread. */
const NESTING = 50;

const text = z.string().min(1);
const properties = z.record(z.string(), z.json());

const TrackedEvent = z.object({ projectId: text, eventName: text, userId: text }).catchall(z.json());
const UserOf = z.object({ projectId: text, userId: text }).catchall(z.json());
const Deletion = z
  .object({
    projectId: text,
    userId: text.optional(),
    userProperties: z.strictObject({ $email: text.optional(), $phone_number: text.optional() }).optional(),
  })
  .catchall(z.json());
const Entry = z.object({ userId: text }).catchall(z.json());

/** The objects of a request (one or a list), all for the sandbox's own project; otherwise the error. */
export function readBody<T extends { projectId: string }>(
  settings: Settings,
  family: Family,
  schema: z.ZodType<T>,
  list: readonly unknown[],
  most: number,
): [T, ...T[]] | Reply {
  if (list.length > most) return refuse(family, 'invalid', `At most ${most} are allowed in a request`);
  if (isDeeperThan(list, NESTING)) return refuse(family, 'invalid', 'The request is nested too deeply');
  const parsed = z.tuple([schema], schema).safeParse(list);
  if (!parsed.success) return refuse(family, 'invalid', z.prettifyError(parsed.error));
  const [first, ...others] = parsed.data;
  if ([first, ...others].some(({ projectId }) => projectId !== settings.projectId)) {
    return refuse(family, 'forbidden', 'Project access denied');
  }
  return [first, ...others];
}

export function userEndpoints(settings: Settings, writes: Writes): Endpoint[] {
  const { fieldNames, apiJourneys } = settings;

  /** E13 to E15: one object, or a list of them. */
  function several<T extends { projectId: string }>(
    schema: z.ZodType<T>,
    most: number,
    answer: (list: readonly T[]) => Reply,
  ): Endpoint['answer'] {
    return ({ body }) => {
      const list = readBody(settings, 'users', schema, isList(body) ? body : [body], most);
      return withDetails(Array.isArray(list) ? answer(list) : list);
    };
  }

  /** Errors name the project once the caller is known; optional in the specification. */
  function withDetails(reply: Reply): Reply {
    const json: unknown = JSON.parse(reply.body.toString());
    if (reply.status === 200 || !isRecord(json)) return reply;
    return jsonAnswer({ ...json, projectId: settings.projectId, durationMs: null }, reply.status);
  }

  function track(list: readonly z.output<typeof TrackedEvent>[]): Reply {
    const known = list.filter(({ userId }) => writes.admits(userId));
    for (const { projectId: _, ...event } of known) writes.track(event, event.eventName, event.userId);
    return jsonAnswer({ message: `${known.length} events were tracked.` });
  }

  function setProperties(list: readonly z.output<typeof UserOf>[]): Reply {
    const rows: [userId: string, properties: z.output<typeof properties>][] = [];
    for (const user of list) {
      const given = properties.safeParse(user[fieldNames.userProperties]);
      if (!given.success) return refuse('users', 'invalid', `${fieldNames.userProperties} must be an object`);
      rows.push([user.userId, given.data]);
    }
    const known = rows.filter(([userId]) => writes.admits(userId));
    for (const row of known) writes.setProperties(...row);
    return jsonAnswer({ data: known.length });
  }

  function deleteUsers(list: readonly z.output<typeof Deletion>[]): Reply {
    const selectors = list.map(({ userId, userProperties, ...rest }) => {
      const messengerUser = rest[fieldNames.messengerUser];
      const named = messengerUser === undefined ? {} : { [fieldNames.messengerUser]: messengerUser };
      return { userId, properties: { ...userProperties, ...named } };
    });
    if (selectors.some((one) => one.userId === undefined && Object.keys(one.properties).length === 0)) {
      return refuse(
        'users',
        'invalid',
        'A user id, an e-mail, a phone number or a messenger user id is required',
      );
    }
    const found = new Set(selectors.flatMap((selector) => writes.find(selector)));
    for (const userId of found) writes.delete(userId);
    return jsonAnswer({ data: found.size });
  }

  function enter(userJourneyId: string, body: unknown): Reply {
    const users = isRecord(body) ? body['users'] : undefined;
    if (!isList(users) || users.length === 0 || users.length > MOST_USERS) {
      return refuse('journey', 'invalid', `users must be a list of 1 to ${MOST_USERS}`);
    }
    if (isDeeperThan(users, NESTING)) return refuse('journey', 'invalid', 'The request is nested too deeply');
    const parsed = z.array(Entry).safeParse(users);
    if (!parsed.success) return refuse('journey', 'invalid', z.prettifyError(parsed.error));
    if (!writes.isJourney(userJourneyId)) {
      return refuse('journey', 'not-found', 'The user journey does not exist.');
    }
    if (!apiJourneys.includes(userJourneyId)) {
      return refuse('journey', 'forbidden', 'The entry type of the user journey is not API-based.');
    }
    for (const user of parsed.data)
      if (writes.admits(user.userId)) writes.enter(userJourneyId, user, user.userId);
    return jsonAnswer({ code: 200, success: true, error: null });
  }

  const bodyBytes = MULTI_BODY_BYTES;
  const rest = { projectInBody: true, hasBody: true, bodyBytes } as const;
  const entry = 'POST /projects/([^/]+)/user-journeys/([^/]+)/enter';
  return [
    endpoint('E13', 'users', 'POST /track-event', several(TrackedEvent, MOST_EVENTS, track), rest),
    endpoint('E14', 'users', 'POST /set-user-properties', several(UserOf, MOST_USERS, setProperties), rest),
    endpoint('E15', 'users', 'DELETE /users', several(Deletion, MOST_USERS, deleteUsers), rest),
    endpoint('E16', 'journey', entry, ({ values: [id = ''], body }) => enter(decoded(id), body), {
      bodyBytes,
    }),
  ];
}
