import { InvalidArgumentError } from 'commander';
import { suggestion } from '../base/nearestName.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { UserError } from '../base/userError.ts';
import { withoutPassword } from '../calls/shared/databaseAddress.ts';
import type { StageName } from '../contract/stageTable.ts';
import type { ConfigOverrides } from '../pipeline/config/loadConfig.ts';
import type { RetryWish } from '../pipeline/run/retryFailed.ts';
import { failureCauseSchema } from '../schemas/failureCauses.ts';

export interface RunCommandOptions {
  /** `key=value` each. */
  readonly set?: readonly string[];
  readonly name?: string;
  readonly tasks?: string;
  readonly limit?: number;
  readonly onBadTask?: 'fail' | 'skip';
  readonly from?: StageName;
  readonly until?: StageName;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly offline?: true;
  readonly retry?: string;
  readonly yes?: true;
  readonly maxCost?: number;
  readonly maxTokens?: number;
  readonly maxHours?: number;
  /** Processes on this machine, or the address of the database that workers share. */
  readonly workers?: number | string;
  readonly workersLease?: number;
  readonly dryRun?: true;
  readonly json?: true;
}

const runName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Options by which a command line overrides its configuration. */
export type OverridingOptions = Pick<
  RunCommandOptions,
  'set' | 'tasks' | 'onBadTask' | 'baseUrl' | 'model' | 'limit' | 'maxCost' | 'maxTokens' | 'maxHours'
>;

/** What the options of `run` say otherwise than the configuration file. */
export function overridesOf(options: OverridingOptions): ConfigOverrides {
  const { set, tasks, onBadTask, baseUrl, model, limit, maxCost, maxTokens, maxHours } = options;
  if (model === '') throw new UserError('--model: expected the name of a model, got ""');
  return {
    ...(set !== undefined && { set }),
    ...(tasks !== undefined && { tasksFile: tasks }),
    ...(onBadTask !== undefined && { onBadTask }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model !== undefined && { model }),
    ...(limit !== undefined && { limit }),
    budget: {
      ...(maxCost !== undefined && { max_cost_usd: maxCost }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      ...(maxHours !== undefined && { max_hours: maxHours }),
    },
  };
}

/** A run's name; throws `UserError` when it would be no plain folder name. */
export function checkedRunName(name: string): string {
  if (runName.test(name)) return name;
  throw new UserError(
    `--name: expected letters, digits, dots, dashes and underscores, at most 100, the first a letter or digit, got "${name}"`,
  );
}

/** The command that resumes a run, as it can be pasted into a shell. */
export function resumeCommand(
  configFile: string,
  options: RunCommandOptions & { readonly serve?: string },
  command: 'run' | 'evaluate' = 'run',
): string {
  const { name, set = [], tasks, limit, onBadTask, until, baseUrl, model, serve, offline } = options;
  const { maxCost, maxTokens, maxHours, yes, workers } = options;
  const flags: [flag: string, value: string | number | undefined][] = [
    ['--name', name],
    ...set.map((setting): [string, string] => ['--set', setting]),
    ['--tasks', tasks],
    ['--limit', limit],
    ['--on-bad-task', onBadTask],
    ['--until', until],
    ['--base-url', baseUrl],
    ['--model', model],
    ['--serve', serve],
    ['--max-cost', maxCost],
    ['--max-tokens', maxTokens],
    ['--max-hours', maxHours],
    ['--workers', typeof workers === 'string' ? withoutPassword(workers) : workers],
  ];
  const given = flags.flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, quoteShellWord(String(value))],
  );
  if (yes) given.push('--yes');
  if (offline) given.push('--offline');
  return [`coa-distill ${command}`, quoteShellWord(configFile), ...given].join(' ');
}

/** Parses `--workers`. */
export function workersOption(text: string): number | string {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  if (/^postgres(?:ql)?:\/\//.test(text)) return text;
  throw new InvalidArgumentError(
    'expected a number of processes on this machine, from 1 to 999, or postgres://USER@HOST/DB',
  );
}

/** Which failures `--retry` means. Throws `UserError` for a cause that there is not. */
export function retryWish(which: string): RetryWish {
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
