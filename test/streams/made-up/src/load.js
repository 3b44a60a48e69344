import { asPattern, largestOf } from '../../warehouse/pages.js';

export async function loadVolumes({ pulls }, { session, group }) {
  const pages = pulls.flatMap(({ id, read }) => read.map(({ file }) => ({ file, pull: id })));
  await session.run('shared/begin_end/clear_notes', group);
  await session.run('streams/volumes/load/replace', {
    files: pages.map(({ file }) => asPattern(file)),
    paths: pages.map(({ file }) => file),
    path_pulls: pages.map(({ pull }) => pull),
    largest_object: await largestOf(pages),
  });
  await session.run('shared/begin_end/cover', { ...group, table: 'volumes', day: 'date' });
  return undefined;
}
