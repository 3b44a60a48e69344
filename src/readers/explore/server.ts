/**
 * Serves the views, which are rendered on the server. A view with questions is sent in pieces, so that its form appears immediately and a
 * slow question can be canceled.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { serve } from '@hono/node-server';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { ConfigError, DawnloadError, messageOf, UsageError } from '../../ground/errors.js';
import { PACKAGE_ROOT, type Effects } from '../../ground/effects.js';
import { dayOf } from '../../ground/calendar.js';
import type { PastRun } from '../../journal/journal.js';
import type { Language } from '../../warehouse/dictionary.js';
import { offered } from '../queries/access.js';
import { loadCatalogue, nameOfTitle, newQuery, type Asking, type QueryFile } from '../queries/catalogue.js';
import type { Row } from '../queries/wording.js';
import { SCRIPT, STYLE } from '../report/document.js';
import { Html, markup } from '../report/html.js';
import type { Answer } from '../report/render.js';
import { makeReport } from '../report/report.js';
import { failureOf, type Part } from './answer.js';
import { Asker } from './asker.js';
import {
  data,
  dataParts,
  detail,
  partsOf,
  search,
  tableView,
  editor,
  LONGEST_ADDRESS,
  schemaJson,
  sqlAnswer,
} from './details.js';
import { askingOf, cleanAddress, givenIn, head, partOf, titleOf } from './form.js';
import { addressOf, ASSETS, questionAddress, framed, notice, pageOf, shortName, View } from './frame.js';
import { HEADERS, type Guard } from './guard.js';
import { answered, detailAddress, DOWNLOADS, failure, questionLink } from './question.js';

export interface Serving {
  readonly file: string;
  readonly queries: string | undefined;
  readonly host: string;
  readonly port: number;
  readonly guard: Guard;
  /** The language; undefined means that of the browser. */
  readonly language: Language | undefined;
  readonly limits: { readonly seconds: number; readonly megabytes: number };
  readonly now: () => Date;
  /** The runs in the journal, if this account may read it. */
  readonly runs: () => Promise<readonly PastRun[]>;
  readonly sleep: Effects['sleep'];
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 250;
const LOOK_MS = 5_000;
/** Maximum size of a form in bytes. */
const LONGEST_FORM = 256 * 1024;

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export async function startServer(given: Serving): Promise<{ port: number; close: () => Promise<void> }> {
  const app = new Explorer(given).app;
  const server = serve({ fetch: app.fetch, hostname: given.host, port: given.port });
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new UsageError(`The page cannot be served on ${given.host}:${given.port} (${messageOf(cause)}).`, {
      hint: 'Choose another --port, such as 0 for any free one.',
      cause,
    });
  }
  const { port } = z.looseObject({ port: z.number() }).parse(server.address());
  return {
    port,
    close: () =>
      new Promise((done) => {
        server.close(() => {
          done();
        });
        if ('closeAllConnections' in server) server.closeAllConnections();
      }),
  };
}

/** The language that the browser prefers, if it is English or Korean. */
const acceptedIn = (c: Context): Language =>
  /^ko\b/i.test(c.req.header('accept-language') ?? '') ? 'ko' : 'en';

class Explorer {
  readonly app = new Hono();
  readonly #asker: Asker;
  readonly #running = new Map<string, AbortController>();

