import type { ConfigOverrides } from '../config/loadConfig.ts';
import { UserError } from '../contract/errors.ts';
import type { RunCommandOptions } from './commands/run.ts';

const runName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const plainWord = /^[\w@%+=:,./-]+$/;

/** What the options of `run` say otherwise than the configuration file. */
export function overridesOf(options: RunCommandOptions): ConfigOverrides {
  const { tasks, onBadTask, baseUrl, model, limit } = options;
  if (model === '') throw new UserError('--model: expected the name of a model, got ""');
  return {
    ...(tasks !== undefined && { tasksFile: tasks }),
    ...(onBadTask !== undefined && { onBadTask }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(model !== undefined && { model }),
    ...(limit !== undefined && { limit }),
  };
}

/** A run's name; throws `UserError` when it would be no plain folder name. */
export function checkedRunName(name: string): string {
  if (runName.test(name)) return name;
  throw new UserError(
    `--name: expected letters, digits, dots, dashes and underscores, at most 100, the first a letter or digit, got "${name}"`,
  );
}

/** The command that goes on with a run, as it can be pasted into a shell. */
export function resumeCommand(configFile: string, options: RunCommandOptions): string {
  const { name, tasks, limit, onBadTask, until, baseUrl, model } = options;
  const flags: [flag: string, value: string | number | undefined][] = [
    ['--name', name],
    ['--tasks', tasks],
    ['--limit', limit],
    ['--on-bad-task', onBadTask],
    ['--until', until],
    ['--base-url', baseUrl],
    ['--model', model],
  ];
  const given = flags.flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, shellQuoted(String(value))],
  );
  return ['coa-distill run', shellQuoted(configFile), ...given].join(' ');
}

function shellQuoted(word: string): string {
  return plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
