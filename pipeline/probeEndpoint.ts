import type { ResolvedEndpoint } from '../schemas/config/resolved/endpoints.ts';

/** How long an endpoint may take to answer the probe. */
const PROBE_TIMEOUT_MS = 10_000;

/** What a probe found: any answer at all means that the endpoint is there. */
type ProbeResult =
  | { readonly reachable: true; readonly status: number }
  | { readonly reachable: false; readonly why: string };

/** Asks an endpoint for its models, which costs nothing. Only a broken connection counts against it. */
export async function probeEndpoint(
  endpoint: Pick<ResolvedEndpoint, 'base_url'>,
  apiKey: string | undefined,
): Promise<ProbeResult> {
  const url = `${endpoint.base_url.replace(/\/+$/, '')}/models`;
  try {
    const response = await fetch(url, {
      // A redirect would carry the key elsewhere; it is an answer too.
      redirect: 'manual',
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { reachable: true, status: response.status };
  } catch (error) {
    return { reachable: false, why: connectionProblem(error) };
  }
}

function connectionProblem(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in 10 s';
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof AggregateError) return connectionProblem({ cause: cause.errors[0] });
  const { code, message } = (cause ?? error) as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
