/** Answers of free streams that DuckDB refuses, repaired in copies; pages of exports are repaired batch by batch. */
import { asPattern, largestOf, repair } from './landed-files.js';
import { isRefusal } from './load-error.js';
import { isReference } from '../storage/pull.js';
import type { CampaignAnswer, LandedList, Pull, ReferencePull, TemplateRead } from '../storage/pull.js';
import type { Session } from './session.js';

/** A copy that is read instead of a landed file; the caller removes it. */
export interface RepairedCopy {
  readonly pull: string;
  readonly file: string;
}

/**
 * The pulls, with copies instead of the files that DuckDB refuses.
 *
 * @throws DamageError when a file is not JSON, even when repaired
 */
export async function repairedPulls(
  pulls: readonly Pull[],
  { session, tempDirectory }: { session: Session; tempDirectory: string },
): Promise<{ pulls: Pull[]; copies: RepairedCopy[] }> {
  const copies: RepairedCopy[] = [];
  const usable = async (file: string, pull: string): Promise<string> => {
    await session.set({ files: [asPattern(file)], largest_object: await largestOf([file]) });
    if (!(await session.run('ops/read_file').then(() => false, isRefusal))) return file;
    const copy = await repair(file, tempDirectory);
    copies.push({ pull, file: copy });
    return copy;
  };
  const usableAnswers = async (
    answers: readonly CampaignAnswer[],
    pull: string,
  ): Promise<CampaignAnswer[]> => {
    const usableOnes: CampaignAnswer[] = [];
    for (const answer of answers) usableOnes.push({ ...answer, file: await usable(answer.file, pull) });
    return usableOnes;
  };
  const usableLists = async (pull: ReferencePull): Promise<ReferencePull> => {
    const lists: LandedList[] = [];
    for (const list of pull.lists) {
      const files: string[] = [];
      for (const file of list.files) files.push(await usable(file, pull.id));
      lists.push({ ...list, files });
    }
    const templates: TemplateRead[] = [];
    for (const read of pull.templates) {
      templates.push({ ...read, file: await usable(read.file, pull.id) });
    }
    return { ...pull, lists, templates };
  };
  const repaired: Pull[] = [];
  for (const pull of pulls) {
    if (pull.stream === 'events') repaired.push(pull);
    else if (pull.stream === 'campaigns') {
      repaired.push({ ...pull, answers: await usableAnswers(pull.answers, pull.id) });
    } else if (isReference(pull)) {
      repaired.push(await usableLists(pull));
    } else repaired.push({ ...pull, file: await usable(pull.file, pull.id) });
  }
  return { pulls: repaired, copies };
}
