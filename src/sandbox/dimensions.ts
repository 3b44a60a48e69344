/** A number and what it is made of, by dimension: each dimension's values add up to the number (E19). */
export class Dimensions {
  total = 0;
  private readonly parts = new Map<string, Map<string, number>>();

  /** Adds to the total, and to one value of each dimension given. */
  add(amount: number, dimensions: readonly (readonly [key: string, value: string])[]): void {
    this.total += amount;
    for (const [key, value] of dimensions) this.addDimension(key, value, amount);
  }

  addDimension(key: string, value: string, amount: number): void {
    const values = this.parts.get(key) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + amount);
    this.parts.set(key, values);
  }

  entries(): [key: string, value: string, amount: number][] {
    return [...this.parts].flatMap(([key, values]) =>
      [...values].map(([value, amount]): [string, string, number] => [key, value, amount]),
    );
  }
}
