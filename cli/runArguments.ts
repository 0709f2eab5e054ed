import { InvalidArgumentError } from 'commander';
import { suggestion } from '../base/nearestName.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { UserError } from '../base/userError.ts';
import type { BudgetSpent, SpentCap } from '../contract/errors.ts';
import type { StageName } from '../contract/stageTable.ts';
import type { ConfigOverrides } from '../pipeline/config/loadConfig.ts';
import type { RetryOptions } from '../pipeline/run/retryFailed.ts';
import { withoutPassword } from '../pipeline/workers/database/databaseAddress.ts';
import { failureCauseSchema } from '../schemas/failureCauses.ts';

export interface RunCommandOptions {
  readonly set?: readonly string[];
  readonly name?: string;
  readonly tasks?: string;
  readonly limit?: number;
  /** Tasks solved and printed before the rest. */
  readonly preview?: number;
  readonly from?: StageName;
  readonly until?: StageName;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly offline?: true;
  readonly retry?: string;
  readonly yes?: true;
  readonly maxCost?: number;
  /** Local processes, or address of a database shared by workers. */
  readonly workers?: number | string;
  readonly dryRun?: true;
  readonly json?: true;
}

const runName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export type OverridingOptions = Pick<
  RunCommandOptions,
  'set' | 'tasks' | 'baseUrl' | 'model' | 'limit' | 'maxCost'
>;

export function overridesOf(options: OverridingOptions): ConfigOverrides {
  const { set, tasks, baseUrl, model, limit, maxCost } = options;
  if (model === '') throw new UserError('--model: expected the name of a model, got ""');
  return {
    set,
    tasksFile: tasks,
    baseUrl,
    model,
    limit,
    budget: maxCost === undefined ? undefined : { max_cost_usd: maxCost },
  };
}

/** Validates a run's name; throws `UserError` unless it is a plain folder name. */
export function checkedRunName(name: string): string {
  if (runName.test(name)) return name;
  throw new UserError(
    `--name: expected letters, digits, dots, dashes and underscores, at most 100, the first a letter or digit, got "${name}"`,
  );
}

type GivenOptions = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Formats a command of this program for pasting into a shell. */
export function commandLine(words: readonly string[], options: GivenOptions): string {
  const flags = Object.entries(options).flatMap(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (typeof value === 'boolean' || value === undefined) return value && name !== 'color' ? [flag] : [];
    return [value].flat().flatMap((one) => [flag, String(one)]);
  });
  return ['coa-distill', ...words, ...flags].map(quoteShellWord).join(' ');
}

type ResumedCommand = [
  configFile: string,
  options: RunCommandOptions & { readonly serve?: string },
  command?: 'run' | 'evaluate' | 'synthesize',
];

export function resumeCommand(...[configFile, options, command = 'run']: ResumedCommand): string {
  const { from: _from, retry: _retry, json: _json, workers, ...others } = options;
  const shared = typeof workers === 'string' ? withoutPassword(workers) : workers;
  return commandLine([command, configFile], { ...others, workers: shared });
}

/** Command after a budget was reached, with twice the cap if it is the run's. */
export function afterBudget({ isOfRun, cap }: BudgetSpent, ...command: ResumedCommand): string {
  if (!isOfRun) return `what is done is kept. Resume with: ${resumeCommand(...command)}`;
  const [configFile, options, name] = command;
  const raised = cap ? withCap(options, { ...cap, value: 2 * cap.value }) : options;
  return `what is done is kept. Resume, with a higher cap, with: ${resumeCommand(configFile, raised, name)}`;
}

function withCap(options: RunCommandOptions, { key, value }: SpentCap): RunCommandOptions {
  if (key === 'max_cost_usd') return { ...options, maxCost: value };
  const others = (options.set ?? []).filter((one) => !one.startsWith(`budget.${key}=`));
  return { ...options, set: [...others, `budget.${key}=${value}`] };
}

/** Parses `--workers`. */
export function workersOption(text: string): number | string {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  if (/^postgres(?:ql)?:\/\//.test(text)) return text;
  throw new InvalidArgumentError(
    'expected a number of processes on this machine, from 1 to 999, or postgres://USER@HOST/DB',
  );
}

/** Parses `--retry`. Throws `UserError` for an unknown cause. */
export function retryOptions(which: string): RetryOptions {
  const [word, cause] = which.split(/:(.*)/s);
  const [, ofTask, rollout] = /^(.+)#(\d+)$/.exec(which) ?? [];
  if (word !== 'failed' && ofTask !== undefined)
    return { kind: 'task', taskId: ofTask, rollout: Number(rollout) };
  if (word !== 'failed') return { kind: 'task', taskId: which };
  if (cause === undefined) return { kind: 'failed' };
  const parsed = failureCauseSchema.safeParse(cause);
  if (parsed.success) return { kind: 'failed', cause: parsed.data };
  throw new UserError(`--retry: unknown cause "${cause}"; ${suggestion(cause, failureCauseSchema.options)}`);
}
