import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../base/json.ts';
import { readUpTo } from '../../base/readUpTo.ts';

/** Maximum request size. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Body of a request, or undefined above the limit. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const { bytes, cut } = await readUpTo(request, MAX_BODY_BYTES);
  return cut ? undefined : bytes.toString('utf8');
}

/** Answers with JSON. With `cut` the connection breaks after half of it. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  { headers = {}, cut = false }: { headers?: Record<string, string>; cut?: boolean } = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...headers,
  });
  if (cut) response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  else response.end(bytes);
}

/** Answers with an error in OpenAI's shape. */
export function sendError(
  response: ServerResponse,
  status: number,
  error: { readonly message: string; readonly type: string; readonly code: string | null },
  headers: Record<string, string> = {},
): void {
  sendJson(response, status, { error: { ...error, param: null } }, { headers });
}

/** Answers with server-sent events. With `cut` the connection breaks after half of them. */
export function sendEvents(response: ServerResponse, chunks: readonly JsonObject[], cut: boolean): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  if (cut) {
    response.write(events.slice(0, events.length >> 1).join(''), () => response.destroy());
    return;
  }
  for (const event of events) response.write(event);
  response.end('data: [DONE]\n\n');
}
