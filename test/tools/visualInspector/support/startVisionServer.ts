import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../../../base/json.ts';
import { type HttpServer, startHttpServer } from '../../support/startHttpServer.ts';

/** What a multimodal model was asked, as it came over the wire. */
export interface VisionRequest {
  readonly text: string;
  /** Media type and bytes of the image, decoded from its data URL. */
  readonly type: string;
  readonly image: Buffer;
  readonly body: JsonObject;
  readonly authorization: string | undefined;
}

/** What it answers: words with status 200, or a status with a message. */
export type VisionReply = string | { readonly status: number };

/** A multimodal chat endpoint. */
export interface VisionServer {
  readonly baseUrl: string;
  readonly requests: readonly VisionRequest[];
  close(): Promise<void>;
}

/** Starts an endpoint that takes one image a request, and refuses anything else as real ones do; it ends with the test. */
export async function startVisionServer(
  reply: (request: VisionRequest) => VisionReply = () => 'a red box',
): Promise<VisionServer> {
  const requests: VisionRequest[] = [];
  const server: HttpServer = await startHttpServer(async (incoming, response) => {
    const body = await text(incoming);
    const send = (status: number, answer: JsonObject) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    if (incoming.method !== 'POST') return send(200, { object: 'list', data: [] });
    const request = readRequest(body, incoming.headers.authorization);
    if (!request) return send(400, { error: { message: 'expected a text and an image', type: 'invalid' } });
    requests.push(request);
    const said = reply(request);
    if (typeof said !== 'string') return send(said.status, { error: { message: 'planted', type: 'error' } });
    return send(200, {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'eyes',
      choices: [{ index: 0, message: { role: 'assistant', content: said }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 900, completion_tokens: 30, total_tokens: 930 },
    });
  });
  return { baseUrl: `${server.baseUrl}/v1`, requests, close: () => server.close() };
}

const dataUrl = /^data:(image\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/;

function readRequest(body: string, authorization: string | undefined): VisionRequest | undefined {
  const parsed = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  const [message, ...more] = parsed.messages;
  if (message?.role !== 'user' || more.length > 0 || !Array.isArray(message.content)) return undefined;
  const [words, picture, ...others] = message.content as {
    type: string;
    text?: string;
    image_url?: { url: string };
  }[];
  const [, type, base64] = dataUrl.exec(picture?.image_url?.url ?? '') ?? [];
  if (words?.type !== 'text' || picture?.type !== 'image_url' || others.length > 0 || !type) return undefined;
  const image = Buffer.from(base64!, 'base64');
  return { text: words.text!, type, image, body: parsed as JsonObject, authorization };
}
