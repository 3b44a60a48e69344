/** Places and webhook receivers for tests, removed after the test that creates them. */
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { copyData } from './copies.js';
import { NOW, Place, type Ended } from './dawnload.js';
import type { Fault, FaultySandboxOptions } from './faults/index.js';

export async function makePlace(yaml: string, options: FaultySandboxOptions = {}): Promise<Place> {
  const place = await Place.make(yaml, options);
  onTestFinished(() => place.remove());
  return place;
}

type Files = Readonly<Record<string, string>>;

/** Data folders after a first night, by its settings and files. */
const begun = new Map<string, Promise<string>>();

async function afterNight(yaml: string, files: Files): Promise<string> {
  const place = await Place.make(yaml);
  await fill(place, files);
  await ends(place.run(['run']), 0);
  await place.sandbox.close();
  process.on('exit', () => {
    rmSync(place.folder, { recursive: true, force: true });
  });
  return join(place.folder, 'data');
}

async function fill({ folder }: Place, files: Files): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}

/**
 * Writes the files, and copies the data folder that a first night with them and these settings creates. This process runs that
 * night once for all tests. The sandbox of the place has no record of it.
 */
export async function beginWithNight(place: Place, yaml: string, files: Files = {}): Promise<void> {
  const key = JSON.stringify([yaml, files]);
  const after = begun.get(key) ?? afterNight(yaml, files);
  begun.set(key, after);
  await fill(place, files);
  await copyData(await after, join(place.folder, 'data'));
}

/** Expects that a command ends with this exit code, and that stderr contains each of these words. */
export async function ends<T extends Pick<Ended, 'code' | 'stderr'> & Partial<Pick<Ended, 'stdout'>>>(
  command: Promise<T>,
  code: number,
  ...words: readonly (string | RegExp)[]
): Promise<T> {
  const result = await command;
  // What a command prints, such as a receipt, tells why it failed.
  expect(result.code, `${result.stderr}${result.stdout ?? ''}`).toBe(code);
  for (const said of words)
    expect(result.stderr).toEqual(
      typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    );
  return result;
}

/** A place with its clock, and the service's, at the n-th night. */
export class Nights {
  night = 0;
  place!: Place;

  static async make<T extends Nights>(this: new () => T, yaml: string): Promise<T> {
    const nights = new this();
    const [now, date] = [() => nights.now, () => nights.now.toUTCString()];
    nights.place = await makePlace(yaml, { now, date });
    return nights;
  }

  /** Creates a place that begins with a first night (`beginWithNight`). */
  static async begun<T extends Nights>(this: new () => T, yaml: string, files: Files = {}): Promise<T> {
    const nights = await Nights.make.call(this, yaml);
    await beginWithNight(nights.place, yaml, files);
    return nights as T;
  }

  get now(): Date {
    return new Date(Date.parse(NOW) + this.night * 86_400_000);
  }

  run(faults: readonly Fault[] = [], args: readonly string[] = ['run']): Promise<Ended> {
    this.place.sandbox.setFaults(faults);
    return this.place.run(args, { DAWNLOAD_NOW: this.now.toISOString() });
  }
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly authorization: string;
}

/** A receiver of webhooks and pings on loopback. */
export class Hook {
  readonly received: Received[] = [];
  status = 200;
  hangs = false;
  private constructor(private readonly server: Server) {}

  static async listen(): Promise<Hook> {
    const server = createServer();
    const hook = new Hook(server);
    server.on('request', (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        hook.received.push({ method, path, body, authorization: headers.authorization ?? '' });
        if (hook.hangs) return;
        response.writeHead(hook.status, { location: '/elsewhere' }).end('{"ok":true}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      hook.close();
    });
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns and removes the received JSON bodies. */
  take(): Record<string, unknown>[] {
    return this.received
      .splice(0)
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
