import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A worker's way to a database that can swallow all packets for a while. */
export interface BlackHole {
  /** The database as the worker knows it. */
  readonly url: string;
  /** Nothing passes for so long, in either direction; no connection is closed. */
  swallow(durationMs: number): void;
  close(): void;
}

/** Starts a relay on this machine to a database's socket. */
export async function startBlackHole(socket: string): Promise<BlackHole> {
  const open = new Set<Socket>();
  const held = new Set<() => void>();
  let isHole = false;
  const relay = createServer({ pauseOnConnect: true }, (client) => {
    open.add(client);
    client.on('error', () => client.destroy());
    const pass = () => {
      const server = connect(socket);
      open.add(server);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          to.destroy();
          open.delete(from);
        });
      }
    };
    if (isHole) held.add(pass);
    else pass();
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `postgres://coa@127.0.0.1:${(relay.address() as { port: number }).port}/postgres`,
    swallow(durationMs) {
      isHole = true;
      for (const side of open) side.pause();
      setTimeout(() => {
        isHole = false;
        for (const side of open) side.resume();
        for (const pass of held) pass();
        held.clear();
      }, durationMs);
    },
    close() {
      relay.close();
      for (const side of open) side.destroy();
    },
  };
}
