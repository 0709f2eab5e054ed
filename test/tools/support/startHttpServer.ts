import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server of the test's own on the loopback. */
export interface HttpServer {
  readonly address: string;
  readonly port: number;
  readonly baseUrl: string;
  /** Connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a server on a free port. */
export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: '127.0.0.1',
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
