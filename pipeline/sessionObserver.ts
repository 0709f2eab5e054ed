import type { SpendingMeter } from '../calls/budget/spendingMeter.ts';
import type { CallObserver } from '../contract/calls.ts';
import type { RunObserver } from './run/stageWork.ts';

/** What a session has sent and spent, for whoever watches it. */
export type SessionMeter = Pick<SpendingMeter, 'spent' | 'inFlight' | 'attempts'>;

/** Watches a session: its stages, its calls, its spending. */
export interface SessionObserver extends RunObserver, Partial<CallObserver> {
  /** The spending log is open. */
  began?(meter: SessionMeter): void;
}

/** Watches nothing. */
export const silentObserver: SessionObserver = { stageStarted() {}, outcome() {}, stageFinished() {} };
