/** An answer of a server that speaks JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly json: any;
}

/** Posts a value as JSON, a text as it is. */
export async function postJson(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
  return answerOf(response);
}

/** The answer as JSON; throws where it is none. */
export async function answerOf(response: Response): Promise<JsonAnswer> {
  return { status: response.status, headers: response.headers, json: await response.json() };
}
