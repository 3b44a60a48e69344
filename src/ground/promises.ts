/** Waits for several promises. */

/**
 * Resolves with the results of all promises after all have settled.
 *
 * @throws the first rejection, after all have settled, so that a page being written is written completely
 */
export async function settleAll<T>(promises: Iterable<Promise<T>>): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
