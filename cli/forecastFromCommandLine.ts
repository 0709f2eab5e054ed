import { quoteShellWord } from '../base/shellWord.ts';
import { UserError } from '../base/userError.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { estimateRun, FEWEST_SEEN } from '../pipeline/estimate/estimateWork.ts';
import { planRun } from '../pipeline/planRun.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { isSynthesis } from '../pipeline/run/runFile.ts';
import { countDocuments, estimateSynthesis } from '../synthesis/estimateSynthesis.ts';
import { loadSynthesis } from '../synthesis/loadSynthesis.ts';
import { estimateLines } from './estimateLines.ts';
import { overridesOf } from './runArguments.ts';

export interface ForecastCommandOptions {
  readonly fromRun: string;
  readonly tasks?: string;
  readonly limit?: number;
  readonly set?: readonly string[];
  readonly json?: true;
}

/**
 * Prints the expected cost, duration and yield of a run.
 *
 * @throws UserError if the earlier run has too few tasks of every profile, or candidates
 */
export async function forecastFromCommandLine(
  configFile: string,
  { fromRun, json, ...overrides }: ForecastCommandOptions,
): Promise<void> {
  loadDotEnv(configFile);
  const { folder, run } = await findRun(fromRun);
  const { signal } = new AbortController();
  if (isSynthesis(run)) {
    const loaded = await loadSynthesis(configFile, overridesOf(overrides));
    const documents = await countDocuments(loaded, signal);
    const estimate = await estimateSynthesis(documents, folder, loaded.config.synthesize!.seeds.candidates);
    const lines = [`${documents} documents`, ...estimateLines(estimate, run.name, 'candidates')];
    return console.log(json ? JSON.stringify({ documents, ...estimate }) : lines.join('\n'));
  }
  const loaded = await loadConfig(configFile, overridesOf(overrides));
  const planned = await planRun(loaded, signal);
  const estimate = await estimateRun(planned.tasks, folder, loaded.config, false);
  if (estimate.seen === 0) {
    throw new UserError(
      `--from-run ${run.name}: it has fewer than ${FEWEST_SEEN} tasks of ${estimate.unknown.join(', ')} that have ended and were not answered by the cache; try some first: coa-distill run ${quoteShellWord(configFile)} --limit 20 --name try`,
    );
  }
  console.log(json ? JSON.stringify(estimate) : estimateLines(estimate, run.name, 'tasks').join('\n'));
}
