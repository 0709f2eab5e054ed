import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import type { EndpointMember } from '../../contract/endpointPool.ts';
import { WholeAnswer } from './wholeAnswer.ts';

/** Longest wait for a server's word about itself. */
const ASK_TIMEOUT_MS = 3_000;
/** It holds the chat template too, which takes some tens of kilobytes. */
const MAX_PROPS_BYTES = 4 * 1024 * 1024;
/** Slots share a server's memory: one that claims more says something else. */
const MOST_SLOTS = 256;

const propsSchema = z.object({ total_slots: z.int().min(1).max(MOST_SLOTS) });

/**
 * Requests that a llama-server works on at once, each in a slot that keeps what it has read: `total_slots` of its
 * `GET /props`. Undefined where the server has no such route, doesn't answer in time or before the signal is aborted,
 * or says something else.
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

/** The route stands beside `/v1`, not below it. */
function propsAddress(baseUrl: string): { readonly origin: string; readonly path: string } {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, path: `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/props${search}` };
}
