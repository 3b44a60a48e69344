/** The messaging service itself, small enough to run inside this repository: for the demo, tests and benchmarks. */
export type { Bill } from './bills.js';
export type { RequestCount } from './control.js';
export type { EndpointName } from './endpoint.js';
export type { SandboxOptions } from './options.js';
export { type Sandbox, startSandbox } from './server.js';
