import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { boundedFetch } from './boundedFetch.ts';
import type { ServerLink } from './childLink.ts';

/** A service that speaks streamable HTTP. It is at the user's own address: anywhere, the loopback included. */
export interface ServerService {
  readonly url: string;
  /** Headers of every request; their values are never shown. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How long a server may take to say goodbye. */
const GOODBYE_MS = 2_000;

/**
 * A connection to a service. It follows redirects within the service's origin alone, so that no key goes elsewhere.
 *
 * @param maxBytes most of one answer
 */
export function httpLink({ url, headers }: ServerService, maxBytes: number): ServerLink {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: boundedFetch(maxBytes),
    requestInit: { headers: { ...headers } },
  });
  return {
    // The SDK's own types disagree under exactOptionalPropertyTypes.
    transport: transport as Transport,
    problem: () => undefined,
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
      await transport.close();
    },
  };
}
