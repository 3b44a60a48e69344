/** The questions of `init` at a terminal, each answer checked before the next question. */
import { lastCompleteDay, shiftDay } from '../calendar.js';
import { UsageError } from '../errors.js';
import { isUnencrypted } from '../config.js';
import type { Questions } from '../terminal/questions.js';
import { formatCount, type Terminal } from '../terminal/terminal.js';
import {
  readBaseUrl,
  readKey,
  readPrice,
  readProjectId,
  readRecords,
  readStartDate,
  type Answers,
  type Budget,
  type Read,
} from './answers.js';
import { budgetOf, type Given } from './given.js';
import { hintOf, tellMoney, tellNight } from './sentences.js';
import { tryAnswers, tryConnection, type Doubt, type Night, type World } from './trial.js';

export interface InterviewOptions {
  /** What is not asked. */
  readonly given: Given;
  /** What an earlier file says, offered for Enter. */
  readonly earlier: Given;
  readonly allowHttp: boolean;
  readonly skipChecks: boolean;
}

/** So many answers may be wrong, in all: what pastes a file by mistake comes to an end. */
const MOST_WRONG = 10;

/** The first run fills a week: enough to look at, little to wait for. */
const FIRST_DAYS = 7;

/** Nights of a month, for the budget that is offered. */
const MONTH = 31;

export class Interview {
  readonly #questions: Questions;
  readonly #terminal: Terminal;
  readonly #world: World;
  readonly #options: InterviewOptions;
  #wrong = 0;
  #checking: boolean;
  /** Whether a check has failed, so that the person may go on without. */
  #mayskip = false;

  constructor(
    questions: Questions,
    terminal: Terminal,
    world: Omit<World, 'signal'>,
    options: InterviewOptions,
  ) {
    this.#questions = questions;
    this.#terminal = terminal;
    this.#world = { ...world, signal: questions.signal };
    this.#options = options;
    this.#checking = !options.skipChecks;
  }

