/** Answers of free streams that DuckDB refuses, mended in copies; pages of exports are mended batch by batch. */
import { asPattern, largestOf, mend } from './landed-files.js';
import { isRefusal } from './load-error.js';
import type { CampaignAnswer, Pull } from './pull.js';
import type { Session } from './session.js';

/** A copy that is read in the place of a landed file; the caller removes it. */
export interface MendedCopy {
  readonly pull: string;
  readonly file: string;
}

/**
 * The pulls with copies in the place of those files that DuckDB refuses.
 *
 * @throws DamageError when a file is no JSON, also when mended
 */
export async function mendedPulls(
  pulls: readonly Pull[],
  { session, tempDirectory }: { session: Session; tempDirectory: string },
): Promise<{ pulls: Pull[]; copies: MendedCopy[] }> {
  const copies: MendedCopy[] = [];
  const usable = async (file: string, pull: string): Promise<string> => {
    await session.set({ files: [asPattern(file)], largest_object: await largestOf([file]) });
    if (!(await session.run('ops/read_file').then(() => false, isRefusal))) return file;
    const copy = await mend(file, tempDirectory);
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
  const mended: Pull[] = [];
  for (const pull of pulls) {
    if (pull.stream === 'events') mended.push(pull);
    else if (pull.stream === 'campaigns') {
      mended.push({ ...pull, answers: await usableAnswers(pull.answers, pull.id) });
    } else mended.push({ ...pull, file: await usable(pull.file, pull.id) });
  }
  return { pulls: mended, copies };
}
