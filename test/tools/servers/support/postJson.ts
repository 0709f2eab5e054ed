import type { JsonObject } from '../../../../base/json.ts';

/** An answer of a server that speaks JSON. */
export interface JsonAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly json: T;
}

/** Posts a value as JSON, a text as it is; the answer is taken for a `T`. */
export async function postJson<T = JsonObject>(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer<T>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
  return answerOf(response);
}

/** The answer, taken for a `T`; throws where it is not JSON. */
export async function answerOf<T = JsonObject>(response: Response): Promise<JsonAnswer<T>> {
  return { status: response.status, headers: response.headers, json: (await response.json()) as T };
}
