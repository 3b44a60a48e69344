import { asPattern, largestOf } from '../../warehouse/session.js';

export async function loadVolumes(pulls, { session }) {
  const pages = pulls.flatMap(({ id, read }) => read.map(({ file }) => ({ file, pull: id })));
  await session.set({
    landed: {
      files: pages.map(({ file }) => asPattern(file)),
      paths: pages.map(({ file }) => file),
      path_pulls: pages.map(({ pull }) => pull),
      largest_object: await largestOf(pages),
    },
  });
  await session.run('shared/begin_end/forget');
  await session.run('streams/volumes/load/replace');
  await session.run('shared/begin_end/cover', { table: 'volumes', day: 'date' });
  return undefined;
}