  constructor(private readonly given: Serving) {
    this.#asker = new Asker(given.file, given.queries, given.limits, given.now);
    this.#guarded();
    this.#assets();
    const { app } = this;
    app.get('/', (c) => this.#today(c));
    app.get('/q/:name{.+\\.(?:csv|xlsx|parquet|json)}', (c) => this.#download(c));
    app.get('/q/:name', (c) => this.#question(c));
    app.get('/search', (c) => this.#search(c));
    app.get('/campaign/:id', (c) => this.#detail(c, 'campaign'));
    app.get('/journey/:id', (c) => this.#detail(c, 'journey'));
    app.get('/data', (c) => this.#data(c));
    app.get('/sql', (c) => this.#sql(c, c.req.query('q') ?? ''));
    app.post('/sql', async (c) => this.#sql(c, await field(c, 'q')));
    for (const format of DOWNLOADS)
      app.get(`/sql.${format}`, (c) => this.#file(c, 'answer', { sql: c.req.query('q') ?? '' }));
    app.get('/schema.json', (c) => this.#schema(c));
    app.post('/keep', (c) => this.#keep(c));
    app.post('/cancel', (c) => this.#cancel(c));
    void this.#keepReady();
    app.notFound((c) => this.#page(c, 404, 'notFound'));
    app.onError((error, c) => {
      const view = this.#view(c);
      const said = failureOf(error);
      const before = error instanceof DawnloadError ? '' : `${view.word('failed')} `;
      return c.html(
        pageOf(view, 'Dawnload', failure(view, { ...said, failure: before + said.failure })),
        error instanceof UsageError || error instanceof ConfigError ? 400 : 500,
      );
    });
  }

  #view(c: Context): View {
    const url = new URL(c.req.url);
    const chosen =
      url.searchParams.get('lang') ?? /(?:^|; *)dawnload-lang=(\w+)/.exec(c.req.header('cookie') ?? '')?.[1];
    const language = chosen === 'en' || chosen === 'ko' ? chosen : (this.given.language ?? acceptedIn(c));
    return new View(language, url, this.#asker.publishedAt);
  }

  #page(
    c: Context,
    status: 400 | 403 | 404 | 503,
    said: Parameters<View['word']>[0],
    more?: Parameters<View['word']>[0],
  ) {
    const view = this.#view(c);
    return c.html(pageOf(view, view.word(said), notice(view.word(said), more && view.word(more))), status);
  }

  #guarded(): void {
    const { app } = this;
    const { guard } = this.given;
    app.use(async (c, next) => {
      for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
      if (!guard.isOwnHost(c.req.header('host'))) return this.#page(c, 403, 'wrongHost');
      if (c.req.method === 'POST' && !guard.isOwnForm(c.req.raw.headers))
        return this.#page(c, 403, 'refused');
      const lang = c.req.query('lang');
      if (lang === 'en' || lang === 'ko')
        c.header('set-cookie', `dawnload-lang=${lang}; Path=/; HttpOnly; SameSite=Strict`, { append: true });
      return next();
    });
    app.use(bodyLimit({ maxSize: LONGEST_FORM, onError: (c) => this.#page(c, 400, 'failed') }));
    app.use(async (c, next) => {
      const url = new URL(c.req.url);
      const token = url.searchParams.get('token');
      url.searchParams.delete('token');
      if (token !== null && !guard.isPassword) return this.#enter(c, token, url.pathname + url.search);
      if (c.req.method === 'POST' && url.pathname === '/enter') {
        const to = await field(c, 'to');
        return this.#enter(
          c,
          (await field(c, 'token')).trim(),
          to.startsWith('/') && !/^\/[/\\]/.test(to) ? to : '/',
        );
      }
      // Allowed without signing in: style sheets have no data, and the sign-in page needs them.
      const isAsset = url.pathname.startsWith('/assets/');
      if (!isAsset && !guard.isKnown(c.req.raw.headers)) return this.#ask(c, 401);
      if (!isAsset && this.#asker.publishedAt === undefined) return this.#page(c, 503, 'noFile', 'runFirst');
      return next();
    });
  }

  #enter(c: Context, token: string, to: string) {
    const cookie = this.given.guard.cookieFor(token, c.req.raw.headers);
    if (cookie === undefined) return this.#ask(c, 403, to);
    c.header('set-cookie', cookie, { append: true });
    return c.redirect(to, 303);
  }

  #ask(c: Context, status: 401 | 403, to?: string) {
    const view = this.#view(c);
    const { isPassword } = this.given.guard;
    const here = to ?? (c.req.method === 'GET' ? view.address({ token: undefined }) : '/');
    const content = markup`<h1>${view.word(isPassword ? 'password' : 'signIn')}</h1>
      ${status === 403 ? markup`<p class="notice" role="alert">${view.word('wrongToken')}</p>` : undefined}
      <form class="enter" method="post" action="/enter">
        <input type="hidden" name="to" value="${here}">
        <label>${view.word(isPassword ? 'password' : 'token')}<input type="password" name="token" required autocomplete="${isPassword ? 'current-password' : 'off'}"></label>
        <button>${view.word('enter')}</button>
      </form>
      <p>${view.word(isPassword ? 'passwordWhy' : 'signInWhy')}</p>
      <p><a href="${here}">${view.word('already')}</a></p>`;
    return c.html(pageOf(view, view.word('signIn'), content), status);
  }

  #assets(): void {
    const own = (file: string): string => readFileSync(join(PACKAGE_ROOT, file), 'utf8');
    const files: Readonly<Record<(typeof ASSETS)[number], () => string>> = {
      '/assets/report.css': () => STYLE,
      '/assets/explore.css': () => own('src/readers/explore/explore.css'),
      '/assets/page.js': () => SCRIPT,
      '/assets/editor.js': () => own('dist/editor.js'),
    };
    for (const path of ASSETS)
      this.app.get(path, (c) => {
        c.header(
          'content-type',
          path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
        );
        return c.body(files[path]());
      });
  }

  #today(c: Context) {
    const view = this.#view(c);
    const around = [markup`<div id="content">`, markup`</div>`] as const;
    return this.#flowing(c, view, view.word('today'), around, () => this.#made(view), ['/assets/page.js']);
  }

  /** The report, made once for each published file, day and language. */
  #made(view: View): Promise<Html> {
    const { file, now, runs } = this.given;
    const { language } = view;
    return this.#asker.kept(`today ${language} ${dayOf(now())}`, async () => {
      const catalogue = loadCatalogue();
      const known = await this.#asker.known(this.given.signal);
      const linkOf = ({ asked, fields }: Answer, row: Row = {}): Html => {
        const id = row['campaign_id'] ?? row['resource_id'];
        const address = typeof id === 'string' ? detailAddress(known, id) : undefined;
        // Several campaigns on one page need names.
        const name = known.values['campaign']?.find(({ value }) => value === id)?.name ?? id;
        if (address !== undefined) return markup`<a href="${address}">${shortName(String(name), 30)}</a>`;
        const query = catalogue.find(({ name }) => name === asked.query);
        return query === undefined ? markup`` : questionLink(query, titleOf(view, query), fields);
      };
      const served = {
        frame: (_: string, content: Html) => content.markup,
        linkOf,
        madeAt: view.published,
      };
      const { page } = await makeReport(file, { language, now: now(), runs: await runs(), served });
      return new Html(page);
    });
  }

  /** Makes the first view in advance, and again for each published file. */
  async #keepReady(): Promise<void> {
    const { language, signal, sleep } = this.given;
    const url = new URL('http://localhost/');
    while (!signal.aborted) {
      const view = new View(language ?? 'en', url, this.#asker.publishedAt);
      const known = view.publishedAt === undefined ? undefined : this.#asker.known(signal);
      await known?.then(() => this.#made(view)).catch(() => undefined);
      await sleep(LOOK_MS, signal).catch(() => undefined);
    }
  }

  async #question(c: Context) {
    const view = this.#view(c);
    const catalogue = this.#catalogue();
    const find = (name: string | undefined): QueryFile | undefined =>
      catalogue.find((one) => one.name === name);
    const query = find(c.req.param('name'));
    if (query === undefined) return this.#page(c, 404, 'notFound');
    const beside = view.get('beside');
    const other = find(beside);
    const known = await this.#asker.known(this.given.signal);
    const clean = cleanAddress(view, query, known, other);
    if (clean !== undefined) return c.redirect(clean, 303);
    const first = partOf(view, askingOf(view, query, givenIn(view, query)));
    const form = head(view, query, known, catalogue, other);
    return this.#flowing(c, view, titleOf(view, query), inMain(form), async (signal) => {
      if (other === undefined) {
        return answered(view, query, await this.#answers(view, [first], signal, beside === 'before'), known);
      }
      // The second question has its own fields, and takes shared parameters from the first one.
      const own = new Map([
        ...givenIn(view, query).filter(([name]) => other.params.some((one) => one.name === name)),
        ...givenIn(view, other, 'b.'),
      ]);
      const second = { ...first, by: undefined, from: 0, asking: askingOf(view, other, [...own]) };
      const both = [first, second].map((part) => this.#answers(view, [part], signal));
      const [one, two] = (await Promise.all(both)).flat();
      return one === undefined || two === undefined
        ? markup``
        : answered(view, query, [one], known, { query: other, outcome: two });
    });
  }

  async #search(c: Context) {
    const view = this.#view(c);
    const known = await this.#asker.known(this.given.signal);
    return c.html(pageOf(view, view.word('questions'), search(view, this.#catalogue(), known)));
  }

  async #detail(c: Context, kind: 'campaign' | 'journey') {
    const view = this.#view(c);
    const known = await this.#asker.known(this.given.signal);
    const id = c.req.param('id') ?? '';
    const found = known.values[kind]?.find(({ value }) => value === id);
    if (found === undefined) {
      const said = view.word(kind === 'campaign' ? 'noCampaign' : 'noJourney', { id: shortName(id) });
      return c.html(pageOf(view, said, notice(said)), 404);
    }
    const catalogue = loadCatalogue();
    const parts = partsOf(view, kind, id, catalogue);
    return this.#flowing(c, view, found.name ?? id, inMain(markup``), async (signal) =>
      detail(view, kind, id, await this.#answers(view, parts, signal), catalogue, known),
    );
  }

  async #data(c: Context) {
    const view = this.#view(c);
    const known = await this.#asker.known(this.given.signal);
    const table = view.get('table');
    if (table !== undefined) {
      const found = tableView(view, table, known);
      return found === undefined ? this.#page(c, 404, 'notFound') : c.html(pageOf(view, table, found));
    }
    const catalogue = loadCatalogue();
    return this.#flowing(c, view, view.word('data'), inMain(markup``), async (signal) =>
      data(view, await this.#answers(view, dataParts(view, catalogue), signal), catalogue, known),
    );
  }

  async #answers(view: View, parts: readonly Part[], signal: AbortSignal, isBefore = false) {
    const wish = { language: view.language, parts: [...parts], isBefore };
    return (await this.#asker.answers(wish, signal)).outcomes;
  }

  /** The bundled questions and the user's own, without those whose use cannot be recorded here. */
  #catalogue(): readonly QueryFile[] {
    return offered(loadCatalogue(this.given.queries), dirname(this.#asker.file));
  }

  /** Sends the beginning of a view, and then the answers. If the browser disconnects, the questions end. */
  #flowing(
    c: Context,
    view: View,
    title: string,
    [beginning, ending]: readonly [Html, Html],
    work: (signal: AbortSignal) => Promise<Html>,
    scripts?: Parameters<typeof framed>[2],
  ) {
    const [start, end] = framed(view, title, scripts);
    const name = randomUUID();
    const control = this.#untilLeft(c);
    const signal = AbortSignal.any([control.signal, this.given.signal]);
    const isSkipped = view.get('run') === 'no';
    const running = this.#running;
    async function* pieces(): AsyncGenerator<string> {
      yield markup`${start}${beginning}`.markup;
      running.set(name, control);
      let timer: NodeJS.Timeout | undefined;
      try {
        const drawn = isSkipped
          ? Promise.resolve(markup`<p class="notice" role="status">${view.word('cancelled')}</p>`)
          : work(signal).catch((error: unknown) =>
              control.signal.aborted
                ? markup`<p class="notice" role="status">${view.word('cancelled')}</p>`
                : failure(view, failureOf(error)),
            );
        const patience = new Promise<undefined>((done) => {
          timer = setTimeout(done, PATIENCE_MS, undefined);
        });
        if ((await Promise.race([drawn, patience])) === undefined)
          yield markup`<form class="running" method="post" action="/cancel" role="status">
            <input type="hidden" name="question" value="${name}"><input type="hidden" name="to" value="${view.address({ run: 'no' })}">
            ${view.word('running')} <button>${view.word('cancel')}</button></form>`.markup;
        yield markup`${await drawn}${ending}${end}`.markup;
      } finally {
        // Also if the browser disconnected.
        clearTimeout(timer);
        running.delete(name);
        control.abort();
      }
    }
    const stream = Readable.from(pieces());
    c.header('content-type', 'text/html; charset=utf-8');
    return c.body(streamOf(stream, control));
  }

  async #cancel(c: Context) {
    this.#running.get(await field(c, 'question'))?.abort();
    const to = await field(c, 'to');
    return c.redirect(/^\/(q|sql|campaign|journey|data)\b/.test(to) ? to : '/', 303);
  }

  async #sql(c: Context, given: string) {
    const view = this.#view(c);
    const sql = given.replaceAll('\r\n', '\n').trim();
    if (c.req.method === 'POST' && sql.length <= LONGEST_ADDRESS)
      return c.redirect(addressOf('/sql', sql === '' ? [] : [['q', sql]]), 303);
    const known = await this.#asker.known(this.given.signal);
    const work = async (signal: AbortSignal): Promise<Html> => {
      if (sql === '') return markup``;
      const { outcomes } = await this.#asker.answers(
        { language: view.language, parts: [partOf(view, { sql })] },
        signal,
      );
      return markup`${outcomes.map((one) => sqlAnswer(view, sql, one, known, this.given.queries))}`;
    };
    return this.#flowing(c, view, view.word('sqlTitle'), inMain(editor(view, sql)), work, [
      '/assets/editor.js',
    ]);
  }

  async #schema(c: Context) {
    const known = await this.#asker.known(this.given.signal);
    return c.body(schemaJson(known, this.#view(c).language), 200, { 'content-type': 'application/json' });
  }

  /** Writes SQL as a file into the folder of the user's questions. The server writes no other files. */
  async #keep(c: Context) {
    const [given, sql, title, question, chart] = [
      (await field(c, 'name')).trim(),
      await field(c, 'q'),
      await field(c, 'title'),
      await field(c, 'question'),
      await field(c, 'chart'),
    ];
    const name = given === '' ? nameOfTitle(title) : given.normalize('NFC');
    newQuery(name, { sql }, this.given.queries, { title, question, chart })();
    return c.redirect(questionAddress(name), 303);
  }

  async #download(c: Context) {
    const view = this.#view(c);
    const [, name = ''] = /^(.+)\.\w+$/.exec(c.req.param('name') ?? '') ?? [];
    const query = this.#catalogue().find((one) => one.name === name);
    if (query === undefined) return this.#page(c, 404, 'notFound');
    return this.#file(c, name, askingOf(view, query, givenIn(view, query)));
  }

  async #file(c: Context, name: string, asking: Asking) {
    const view = this.#view(c);
    const ending = /\w+$/.exec(view.url.pathname)?.[0];
    const format = DOWNLOADS.find((known) => known === ending);
    if (format === undefined) return this.#page(c, 404, 'notFound');
    const control = this.#untilLeft(c);
    const signal = AbortSignal.any([control.signal, this.given.signal]);
    const bytes = this.#asker.download(asking, format, view.language, signal);
    // Before the first byte is sent, a failure can still be shown as a page.
    await once(bytes, 'readable');
    const file = encodeURIComponent(`${name}.${format}`);
    c.header('content-type', TYPES[format]);
    c.header('content-disposition', `attachment; filename*=UTF-8''${file}`);
    return c.body(streamOf(bytes, control));
  }

  /** Returns a controller that aborts when the browser disconnects. */
  #untilLeft(c: Context): AbortController {
    const control = new AbortController();
    c.req.raw.signal.addEventListener('abort', () => {
      control.abort();
    });
    return control;
  }
}

const field = async (c: Context, name: string): Promise<string> => {
  const value = (await c.req.parseBody())[name];
  return typeof value === 'string' ? value : '';
};

/** What most views have before and after the answer. */
const inMain = (beginning: Html) =>
  [markup`<main id="content" class="view">${beginning}`, markup`</main>`] as const;

/** Makes a stream for the browser; if the browser disconnects, the question ends. */
function streamOf(pieces: Readable, control: AbortController): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator: AsyncIterator<unknown> = pieces[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(out) {
      const next: IteratorResult<unknown, unknown> = await iterator.next();
      if (next.done === true) out.close();
      else out.enqueue(next.value instanceof Uint8Array ? next.value : encoder.encode(String(next.value)));
    },
    async cancel() {
      control.abort();
      await iterator.return?.();
    },
  });
}
