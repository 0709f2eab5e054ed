import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { parseJson } from '../../base/json.ts';
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

const encoder = new TextEncoder();

/**
 * `fetch` for a streamable HTTP server: answers are read up to a limit, and an answer that breaks off is an answer
 * that says so, at once. Servers are not listened to beyond their answers: the stream for their own messages is not
 * opened, and the connection of a request that was cancelled is not kept.
 *
 * @param maxBytes most of one answer
 */
function boundedFetch(maxBytes: number): FetchLike {
  const underWay = new Map<Id, AbortController>();
  return async (url, init) => {
    // What a server that offers no such stream answers (MCP specification, streamable HTTP).
    if (init?.method === 'GET') return new Response(null, { status: 405 });
    const { asked, cancelled } = idsIn(init?.body);
    if (cancelled !== undefined) underWay.get(cancelled)?.abort();
    if (asked === undefined) return boundedAnswer(await fetch(url, init), maxBytes);
    const cancel = new AbortController();
    underWay.set(asked, cancel);
    const end = () => void underWay.delete(asked);
    const signals = init?.signal ? [init.signal, cancel.signal] : [cancel.signal];
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) });
      return boundedAnswer(response, maxBytes, asked, end);
    } catch (error) {
      end();
      throw error;
    }
  };
}

/** @param end called once nothing more is read */
function boundedAnswer(
  { body, status, statusText, headers }: Response,
  maxBytes: number,
  asked?: Id,
  end: () => void = () => undefined,
): Response {
  const isStream = headers.get('content-type')?.includes('text/event-stream') === true;
  const ending = isStream && asked !== undefined ? brokenOff(asked) : undefined;
  if (!body) end();
  const bounded = body && boundedBody(body, maxBytes, ending, end);
  return new Response(bounded, { status, statusText, headers });
}

function boundedBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  ending: ((why: string) => Uint8Array) | undefined,
  end: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  const endWith = (controller: ReadableStreamDefaultController<Uint8Array>, why: string) => {
    end();
    if (!ending) return controller.error(new Error(why));
    controller.enqueue(ending(why));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) {
          end();
          if (ending) controller.enqueue(ending('the connection ended without an answer'));
          controller.close();
          return;
        }
        bytes += value.length;
        if (bytes <= maxBytes) return controller.enqueue(value);
        await reader.cancel().catch(() => undefined);
        endWith(controller, `the answer is longer than ${maxBytes} bytes`);
      } catch {
        endWith(controller, 'the connection broke off');
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}

/** An error for the request that was asked; where it was answered before, nobody waits for it. */
function brokenOff(id: Id): (why: string) => Uint8Array {
  return (why) => {
    const error = { jsonrpc: '2.0', id, error: { code: BROKEN_OFF, message: why } };
    return encoder.encode(`\n\nevent: message\ndata: ${JSON.stringify(error)}\n\n`);
  };
}

/** Code of the errors that stand for a broken connection; none that JSON-RPC or MCP gives a meaning. */
export const BROKEN_OFF = -32_099;

type Id = string | number;

/** The ids in a message of ours: what it asks, or whose answer is not wanted any more. */
function idsIn(body: unknown): { readonly asked?: Id | undefined; readonly cancelled?: Id | undefined } {
  if (typeof body !== 'string') return {};
  const { id, method, params } = parseJson(body) as {
    readonly id?: Id;
    readonly method?: string;
    readonly params?: { readonly requestId?: Id };
  };
  return { asked: id, cancelled: method === 'notifications/cancelled' ? params?.requestId : undefined };
}
