import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { stopListening } from '../../../contract/serverRules.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';

/** A web server of the test's own on the loopback. */
export interface HttpServer {
  readonly address: string;
  readonly port: number;
  readonly baseUrl: string;
  /** Connections so far. */
  connections(): number;
  close(): Promise<void>;
}

/** Starts a server on a free port; it ends with the test. */
export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return closesWithTest({
    address: '127.0.0.1',
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    connections: () => connections,
    close: () => stopListening(server),
  });
}
