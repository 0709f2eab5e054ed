import { systemClock } from '../base/systemClock.ts';
import { type SessionObserver, silentObserver } from '../pipeline/createSession.ts';
import { executeRun, type RunResult } from '../pipeline/executeRun.ts';
import { loadRunConfig } from '../pipeline/import/importedRun.ts';
import type { ExecuteRunOptions } from '../pipeline/workSession.ts';

/** How {@link runConfig} runs a configuration. */
export interface RunConfigOptions
  extends Partial<Omit<ExecuteRunOptions, 'loaded' | 'clock' | 'drain' | 'retry'>> {
  /** The run's folder below `runs_dir`; default: the configuration's name. */
  readonly name?: string;
  /** Most tasks of all sources together. */
  readonly limit?: number;
  /** Default: {@link silentObserver}. */
  readonly observer?: SessionObserver;
  /** Told what a person should know; default: nobody is. */
  readonly log?: (line: string) => void;
  /** Where keys are looked up; default: `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a configuration file, or resumes its run.
 *
 * @throws UserError for a mistake in the configuration; RunError when a run can't go on; the signal's reason
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
