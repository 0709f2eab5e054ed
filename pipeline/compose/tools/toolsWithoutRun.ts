import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../base/systemClock.ts';
import { noAnswerCache, uncountedCalls } from '../../../calls/sessionCalls.ts';
import type { Tool } from '../../../contract/tool.ts';
import type { ToolModels } from '../../../contract/toolModels.ts';
import type { ToolModelsConfig } from '../../../schemas/config/resolved/toolModels.ts';
import { LazySandbox } from '../lazySandbox.ts';
import { createModelOpener } from '../openModels.ts';
import type { Resources } from '../resources.ts';
import { openSandbox } from './openSandbox.ts';
import { openToolModels } from './openToolModels.ts';
import { type OpenToolsOptions, openTools } from './openTools.ts';

/** Which tools are opened outside of any run, and with what. */
export interface ToolsWithoutRun {
  readonly config: ToolModelsConfig;
  /** Names of the tools to open. */
  readonly wanted: ReadonlySet<string>;
  readonly env: NodeJS.ProcessEnv;
}

/** How tools are opened for calls outside of any run: nothing is cached or counted, and no code runs. */
export function toolsWithoutRun({ config, wanted, env }: ToolsWithoutRun): OpenToolsOptions {
  return {
    config,
    wanted,
    cacheFolder: join(tmpdir(), 'coa-distill-cache'),
    env,
    clock: systemClock,
    sandbox: undefined,
    offline: false,
    models: toolModelsWithoutRun(config, env),
  };
}

/**
 * Opens tools as {@link toolsWithoutRun} says, with a sandbox for code.
 *
 * @param log told what the user should know, one line at a time
 */
export function openToolsWithoutRun(
  tools: ToolsWithoutRun,
  log: (line: string) => void,
  resources: Resources,
): Promise<ReadonlyMap<string, Tool>> {
  const { code } = tools.config.tools;
  const sandbox = code && new LazySandbox(() => openSandbox(code, resources, log));
  return openTools({ ...toolsWithoutRun(tools), sandbox }, resources);
}

/**
 * The models of tools that are called outside of any run: behind their limits, but neither cached nor counted.
 *
 * @param drain - Aborted when no new call may begin; never where absent
 */
export function toolModelsWithoutRun(
  config: ToolModelsConfig,
  env: NodeJS.ProcessEnv,
  drain: AbortSignal = new AbortController().signal,
): ToolModels {
  const calls = uncountedCalls(drain);
  const [clock, offline] = [systemClock, false];
  const open = createModelOpener({ clock, cache: noAnswerCache, offline, calls });
  return openToolModels({ config, env, clock, offline, calls, open });
}
