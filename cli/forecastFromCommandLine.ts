import { dollars } from '../base/figures.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { UserError } from '../base/userError.ts';
import { FEWEST_SEEN, forecastRun, type RunForecast } from '../operations/forecast/forecastRun.ts';
import { forecastSynthesis, type SynthesisForecast } from '../operations/forecast/forecastSynthesis.ts';
import type { Interval } from '../operations/forecast/interval.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../pipeline/config/toolsConfig.ts';
import { planRun } from '../pipeline/planRun.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { isSynthesis } from '../pipeline/run/runFile.ts';
import { loadSynthesis } from '../pipeline/synthesis/loadSynthesis.ts';
import { spendingText } from '../schemas/run/spending.ts';
import { formatCount, formatDuration, formatInterval } from './format.ts';
import { runnable } from './programCommand.ts';
import { overridesOf } from './runArguments.ts';

export interface ForecastCommandOptions {
  readonly fromRun: string;
  readonly tasks?: string;
  readonly limit?: number;
  readonly set?: readonly string[];
  readonly json?: true;
}

/**
 * Prints what a run is expected to cost, take and keep.
 *
 * @throws UserError when the earlier run has too few tasks of every profile, or candidates
 */
export async function forecastFromCommandLine(
  configFile: string,
  options: ForecastCommandOptions,
): Promise<void> {
  loadDotEnv(configFile);
  const { fromRun, json, ...overrides } = options;
  const { folder, run } = await findRun(fromRun);
  if (isSynthesis(run)) {
    const loaded = await loadSynthesis(configFile, overridesOf(overrides));
    const forecast = await forecastSynthesis(loaded, folder);
    console.log(json ? JSON.stringify(forecast) : synthesisLines(forecast, configFile, run.name).join('\n'));
    return;
  }
  const loaded = await loadConfig(configFile, overridesOf(overrides));
  const planned = await planRun(loaded, new AbortController().signal);
  const forecast = await forecastRun(planned.tasks, folder, loaded.config);
  if (forecast.seen_tasks === 0) {
    throw new UserError(
      `--from-run ${run.name}: it has fewer than ${FEWEST_SEEN} finished tasks of ${forecast.unknown_profiles.join(', ')}; try some first: coa-distill run ${quoteShellWord(configFile)} --limit 20 --name try`,
    );
  }
  console.log(json ? JSON.stringify(forecast) : forecastLines(forecast, run.name).join('\n'));
}

function synthesisLines(forecast: SynthesisForecast, configFile: string, earlier: string): string[] {
  const { documents, candidates, seen_candidates, requests, tokens, cost_usd, passed } = forecast;
  const { candidates_for_20_percent: needed } = forecast;
  const count = (value: number) => formatCount(Math.round(value));
  return [
    `${formatCount(candidates)} candidates of ${formatCount(documents)} documents, forecast from ${formatCount(seen_candidates)} of ${earlier} (95% interval)`,
    `requests ${formatInterval(requests, count)}`,
    `tokens   ${formatInterval(tokens, count)}`,
    ...(cost_usd.expected > 0
      ? [`cost     ${formatInterval(cost_usd, dollars)}, at the prices of ${earlier}`]
      : []),
    `passed   ${formatInterval(passed, count)}`,
    ...(needed > seen_candidates
      ? [
          runnable(
            `tokens within 20% take about ${formatCount(needed)} candidates: coa-distill synthesize ${quoteShellWord(configFile)} --set synthesize.seeds.candidates=${needed} --until check --name ${quoteShellWord(earlier)}`,
          ),
        ]
      : []),
  ];
}

function forecastLines(forecast: RunForecast, earlier: string): string[] {
  const { cost_usd, tokens, seconds, rows, unknown_profiles } = forecast;
  const took = spendingText(forecast.seen_spent);
  const count = (value: number) => formatCount(Math.round(value));
  return [
    `${formatCount(forecast.tasks)} tasks, forecast from ${formatCount(forecast.seen_tasks)} tasks of ${earlier} (95% interval)`,
    ...(took === undefined ? [] : [`${earlier} took ${took}`]),
    ...(forecast.probe_keeps === undefined
      ? []
      : [`probe   lets ${Math.round(100 * forecast.probe_keeps)}% of the tasks through`]),
    `cost    ${cost_usd ? costText(cost_usd) : 'unknown: not every model has a known price; set the price of the others'}`,
    `tokens  ${formatInterval(tokens, count)}`,
    `time    ${seconds ? `${formatInterval(seconds, (value) => formatDuration(value * 1000))}, at the configured concurrency` : `unknown: the cache answered ${earlier}`}`,
    `rows    ${rows ? formatInterval(rows, count) : `unknown: ${earlier} has not come to its end`}`,
    ...(unknown_profiles.length > 0
      ? [`left out, for fewer than ${FEWEST_SEEN} of their tasks were seen: ${unknown_profiles.join(', ')}`]
      : []),
  ];
}

/** A scripted teacher costs nothing, and so does an endpoint whose price is set to 0. */
function costText(cost: Interval): string {
  return cost.high === 0 ? 'nothing' : formatInterval(cost, dollars);
}
