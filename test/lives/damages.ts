/** What happens to the files of a data folder between two commands. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dataFiles, MANIFEST } from '../../src/disk/paths.js';
import { fakeFile } from './fake-warehouse.js';

interface Damage {
  readonly name: string;
  /** True if payments must stop until a person has agreed. */
  readonly doubts: boolean;
  /** True if the next run has to load everything again. */
  readonly unloads?: true;
  /** True if it is of whole commands alone. */
  readonly ofCommands?: true;
  /** Does it; false if it cannot be done now. */
  readonly to: (files: Files, amount: number) => boolean;
}

interface Files {
  readonly data: string;
  /** A backup of the folder, if there is one. */
  readonly backup: string;
  readonly journal: string;
  readonly copy: string;
  readonly witness: string;
  readonly warehouse: string;
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

/** The number of a line, or of the line that another file saw last. */
const seqIn = (text = ''): number => Number(/"seq":(\d+)/.exec(text)?.[1] ?? 0);

/** True if the second copy has all that the journal has: otherwise a second loss is none of the promises. */
const isCopied = ({ journal, copy }: Files): boolean => {
  const text = textOf(journal);
  return linesOf(text).length > 2 && text === textOf(copy);
};

/** The newest line that a manifest or a warehouse names. */
const namedElsewhere = ({ data, warehouse }: Files): number => {
  const landing = join(data, 'landing');
  const manifests = existsSync(landing)
    ? readdirSync(landing, { recursive: true, encoding: 'utf8' }).filter(
        (name) => basename(name) === MANIFEST,
      )
    : [];
  const named = [...manifests.map((name) => join(landing, name)), warehouse].filter((path) =>
    path.endsWith('.json'),
  );
  return Math.max(0, ...named.map((path) => seqIn(textOf(path))));
};

const remove = (path: string): true => {
  rmSync(path);
  return true;
};

const write = (path: string, text: string): true => {
  writeFileSync(path, text);
  return true;
};

/** Puts a copy of a folder in the place of the data folder. */
const replace = (data: string, by: string): true => {
  const copy = `${data}.copy`;
  cpSync(by, copy, { recursive: true, preserveTimestamps: true });
  rmSync(data, { recursive: true });
  renameSync(copy, data);
  return true;
};

export const DAMAGES: readonly Damage[] = [
  {
    name: 'the folder is a copy of itself',
    doubts: true,
    to: (files) => isCopied(files) && existsSync(files.witness) && replace(files.data, files.data),
  },
  {
    name: 'a backup is restored',
    doubts: true,
    unloads: true,
    // A backup of a folder that nothing had happened in cannot be told from a new folder.
    to: (files) =>
      linesOf(textOf(join(files.backup, 'ledger', 'journal.jsonl'))).length > 1 &&
      replace(files.data, files.backup),
  },
  {
    name: 'the second copy is lost',
    doubts: true,
    to: (files) => isCopied(files) && remove(files.copy),
  },
  { name: 'the journal is lost', doubts: true, to: (files) => isCopied(files) && remove(files.journal) },
  {
    name: 'the witness is lost',
    doubts: true,
    to: (files) => isCopied(files) && existsSync(files.witness) && remove(files.witness),
  },
  {
    name: 'journal and copy are older',
    doubts: true,
    to: (files, amount) => {
      const lines = linesOf(textOf(files.journal));
      const left = lines.slice(0, Math.max(1, lines.length - 1 - amount)).map((line) => `${line}\n`);
      // A line that no other file knows of is missed by nobody; an intent is in the witness before its request leaves.
      if (!isCopied(files) || seqIn(left.at(-1)) >= seqIn(textOf(files.witness))) return false;
      for (const path of [files.journal, files.copy]) write(path, left.join(''));
      return true;
    },
  },
  {
    name: 'journal, copy and witness are older',
    doubts: true,
    // What a backup of these three alone brings back: only a manifest or a warehouse knows more.
    to: (files, amount) => {
      const lines = linesOf(textOf(files.journal));
      const left = lines.slice(0, Math.max(1, lines.length - 1 - amount));
      const [last = ''] = left.slice(-1);
      if (!isCopied(files) || !existsSync(files.witness) || seqIn(last) >= namedElsewhere(files))
        return false;
      for (const path of [files.journal, files.copy]) write(path, left.map((line) => `${line}\n`).join(''));
      const witness = JSON.parse(textOf(files.witness)) as object;
      return write(files.witness, JSON.stringify({ ...witness, seq: seqIn(last), sum: last.slice(-34, -2) }));
    },
  },
  {
    name: 'journal and copy are lost',
    doubts: true,
    to: (files) => {
      if (!isCopied(files) || !existsSync(files.witness)) return false;
      rmSync(files.copy);
      return remove(files.journal);
    },
  },
  {
    name: 'the second copy is damaged',
    doubts: false,
    to: (files, amount) => {
      const text = textOf(files.copy);
      const at = text.length - 3 - 7 * amount;
      return isCopied(files) && at > 0 && write(files.copy, `${text.slice(0, at)}#${text.slice(at + 1)}`);
    },
  },
  {
    name: 'the end of the journal is torn',
    doubts: false,
    to: (files, amount) =>
      isCopied(files) && write(files.journal, textOf(files.journal).slice(0, -1 - amount)),
  },
  {
    name: 'a line of the journal is damaged',
    doubts: false,
    to: (files, amount) => {
      const text = textOf(files.journal);
      const at = text.length - 3 - 7 * amount;
      return isCopied(files) && at > 0 && write(files.journal, `${text.slice(0, at)}#${text.slice(at + 1)}`);
    },
  },
  {
    name: 'the warehouse is lost',
    doubts: false,
    unloads: true,
    to: ({ warehouse }) => {
      rmSync(`${warehouse}.wal`, { force: true });
      return existsSync(warehouse) && remove(warehouse);
    },
  },
  {
    name: 'the published file is lost',
    doubts: false,
    ofCommands: true,
    to: ({ data }) => {
      const { published } = dataFiles(data);
      return existsSync(published) && remove(published);
    },
  },
];

const filesIn = (dataDir: string, backup: string): Files => ({
  data: dataDir,
  backup,
  journal: join(dataDir, 'ledger', 'journal.jsonl'),
  copy: join(dataDir, 'landing', 'ledger', 'journal.jsonl'),
  witness: join(dataDir, 'private', 'witness.json'),
  warehouse: [fakeFile(dataDir), dataFiles(dataDir).working].find((path) => existsSync(path)) ?? '',
});

/** The newest line of the journal that `recover` finds in any file, warehouses left aside. */
export function newestLine(dataDir: string): number {
  const files = { ...filesIn(dataDir, ''), warehouse: '' };
  const ends = [files.journal, files.copy].map((path) => seqIn(linesOf(textOf(path)).at(-1)));
  return Math.max(...ends, seqIn(textOf(files.witness)), namedElsewhere(files));
}

/** Does the damage, or nothing where there is nothing to damage. */
export function damage(dataDir: string, backup: string, what: number, amount: number): Damage | undefined {
  const one = DAMAGES[what % DAMAGES.length];
  return one?.to(filesIn(dataDir, backup), amount) === true ? one : undefined;
}
