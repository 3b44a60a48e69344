/** A value of a path as it was meant; what cannot be decoded stays as it is, and fits no rule. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
