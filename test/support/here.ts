/** Answers questions and reads own tables in this process, because starting the usual child process takes longest. */
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import * as bounded from '../../src/ground/bounded-process.js';
import * as storage from '../../src/disk/storage-error.js';
import * as queries from '../../src/readers/queries/child.js';
import * as own from '../../src/streams/own/read.js';
import { copyTemplate } from './template.js';

type Answering = typeof bounded.inProcess;
const { inProcess } = bounded;

const asJson = (value: unknown): never => JSON.parse(JSON.stringify(value)) as never;

const here: Answering = async (entry, task, bounds) => {
  const { signal, read, heard } = bounds;
  const { perform } = entry.endsWith('/queries/child.js') ? queries : own;
  signal.throwIfAborted();
  const stdout = new PassThrough();
  const tell = (message: object): void => heard?.(asJson(message));
  const answered = perform(asJson(task), { tell, stdout }).finally(() => stdout.end());
  const [reply] = await Promise.all([answered, read?.(stdout)]);
  signal.throwIfAborted();
  return asJson(reply);
};

let answering = inProcess;

function use(one: Answering): void {
  const before: Answering[] = [];
  beforeAll(() => {
    vi.spyOn(bounded, 'inProcess').mockImplementation((entry, task, bounds) =>
      answering(entry, task, bounds as never),
    );
    before.push(answering);
    answering = one;
  });
  afterAll(() => {
    answering = before.pop() ?? inProcess;
  });
}

/** Use it for the tests of a file or block. */
export const answeringHere = (): void => {
  use(here);
};

/** For tests of limits, signals and leftovers, which need a child process. */
export const answeringInItsProcess = (): void => {
  use(inProcess);
};

/** `docs` describes an empty warehouse; this copies the template instead of creating one for each command. */
export const describingTemplate = (): void => {
  beforeEach(() => {
    const { makeTemporary } = storage;
    const spy = vi.spyOn(storage, 'makeTemporary').mockImplementation((prefix) => {
      const folder = makeTemporary(prefix);
      if (prefix === 'dawnload-docs-') copyTemplate(join(folder, 'empty.duckdb'));
      return folder;
    });
    return () => {
      spy.mockRestore();
    };
  });
};
