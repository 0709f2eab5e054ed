import { setTimeout as delay } from 'node:timers/promises';

/**
 * Waits until something is so, and looks at it every 20 ms unless told otherwise.
 *
 * @throws `waited 120 s for WHAT` once `limitMs` are over, 120 s unless told otherwise
 */
export async function waitUntil(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  { everyMs = 20, limitMs = 120_000 }: { readonly everyMs?: number; readonly limitMs?: number } = {},
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() >= endMs) throw new Error(`waited ${limitMs / 1_000} s for ${what}`);
    await delay(everyMs);
  }
}
