/** What is said of one request. Never what was asked or answered, nor a key. */
export interface RequestFacts {
  /** Name of the server: `web_search`, `crawl_page` or `wiki_search`. */
  readonly server: string;
  readonly id: string;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** What went wrong, for a status of 500 and up. */
  readonly error?: unknown;
}

/** Longest path that is logged. */
const MAX_PATH_CHARS = 100;

/** A line of the log: JSON with keys in one order, so whatever a client sends stays on its line. */
export function requestLine({ server, id, method, path, status, durationMs, error }: RequestFacts): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    server,
    id,
    method,
    path: path.slice(0, MAX_PATH_CHARS),
    status,
    ms: Math.round(durationMs * 10) / 10,
    ...(error !== undefined && { error: describe(error, status) }),
  });
}

/** A failure behind the server is told by its message; a mistake of our own by where it happened. */
function describe(error: unknown, status: number): string {
  if (!(error instanceof Error)) return String(error);
  return status === 500 ? (error.stack ?? error.message) : error.message;
}
