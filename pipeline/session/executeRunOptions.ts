import type { Session } from '../../contract/session.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import type { RetryWish } from '../run/retryFailed.ts';
import type { SessionObserver } from './sessionObserver.ts';

/** What is run, how far, and what stops it. */
export interface ExecuteRunOptions extends Pick<Session, 'env' | 'clock' | 'log'> {
  readonly loaded: LoadedConfig;
  readonly name: string;
  /** Reruns this stage and later ones; what they made is discarded when they begin. */
  readonly from?: StageName;
  /** Stops after this stage. */
  readonly until?: StageName;
  /** Inputs that failed are worked on again. */
  readonly retry?: RetryWish;
  /** Goes on although finished traces are rerun by a paid model because the configuration changed. */
  readonly yes?: boolean;
  /** As in {@link Session}; default: false. */
  readonly offline?: boolean;
  /** Aborted with a `RunHalted` to let what is in flight end, begin nothing new, and stop. */
  readonly drain?: AbortSignal;
  /** Aborted with a `RunHalted` to stop now. */
  readonly signal: AbortSignal;
  readonly observer: SessionObserver;
}
