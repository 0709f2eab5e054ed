import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import type { EndpointMember } from '../../contract/endpointPool.ts';
import { WholeAnswer } from './wholeAnswer.ts';

/** Timeout for a server's properties. */
const ASK_TIMEOUT_MS = 3_000;
/** Maximum size; the properties include the chat template of some tens of kilobytes. */
const MAX_PROPS_BYTES = 4 * 1024 * 1024;
/** Maximum plausible slots: they share a server's memory. */
const MOST_SLOTS = 256;

const propsSchema = z.object({ total_slots: z.int().min(1).max(MOST_SLOTS) });

/**
 * Concurrent requests of a llama-server, each in a slot that keeps its prompt: `total_slots` of `GET /props`.
 * Undefined if the route is missing, times out, is aborted, or returns something else.
 */
export async function readServerSlots(
  { baseUrl, apiKey }: EndpointMember,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<number | undefined> {
  const answer = new WholeAnswer(MAX_PROPS_BYTES);
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  delay(ASK_TIMEOUT_MS, undefined, { signal: either }).then(
    () => answer.giveUp(new Error('no answer in time')),
    () => answer.giveUp(new Error('given up')),
  );
  try {
    const headers = [
      ...['accept', 'application/json', 'accept-encoding', 'identity'],
      ...(apiKey === undefined ? [] : ['authorization', `Bearer ${apiKey}`]),
    ];
    dispatcher.dispatch({ ...propsAddress(baseUrl), method: 'GET', headers }, answer);
    const { status, text } = await answer.answer;
    const json = safeParseJson(text);
    const props = propsSchema.safeParse(status === 200 && json.ok ? json.value : undefined);
    return props.data?.total_slots;
  } catch {
    return undefined;
  } finally {
    ended.abort();
  }
}

/** Address of the route, which is next to `/v1`. */
function propsAddress(baseUrl: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, path: `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/props${search}` };
}
