import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';

/** Ports that nobody listens at right now, for programs that can't be asked to choose one themselves. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => promisify(server.close.bind(server))()));
  return ports;
}