  /**
   * All answers.
   *
   * @throws UsageError after too many wrong answers, InterruptedError on Ctrl-C or the end of the input
   */
  async answers(): Promise<Answers> {
    const { given, earlier } = this.#options;
    const { service, night } = await this.#service();
    const now = this.#world.effects.now();
    const first = earlier.startDate ?? shiftDay(lastCompleteDay(now), 1 - FIRST_DAYS);
    const startDate =
      given.startDate ??
      (await this.#ask('First day to load (KST)', (text) => readStartDate(text, now), first));
    const budget = await this.#budget(night?.records);
    const pricePerRecord = given.pricePerRecord ?? (await this.#price(budget));
    const answers = { ...service, startDate, budget, pricePerRecord };
    tellMoney(night, answers, now, this.#terminal);
    return answers;
  }

  /** Address, project and keys, until the service takes all of them or the person goes on without. */
  async #service(): Promise<{
    service: Pick<Answers, 'baseUrl' | 'allowHttp' | 'projectId' | 'keys'>;
    night: Night | undefined;
  }> {
    const { given, earlier, allowHttp } = this.#options;
    let { baseUrl, projectId, accessKey, secretKey } = given;
    let offered = { ...earlier, ...given };
    let reached: string | undefined;
    const read = (text: string): Read<string> => readBaseUrl(text, allowHttp);
    for (;;) {
      baseUrl ??= await this.#ask('Base URL of the service', read, offered.baseUrl);
      offered = { ...offered, baseUrl };
      if (this.#checking && baseUrl !== reached) {
        const doubt = await tryConnection(baseUrl, this.#world.signal);
        if (doubt !== undefined) {
          this.#tell(doubt);
          baseUrl = undefined;
          continue;
        }
        reached = baseUrl;
      }
      projectId ??= await this.#ask('Project ID', readProjectId, offered.projectId);
      accessKey ??= await this.#secret('access key');
      secretKey ??= await this.#secret('secret key');
      const keys = { accessKey, secretKey };
      const service = { baseUrl, projectId, keys, allowHttp: allowHttp && isUnencrypted(baseUrl) };
      if (!this.#checking) return { service, night: undefined };

      this.#terminal.progress('asking the service');
      const tried = await tryAnswers(service, this.#world);
      this.#terminal.progress('');
      if ('night' in tried) {
        tellNight(tried.night, this.#terminal);
        return { service, night: tried.night };
      }
      this.#tell(tried.doubt);
      offered = { ...offered, projectId };
      if (tried.doubt.about === 'baseUrl') baseUrl = undefined;
      if (tried.doubt.about === 'projectId') projectId = undefined;
      if (tried.doubt.about === 'keys') accessKey = secretKey = undefined;
    }
  }

  async #budget(records: number | undefined): Promise<Budget | undefined> {
    const { given, earlier } = this.#options;
    if (given.recordsPerRun !== undefined || given.recordsPerMonth !== undefined) return budgetOf(given);
    this.#terminal.note(
      'Event exports are billed per record. Without a budget no paid request is ever sent.',
    );
    const size = records === undefined ? '' : `; one night is about ${formatCount(records)}`;
    const recordsPerRun = await this.#ask<number | undefined>(
      `Records per run, or none${size}`,
      (text) => (/^(none|no|n|-)$/i.test(text) ? { value: undefined } : readRecords(text, 'run')),
      String(earlier.recordsPerRun ?? 'none'),
    );
    if (recordsPerRun === undefined) return undefined;
    const recordsPerMonth = await this.#ask(
      'Records per month',
      (text) => readRecords(text, 'month'),
      String(earlier.recordsPerMonth ?? Math.min(recordsPerRun * MONTH, 1e12)),
    );
    return { recordsPerRun, recordsPerMonth };
  }

  async #price(budget: Budget | undefined): Promise<number | undefined> {
    const { earlier } = this.#options;
    if (budget === undefined) return earlier.pricePerRecord;
    return this.#ask<number | undefined>(
      'Price per record, or unknown',
      (text) => (/^(unknown|none|no|n|-)$/i.test(text) ? { value: undefined } : readPrice(text)),
      String(earlier.pricePerRecord ?? 'unknown'),
    );
  }

  /** Asks until the answer is right; Enter takes what is offered. */
  async #ask<T>(question: string, read: (text: string) => Read<T>, offered?: string): Promise<T> {
    const prompt = offered === undefined ? `${question}: ` : `${question} [${offered}]: `;
    for (;;) {
      const text = await this.#questions.ask(prompt);
      const skip = this.#mayskip && offered !== undefined && text.toLowerCase() === 'skip';
      if (skip) this.#checking = false;
      const result = read((skip || text === '') && offered !== undefined ? offered : text);
      if ('value' in result) return result.value;
      this.#refuse(result.wrong);
    }
  }

  async #secret(what: string): Promise<string> {
    for (;;) {
      const text = await this.#questions.ask(`${capital(what)} (not shown): `, true);
      const result = readKey(text, what);
      if ('value' in result) return result.value;
      this.#refuse(result.wrong);
    }
  }

  #tell({ about, error }: Doubt): void {
    this.#mayskip = true;
    const hint = hintOf(error);
    const skip =
      about === 'keys' ? '' : ' Answer again, press Enter for the same, or type skip to check nothing.';
    this.#refuse(`${error.message}${hint === '' ? '' : ` ${hint}`}${skip}`);
  }

  #refuse(sentence: string): void {
    this.#terminal.warn(sentence);
    this.#questions.forget();
    if (++this.#wrong < MOST_WRONG) return;
    throw new UsageError(`${MOST_WRONG} answers were not accepted.`, {
      hint: 'Nothing was written. Start `dawnload init` again, with --skip-checks where the service cannot be reached.',
    });
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
