import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { shownForms } from '../../../schemas/roleForms.ts';
import { startHttpServer } from '../../tools/support/startHttpServer.ts';

/** What weak models say in place of an answer. */
export const slips = ['form', 'dots', 'copy', 'loop', 'cut', 'empty'] as const;
/** See {@link slips}. */
export type Slip = (typeof slips)[number];

/** What a loop goes on with; it must never be trained. */
export const LOOP = 'the water of the river flows past the water of the river, ';

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
}
interface Completion {
  readonly choices?: readonly { readonly message: { content: string | null }; finish_reason: string }[];
}
interface Said {
  readonly content: string;
  readonly finish_reason: string;
}

/**
 * Starts a proxy in front of an OpenAI-compatible server that has answers slip.
 *
 * @param slipOf - How the answer to a request slips, by its conversation and how often it came before
 */
export async function startHostileProxy(
  upstream: string,
  slipOf: (conversation: string, nth: number) => Slip | undefined,
) {
  const seen = new Map<string, number>();
  const counts: Record<Slip, number> = { form: 0, dots: 0, copy: 0, loop: 0, cut: 0, empty: 0 };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = await text(request);
    if (request.method !== 'POST') return void response.writeHead(404, headers).end('{}');
    const answer = await fetch(`${upstream}/chat/completions`, { method: 'POST', headers, body });
    const completion = (await answer.json()) as Completion;
    const nth = seen.get(body) ?? 0;
    seen.set(body, nth + 1);
    const { messages } = JSON.parse(body) as Asked;
    const slip = answer.ok ? slipOf(messages.map(({ content }) => content).join('\n'), nth) : undefined;
    const [choice] = completion.choices ?? [];
    const said =
      slip && choice?.message.content ? slipped[slip](choice.message.content, { messages }) : undefined;
    if (slip && choice && said) {
      counts[slip] += 1;
      choice.message.content = said.content;
      choice.finish_reason = said.finish_reason;
    }
    response.writeHead(answer.status, headers).end(JSON.stringify(completion));
  }

  const { baseUrl, close } = await startHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return { baseUrl: `${baseUrl}/v1`, counts, close };
}

const slipped: Readonly<Record<Slip, (content: string, asked: Asked) => Said | undefined>> = {
  form: (content) => stopped(withWords(content, shownForms.answer.qa)),
  dots: (content) => stopped(withWords(content, '...')),
  copy: (content, asked) => {
    const earlier = earlierText(asked);
    return earlier === undefined ? undefined : stopped(withWords(content, earlier));
  },
  loop: () => ({ content: `{"think": "${LOOP.repeat(40)}`, finish_reason: 'length' }),
  cut: (content) => ({ content: content.slice(0, content.length / 2), finish_reason: 'length' }),
  empty: () => stopped(''),
};

function stopped(content: string): Said {
  return { content, finish_reason: 'stop' };
}

/** An answer of the same shape with other words; what names an action or a grade stays. */
function withWords(content: string, words: string): string {
  return JSON.stringify(replaced(JSON.parse(content), words));
}

function replaced(value: JsonValue | undefined, words: string): JsonValue {
  if (typeof value === 'string') return words;
  if (Array.isArray(value)) return value.map((item) => replaced(item, words));
  if (!isJsonObject(value)) return value ?? null;
  const isKept = ([key, of]: [string, JsonValue | undefined]) =>
    typeof of === 'string' && (key === 'action' || key === 'next');
  return Object.fromEntries(
    Object.entries(value).map((entry) => [entry[0], isKept(entry) ? entry[1]! : replaced(entry[1], words)]),
  ) satisfies JsonObject;
}

/** What the team thought or wrote before. */
function earlierText({ messages }: Asked): string | undefined {
  const said = messages.flatMap(({ role, content }) => (role === 'assistant' && content ? [content] : []));
  return said
    .flatMap((content) => content.split('\n').slice(1, 2))
    .find((line) => line.length >= 30 && !line.startsWith('{'));
}
