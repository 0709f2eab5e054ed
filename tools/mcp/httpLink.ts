import { ReadableStream as NodeStream } from 'node:stream/web';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ServerLink } from './childLink.ts';

/** A streamable HTTP service at the user's own address, including the loopback. */
export interface ServerService {
  readonly url: string;
  /** Headers of every request; their values are never shown. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Timeout of ending the session. */
const GOODBYE_MS = 2_000;

/**
 * Connection to a service. Follows redirects only within the service's origin, so that no key goes elsewhere.
 * @param maxBytes most of one answer; a longer one, and one that breaks off, ends the connection
 */
export function httpLink({ url, headers }: ServerService, maxBytes: number): ServerLink {
  let problem: string | undefined;
  const giveUp = (why: string) => {
    problem ??= why;
    void transport.close();
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(input, init) {
      // Declines the stream for a server's own messages, with the answer of a server that offers none (MCP
      // specification).
      if (init?.method === 'GET') return new Response(null, { status: 405 });
      const response = await fetch(input, init);
      return response.body ? new Response(bounded(response.body, maxBytes, giveUp), response) : response;
    },
    requestInit: { headers: { ...headers } },
  });
  return {
    // The SDK's own types conflict under exactOptionalPropertyTypes.
    transport: transport as Transport,
    problem: () => problem,
    async close() {
      const late = new Promise<void>((resolve) => setTimeout(resolve, GOODBYE_MS).unref());
      await Promise.race([transport.terminateSession().catch(() => undefined), late]);
      await transport.close();
    },
  };
}

function bounded(body: ReadableStream<Uint8Array>, maxBytes: number, giveUp: (why: string) => void) {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > maxBytes) giveUp(`answered with more than ${maxBytes} bytes`);
        yield chunk;
      }
    } catch (error) {
      giveUp('broke the connection off');
      throw error;
    }
  }
  return NodeStream.from(chunks()) as ReadableStream<Uint8Array>;
}
