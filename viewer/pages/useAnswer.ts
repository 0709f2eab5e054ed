import { options } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LiveMessage } from '../api.ts';
import type { ExportedPage } from '../exportPage.ts';

/** Fetches JSON. Throws the server's error message. */
export async function fetchAnswer<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (exported) return exportedAnswer<T>(exported.answers[path]);
  const response = await fetch(path, { signal: signal ?? null }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new Error('The viewer does not answer. Is coa-distill view still running?');
  });
  return answerOf<T>(response);
}

const waiting = { questions: 0, watchers: new Set<() => void>() };

function countWaiting(by: number): void {
  waiting.questions += by;
  for (const tell of waiting.watchers) tell();
}

export function useIsWaiting(): boolean {
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    const tell = () => setWaiting(waiting.questions > 0);
    waiting.watchers.add(tell);
    tell();
    return () => void waiting.watchers.delete(tell);
  }, []);
  return isWaiting;
}

function exportedAnswer<T>(answer: unknown = { error: 'This copy does not have it.' }): T {
  const { error } = answer as { error?: string };
  if (error !== undefined) throw new Error(error);
  return answer as T;
}

/** Reads a JSON response. Throws the server's error message. */
export async function answerOf<T>(response: Response): Promise<T> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  const body = isJson ? await response.json() : { error: await response.text() };
  // A proxy's page may come with status 200.
  if (!response.ok || !isJson) throw new Error((body as { error: string }).error);
  return body as T;
}

export interface Answered<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  /** Path of the last answer; undefined before the first. */
  readonly path: string | undefined;
}

/**
 * Fetches an answer, and again when the path or `revision` changes.
 *
 * @param path undefined fetches nothing
 */
export function useAnswer<T>(path: string | undefined, revision: number | string = 0): Answered<T> {
  const [answer, setAnswer] = useState<Answered<T>>({
    data: undefined,
    error: undefined,
    path: undefined,
  });
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    let open = answer.path === undefined ? 1 : 0;
    const close = () => {
      if (open > 0) countWaiting(-open);
      open = 0;
    };
    if (open > 0) countWaiting(open);
    const answered = fetchAnswer<T>(path, leaving.signal).then(
      // Ignores a late answer that could not be aborted.
      (data) => !leaving.signal.aborted && setAnswer({ data, error: undefined, path }),
      (error: Error) => !leaving.signal.aborted && setAnswer({ data: undefined, error: error.message, path }),
    );
    void answered.finally(close);
    return () => {
      leaving.abort();
      close();
    };
  }, [path, revision]);
  return answer;
}

/** Interval of polling, in milliseconds. */
const LOOK_MS = 2_000;

/** Fetches, and polls while the answer is still in progress. */
export function useFollowed<T>(path: string, goesOn: (data: T) => boolean): Answered<T> {
  const [looks, setLooks] = useState(0);
  const answer = useAnswer<T>(path, looks);
  const isOpen = answer.data !== undefined && goesOn(answer.data);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setLooks((times) => times + 1), LOOK_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  return answer;
}

/** Last live message of a source; undefined before the first. */
export function useLive(name: string): LiveMessage | undefined {
  const [message, setMessage] = useState<LiveMessage>();
  useEffect(() => {
    if (exported) return;
    const events = new EventSource(`${sourcePath(name)}/live`);
    events.onmessage = ({ data }) => setMessage(JSON.parse(data));
    return () => events.close();
  }, [name]);
  return message;
}

export function sourcePath(name: string): string {
  return `/api/sources/${encodeURIComponent(name)}`;
}

/** Data of an exported page; undefined in the viewer. */
export const exported: Required<ExportedPage> | undefined =
  JSON.parse(document.getElementById('exported')?.textContent ?? 'null') ?? undefined;

/** Link target in an export; undefined if the page is missing. */
export function exportedHref(href: string): string | undefined {
  const { pathname, search } = new URL(href, 'http://viewer');
  const file = pathname === exported?.path ? '' : exported?.files[pathname];
  return file === undefined ? undefined : `${file}${search}`;
}

// Omits the address: an element without one is no link, so it is neither focusable nor announced.
if (exported)
  options.vnode = ({ type, props }) => {
    const link = props as { href?: string | undefined };
    if (type === 'a' && link.href?.startsWith('/')) link.href = exportedHref(link.href);
  };
