import { systemClock } from '../base/systemClock.ts';
import { type SessionObserver, silentObserver } from '../pipeline/createSession.ts';
import { executeRun, type RunResult } from '../pipeline/executeRun.ts';
import { loadRunConfig } from '../pipeline/import/importedRun.ts';
import type { ExecuteRunOptions } from '../pipeline/workSession.ts';

export interface RunConfigOptions
  extends Partial<Omit<ExecuteRunOptions, 'loaded' | 'clock' | 'drain' | 'retry'>> {
  /** Run folder below `runs_dir`; default: the configuration's name. */
  readonly name?: string;
  /** Maximum tasks over all sources. */
  readonly limit?: number;
  /** Default: {@link silentObserver}. */
  readonly observer?: SessionObserver;
  /** Receives messages for the user; default: discarded. */
  readonly log?: (line: string) => void;
  /** Source of keys; default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a configuration file, or resumes its run.
 *
 * @throws UserError for an invalid configuration; RunError if a run can't continue; the signal's reason
 */
export async function runConfig(file: string, options: RunConfigOptions = {}): Promise<RunResult> {
  const { limit, name, log = () => {}, observer = silentObserver, env = process.env, ...rest } = options;
  const loaded = await loadRunConfig(file, limit === undefined ? {} : { limit }, name);
  return executeRun({
    signal: new AbortController().signal,
    ...rest,
    loaded,
    name: name ?? loaded.name,
    clock: systemClock,
    env,
    observer,
    log,
  });
}
