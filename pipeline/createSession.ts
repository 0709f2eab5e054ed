import { Resources } from '../base/resources.ts';
import { systemClock } from '../base/systemClock.ts';
import type { SpendingMeter } from '../calls/budget/spendingMeter.ts';
import { uncountedCalls } from '../calls/sessionCalls.ts';
import type { CallObserver } from '../contract/calls.ts';
import type { Session } from '../contract/session.ts';
import type { RunObserver } from './run/stageWork.ts';

export type SessionMeter = Pick<SpendingMeter, 'billed' | 'inFlight' | 'attempts'>;

export interface SessionObserver extends RunObserver, Partial<CallObserver> {
  /** Called once the spending log is open. */
  began?(meter: SessionMeter): void;
}

export const silentObserver: SessionObserver = { stageStarted() {}, outcome() {}, stageFinished() {} };

/**
 * Creates the session of a command. Defaults are for commands outside of a run: calls are not counted, the environment
 * is the process's, and nothing is logged. The caller disposes of it, which closes its resources.
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
