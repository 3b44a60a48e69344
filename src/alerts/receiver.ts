/** Who is told what: the settings below `alerts`. */
import type { Cause, Format } from './alert.js';

export interface Receiver {
  /** Undefined while the variable that should hold it holds no address. */
  readonly url: string | undefined;
  /** The variable that holds the address. */
  readonly variable: string | undefined;
  readonly format: Format;
  readonly on: readonly Cause[];
}

/** A receiver as the file gives it. */
interface Given {
  readonly url?: string | undefined;
  readonly url_env?: string | undefined;
  readonly format: Format;
  readonly on: readonly Cause[];
}

type Variables = Readonly<Record<string, string | undefined>>;

export function receiversOf(given: readonly Given[], variables: Variables): Receiver[] {
  return given.map(({ url, url_env: variable, format, on }) => ({
    url: url ?? addressIn(variables, variable),
    variable,
    format,
    on,
  }));
}

/** The address that a variable holds, where there is one. */
export function addressIn(variables: Variables, variable: string | undefined): string | undefined {
  const value = variable === undefined ? undefined : variables[variable];
  return value !== undefined && /^https?:/.test(value) && URL.canParse(value) ? value : undefined;
}
