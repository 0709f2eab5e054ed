import { BudgetSpent } from '../contract/errors.ts';
import { loadDotEnv } from '../pipeline/config/loadDotEnv.ts';
import { loadRunConfig } from '../pipeline/import/loadImport.ts';
import { runnable } from './programCommand.ts';
import type { RunCommandOptions } from './runArguments.ts';
import { checkedRunName, overridesOf, resumeCommand, retryWish } from './runArguments.ts';
import { withProgress } from './withProgress.ts';

/** Runs a configuration and prints how it went. Returns the exit code. */
export async function runFromCommandLine(configFile: string, options: RunCommandOptions): Promise<number> {
  const startedMs = performance.now();
  loadDotEnv(configFile);
  const loaded = await loadRunConfig(configFile, overridesOf(options), options.name);
  const name = checkedRunName(options.name ?? loaded.name);
  // Loaded only now, so that a mistake in the configuration is answered at once.
  const { executeRun } = await import('../pipeline/executeRun.ts');
  const { finishRun } = await import('./finishRun.ts');
  const resume = resumeCommand(configFile, options);
  try {
    const result = await withProgress({ resume, drains: true }, (surroundings) =>
      executeRun({
        ...surroundings,
        loaded,
        name,
        ...(options.from && { from: options.from }),
        ...(options.until && { until: options.until }),
        ...(options.retry !== undefined && { retry: retryWish(options.retry) }),
        yes: options.yes === true,
        offline: options.offline === true,
      }),
    );
    return await finishRun(result, { json: options.json === true, startedMs });
  } catch (error) {
    if (error instanceof BudgetSpent)
      console.error(
        runnable(
          `what is done is kept. Resume${error.isOfRun ? ', with a higher cap,' : ''} with: ${resume}`,
        ),
      );
    throw error;
  }
}
