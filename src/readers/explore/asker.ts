/**
 * Answers the questions of views, two at a time, each in a confined process with limits for time and memory (queries/child.ts). Values for
 * forms and the front page are cached until a new file is published.
 */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { UsageError } from '../../ground/errors.js';
import type { Language } from '../../warehouse/dictionary.js';
import { recorded } from '../queries/access.js';
import { questionOf, type Asking } from '../queries/catalogue.js';
import { deliver, inChild } from '../queries/child.js';
import type { Format } from '../queries/formats.js';
import type { Answers, Known, Wish } from './answer.js';

const MOST_WAITING = 30;

interface Limits {
  readonly seconds: number;
  readonly megabytes: number;
}

export class Asker {
  readonly #atOnce = pLimit(2);
  readonly #kept = new Map<string, Promise<unknown>>();
  #identity = '';

  constructor(
    readonly file: string,
    private readonly queries: string | undefined,
    private readonly limits: Limits,
    private readonly now: () => Date,
  ) {}

  /** The time of the published file in milliseconds; undefined without a file. */
  get publishedAt(): number | undefined {
    return statSync(this.file, { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Caches a result until a new file is published. Failures are not cached. */
  kept<T>(key: string, make: () => Promise<T>): Promise<T>;
  kept(key: string, make: () => Promise<unknown>): Promise<unknown> {
    const { ino, mtimeMs, size } = statSync(this.file, { throwIfNoEntry: false }) ?? {};
    const identity = [ino, mtimeMs, size].join();
    if (identity !== this.#identity) this.#kept.clear();
    this.#identity = identity;
    const made = this.#kept.get(key) ?? make();
    this.#kept.set(key, made);
    made.catch(() => this.#kept.delete(key));
    return made;
  }

  known(signal: AbortSignal): Promise<Known> {
    return this.kept('known', async () => {
      const { known } = await this.answers({ language: 'en', isKnown: true }, signal);
      if (known === undefined) throw new Error('Nothing is known.');
      return known;
    });
  }

  /** @throws UsageError at a limit, or if too many questions wait */
  answers({ parts = [], ...wish }: Wish, signal: AbortSignal): Promise<Answers> {
    const own = parts.map((part) => ({ ...part, asking: this.#own(part.asking) }));
    const [first] = own;
    const asking = first?.asking ?? { sql: 'select 1' };
    return this.#inTurn(signal, async () => {
      const isRecorded = await this.#record(own.map((part) => part.asking));
      const input = { file: this.file, asking, now: this.now(), ...wish, parts: own, isRecorded };
      return answers.parse(await inChild({ module: 'explore', input }, { ...this.limits, signal }));
    });
  }

  /** Writes all rows of an answer in a format, as `query` does. The process starts when the first byte is read. */
  download(asking: Asking, format: Exclude<Format, 'table'>, lang: Language, signal: AbortSignal): Readable {
    const bytes = new PassThrough();
    const write = async (): Promise<void> => {
      const how = {
        format,
        lang,
        limit: 0,
        bom: format === 'csv',
        isTerminal: false,
        drawing: { color: false },
      };
      const own = this.#own(asking);
      const question = { asking: own, now: this.now(), isRecorded: await this.#record([own]) };
      const read = (stdout: Readable): Promise<void> => pipeline(stdout, bytes, { end: false });
      await deliver(question, this.file, how, { ...this.limits, signal, read });
    };
    this.#inTurn(signal, write).then(
      () => bytes.end(),
      (error: unknown) => bytes.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return bytes;
  }

  #record(asked: readonly Asking[]): Promise<boolean> {
    const questions = asked.flatMap((asking) => questionOf(asking, this.now()) ?? []);
    return recorded(questions, dirname(this.file), this.now());
  }

  #own(asking: Asking): Asking {
    return asking.name === undefined ? asking : { ...asking, queries: this.queries };
  }

  #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#atOnce.pendingCount >= MOST_WAITING)
      return Promise.reject(
        new UsageError('Too many questions are waiting.', { hint: 'Try again in a minute.' }),
      );
    return this.#atOnce(() => {
      signal.throwIfAborted();
      return work();
    });
  }
}

/** Only gives the answer its type: it comes from our own process. */
const answers = z.custom<Answers>();
