import { Resources } from '../base/resources.ts';
import { systemClock } from '../base/systemClock.ts';
import type { SpendingMeter } from '../calls/budget/spendingMeter.ts';
import { uncountedCalls } from '../calls/sessionCalls.ts';
import type { CallObserver } from '../contract/calls.ts';
import type { Session } from '../contract/session.ts';
import type { RunObserver } from './run/stageWork.ts';

/** What a session has sent and spent, for whoever watches it. */
export type SessionMeter = Pick<SpendingMeter, 'billed' | 'inFlight' | 'attempts'>;

/** Watches a session: its stages, its calls, its spending. */
export interface SessionObserver extends RunObserver, Partial<CallObserver> {
  /** The spending log is open. */
  began?(meter: SessionMeter): void;
}

/** Watches nothing. */
export const silentObserver: SessionObserver = { stageStarted() {}, outcome() {}, stageFinished() {} };

/**
 * A session of a command. By default it is outside of any run: its calls are neither counted nor drained, it has the
 * process's environment, and it says nothing. Who creates it disposes of it, which closes its resources.
 */
export function createSession(given: Partial<Session> = {}): Session & AsyncDisposable {
  const { resources = new Resources() } = given;
  return {
    env: process.env,
    clock: systemClock,
    offline: false,
    calls: given.calls ?? uncountedCalls(new AbortController().signal),
    log: () => {},
    ...given,
    resources,
    [Symbol.asyncDispose]: () => resources.closeAll(),
  };
}
