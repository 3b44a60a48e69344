/** Places of tests: each goes away with the test that makes it. */
import { onTestFinished } from 'vitest';
import { NOW, Place, type Ended } from './dawnload.js';
import type { Fault, FaultySandboxOptions } from './faults/index.js';

export async function makePlace(yaml: string, options: FaultySandboxOptions = {}): Promise<Place> {
  const place = await Place.make(yaml, options);
  onTestFinished(() => place.remove());
  return place;
}

/** A place whose clock, and the service's, stand at the n-th night. */
export class Nights {
  night = 0;
  place!: Place;

  static async make<T extends Nights>(this: new () => T, yaml: string): Promise<T> {
    const nights = new this();
    const [now, date] = [() => nights.now, () => nights.now.toUTCString()];
    nights.place = await makePlace(yaml, { now, date });
    return nights;
  }

  get now(): Date {
    return new Date(Date.parse(NOW) + this.night * 86_400_000);
  }

  run(faults: readonly Fault[] = [], args: readonly string[] = ['run']): Promise<Ended> {
    this.place.sandbox.setFaults(faults);
    return this.place.run(args, { DAWNLOAD_NOW: this.now.toISOString() });
  }
}
