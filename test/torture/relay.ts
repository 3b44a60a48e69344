/** A relay before the sandbox that hangs up for good after an endpoint has answered: from then on, refused. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { EndpointName, Sandbox } from '../../sandbox/index.js';

export class Relay {
  private constructor(
    readonly url: string,
    readonly server: Server,
    readonly sockets: Set<Socket>,
  ) {}

  /** @param last the endpoint whose first answer is the last one to get through; undefined: none does */
  static async start(sandbox: Sandbox, last: EndpointName | undefined): Promise<Relay> {
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const service = connect(sandbox.port, '127.0.0.1');
      for (const socket of [client, service]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => sockets.delete(socket));
      }
      client.pipe(service);
      let text = '';
      service.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        const isLast = last !== undefined && sandbox.requests()[last] > 0 && isWhole(text);
        if (isWhole(text)) text = '';
        client.write(chunk, () => {
          if (isLast) hangUp();
        });
      });
    });
    const hangUp = (): void => {
      server.close();
      for (const socket of sockets) socket.destroy();
    };
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const relay = new Relay(`http://127.0.0.1:${port}`, server, sockets);
    if (last === undefined) hangUp();
    return relay;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Whether the bytes hold one whole answer. */
function isWhole(text: string): boolean {
  const head = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1];
  return head >= 0 && length !== undefined && text.length >= head + 4 + Number(length);
}
