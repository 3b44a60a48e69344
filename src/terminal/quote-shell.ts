/** A word as it can be pasted into a shell, in quotes where it needs them. */
export function quoteShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
