/** Waits for many promises at once without leaving one running after a failure. */

/**
 * The results of all, when every one has ended.
 *
 * @throws the first rejection, after the others have ended: a page that is being written is written to its end
 */
export async function settleAll<T>(promises: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
