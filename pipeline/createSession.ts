import { Resources } from '../base/resources.ts';
import { systemClock } from '../base/systemClock.ts';
import { uncountedCalls } from '../calls/sessionCalls.ts';
import type { Session } from '../contract/session.ts';

/**
 * A session of a command. By default it is outside of any run: its calls are neither counted nor drained, it has the
 * process's environment, and it says nothing. Who creates it closes its resources.
 */
export function createSession(given: Partial<Session> = {}): Session {
  return {
    env: process.env,
    clock: systemClock,
    offline: false,
    calls: given.calls ?? uncountedCalls(new AbortController().signal),
    log: () => {},
    resources: new Resources(),
    ...given,
  };
}
