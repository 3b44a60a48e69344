/** Names of catalogs, fields, selections, and ids of items: one rule for all. */
import { NAME_LENGTH } from './limits.js';
import type { Path, Problems } from './problems.js';

export function checkName(name: unknown, path: Path, problems: Problems): name is string {
  if (typeof name !== 'string') {
    problems.add(path, name === undefined ? 'required' : 'invalid-type', 'A string is wanted here.');
    return false;
  }
  if (name.length > NAME_LENGTH) {
    problems.add(path, 'too-long', `At most ${NAME_LENGTH} characters are allowed.`);
    return false;
  }
  if (!/^[A-Za-z0-9_-]+$/.test(name)) {
    problems.add(
      path,
      'invalid-pattern',
      'Letters, digits, _ and - are allowed, and at least one is wanted.',
    );
    return false;
  }
  return true;
}
