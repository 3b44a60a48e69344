/** The options of a sandbox and their defaults. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from './answer.js';
import type { Endpoint } from './endpoint.js';
import { OPT_OUT_NUMBERS, SENDER_NO } from './world/numbers.js';

/** A request that is about to be answered. */
export interface Asking {
  readonly endpoint: Endpoint;
  readonly query: URLSearchParams;
  readonly pageParameter: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The answer: by default the correct one, `answerOf(query)`, with its bill. Undefined if the response has already been handled. */
export type Interfere = (asking: Asking, answerOf: (query: URLSearchParams) => Reply) => Reply | undefined;

/** The names of a list's page number and page size in its query. */
export interface PageParameters {
  readonly page: string;
  readonly size: string;
}

/** Lists whose page parameters the specification does not show (N5, N10, N11). */
export type PagedList = 'E4' | 'E10' | 'E12';

/** Names of fields that the specification does not show. */
export interface FieldNames {
  /** The title of a long text message (E8, N8). */
  readonly textTitle: string;
  /** The attachments of an MMS (E8, N8): a list of texts. */
  readonly textAttachments: string;
  /** The number that a failed alimtalk is sent from as a text (E9, N9). */
  readonly failoverSender: string;
  /** The key that groups alimtalk (E9, N9). */
  readonly groupingKey: string;
  /** The object of a user's properties (E14, N14). */
  readonly userProperties: string;
  /** The messenger's user id (E15, N15), and the property for it. */
  readonly messengerUser: string;
}

export interface SandboxOptions {
  /** Address to listen on; default 127.0.0.1. */
  host?: string | undefined;
  /** Port to listen on; default 0, any free one. */
  port?: number | undefined;
  /** The service's clock; default the real one. Exports are generated in real time anyway. */
  now?: (() => Date) | undefined;
  /** The header `Date`, by the sandbox's clock; null leaves it out. Default: its time. */
  date?: ((now: Date) => string | null) | undefined;
  accessKey?: string | undefined;
  secretKey?: string | undefined;
  /** The one project it knows: 32 lowercase hexadecimal digits. */
  projectId?: string | undefined;
  /** The prefix in `${brand}_user_id` and `${brand}_device_id`, and the name of the web-push object. */
  brand?: string | undefined;
  /** The prefix of channel names: `${messenger}-alimtalk`. */
  messenger?: string | undefined;
  /** The query parameter for the page number of E21 (N18). */
  pageParameter?: string | undefined;
  tokenLifetimeSeconds?: number | undefined;
  /** How long an export is `processing`. */
  exportSeconds?: number | undefined;
  /** How long each answer takes, milliseconds; default 0. */
  latencyMs?: number | undefined;
  /** Approximate export records per KST day. */
  eventsPerDay?: number | undefined;
  /** Another seed, another world. */
  seed?: number | undefined;
  /** A file to which each bill is appended as a JSON line, and synced, before the answer leaves. */
  billingJournal?: string | undefined;
  /** How exports spell the push channel; the statistics always use the hyphen. */
  pushChannelSpelling?: 'push-notification' | 'push_notification' | undefined;
  /** The answer to page 0 of an export without records. */
  emptyExport?: 'success' | 'invalid_page' | undefined;
  /** Answers to the first reads of each export, before its result (E21): `{error: Timeout}` or `error`; default nothing. */
  beforeResults?: readonly ('timeout' | 'error')[] | undefined;
  /** E17 and E18 time out on longer ranges; default never. */
  longestRangeDays?: number | undefined;
  /** The status of a timeout (E17, E18, E21). */
  timeoutStatus?: 200 | 408 | undefined;
  /** Items of a catalog called `big`; default 0, which means no such catalog. */
  catalogItems?: number | undefined;
  /** The shape of E2's list of catalogs (N2): `data.catalogs` (wrapped, the default) or `data` itself (plain). */
  catalogList?: 'wrapped' | 'plain' | undefined;
  /** The page parameters of E4, E10 and E12; default `pageNum` and `pageSize`. */
  pageParameters?: Partial<Record<PagedList, Partial<PageParameters>>> | undefined;
  /** Where E5 looks for the sender key (N6): the query (the default) or a header, `senderKey` in both. */
  senderKeyIn?: 'query' | 'header' | undefined;
  /** Whether a brand template's `updatedAt` moves when its status changes; default true. */
  statusMovesUpdatedAt?: boolean | undefined;
  /** Whether a few deliveries of a day are reported only after its first morning (E17, E18, E19); default true. */
  restates?: boolean | undefined;
  /** The number that the project's own text sending is set up with (E7 to E9); null where it is not set up. */
  textSender?: string | null | undefined;
  /** Whether the project has its own chat-app sending (E7, E9); default true. */
  chatappSending?: boolean | undefined;
  /** Whether chat-app messages are sent on the legacy platform, so that E9 reads the failover sender; default false. */
  legacyPlatform?: boolean | undefined;
  /** The 080 numbers that the project has registered (E3, E7); default two. */
  unsubscribeNumbers?: readonly string[] | undefined;
  /** Fields whose names the specification does not show (N8, N9, N14, N15). */
  fieldNames?: Partial<FieldNames> | undefined;
  /** Whether E13, E14 and E16 create unknown users (the default), or skip them without counting. */
  unknownUsers?: 'created' | 'ignored' | undefined;
  /** The journeys that users may enter by E16; default two of four. */
  apiJourneys?: readonly string[] | undefined;
  /** Campaigns that are sent immediately to the user of an event (E13), by the event's name. */
  triggers?: Readonly<Record<string, string>> | undefined;
  /** For tests of how the service misbehaves. */
  interfere?: Interfere | undefined;
}

/** The options with every default in place. */
export type Settings = {
  readonly [Name in Exclude<keyof SandboxOptions, Whole>]-?: Exclude<SandboxOptions[Name], undefined>;
} & {
  readonly billingJournal: string | null;
  readonly pageParameters: Readonly<Record<PagedList, PageParameters>>;
  readonly fieldNames: FieldNames;
};

type Whole = 'billingJournal' | 'pageParameters' | 'fieldNames';

const PAGE_PARAMETERS: PageParameters = { page: 'pageNum', size: 'pageSize' };

const FIELD_NAMES: FieldNames = {
  textTitle: 'title',
  textAttachments: 'attachFileList',
  failoverSender: 'failoverSendNo',
  groupingKey: 'senderGroupingKey',
  userProperties: 'userProperties',
  messengerUser: 'messengerUserId',
};

export function settle(options: SandboxOptions): Settings {
  return {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 0,
    now: options.now ?? (() => new Date()),
    date: options.date ?? ((now) => now.toUTCString()),
    accessKey: options.accessKey ?? 'sandbox-access-key',
    secretKey: options.secretKey ?? 'sandbox-secret-key',
    projectId: options.projectId ?? '0123456789abcdef0123456789abcdef',
    brand: options.brand ?? 'service',
    messenger: options.messenger ?? 'chatapp',
    pageParameter: options.pageParameter ?? 'page',
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 3600,
    exportSeconds: options.exportSeconds ?? 1,
    latencyMs: options.latencyMs ?? 0,
    eventsPerDay: options.eventsPerDay ?? 20_000,
    seed: options.seed ?? 1,
    billingJournal: options.billingJournal ?? null,
    pushChannelSpelling: options.pushChannelSpelling ?? 'push_notification',
    emptyExport: options.emptyExport ?? 'success',
    beforeResults: options.beforeResults ?? [],
    longestRangeDays: options.longestRangeDays ?? Number.POSITIVE_INFINITY,
    timeoutStatus: options.timeoutStatus ?? 408,
    catalogItems: options.catalogItems ?? 0,
    catalogList: options.catalogList ?? 'wrapped',
    pageParameters: {
      E4: { ...PAGE_PARAMETERS, ...options.pageParameters?.E4 },
      E10: { ...PAGE_PARAMETERS, ...options.pageParameters?.E10 },
      E12: { ...PAGE_PARAMETERS, ...options.pageParameters?.E12 },
    },
    senderKeyIn: options.senderKeyIn ?? 'query',
    statusMovesUpdatedAt: options.statusMovesUpdatedAt ?? true,
    restates: options.restates ?? true,
    textSender: options.textSender === undefined ? SENDER_NO : options.textSender,
    chatappSending: options.chatappSending ?? true,
    legacyPlatform: options.legacyPlatform ?? false,
    unsubscribeNumbers: options.unsubscribeNumbers ?? OPT_OUT_NUMBERS,
    fieldNames: { ...FIELD_NAMES, ...options.fieldNames },
    unknownUsers: options.unknownUsers ?? 'created',
    apiJourneys: options.apiJourneys ?? ['uj-win02', 'uj-sub04'],
    triggers: options.triggers ?? { cart_abandoned: 'a8LmZ2', signed_up: 'wE91kd' },
    interfere: options.interfere ?? (({ query }, answerOf) => answerOf(query)),
  };
}
