import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LoadedConfig, loadConfig } from '../../../pipeline/config/loadConfig.ts';
import { tasksOfConfig } from '../../../pipeline/stages/openTaskStages.ts';
import type { Task } from '../../../schemas/task.ts';
import { createChatHandler } from '../../../teachers/scripted/createChatHandler.ts';
import { noFaults } from '../../../teachers/scripted/parseFaults.ts';
import { answerKeyEntry, answerKeyScript } from './answerKeyScript.ts';
import type { PlantedRates } from './plantedFlaws.ts';

export interface AnswerKeyOptions {
  readonly planted?: PlantedRates;
  /** Replaces the configuration's task file. */
  readonly tasksFile?: string;
  /** Maximum steps of a conversation: its first ones, and the answer. */
  readonly steps?: number | undefined;
}

/** Answers requests with the known answers of a configuration's tasks. */
export async function answerKeyOf(configFile: string, options: AnswerKeyOptions = {}) {
  const { tasksFile, planted = {}, steps: most } = options;
  const loaded = await loadConfig(configFile, { ...(tasksFile && { tasksFile }) });
  const { seed, teacher } = loaded.config;
  const script = answerKeyScript(await allTasks(loaded), planted, seed);
  const find: typeof script.find = (question, rollout) => {
    const entry = script.find(question, rollout);
    if (!entry || most === undefined || entry.steps.length <= most) return entry;
    return { ...entry, steps: [...entry.steps.slice(0, most - 1), entry.steps.at(-1)!] };
  };
  return createChatHandler({ find }, noFaults, loaded.profiles.tags, teacher.model.sampling.seed ?? 0);
}

async function allTasks(loaded: LoadedConfig): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const task of tasksOfConfig(loaded)) tasks.push(task);
  return tasks;
}

export interface ScriptFileOptions {
  readonly planted?: PlantedRates;
  /** Of each task; each has flaws of its own. */
  readonly rollouts?: number;
  readonly seed?: number;
}

interface WrittenOptions extends ScriptFileOptions {
  /** Replaces the configuration's task file. */
  readonly tasksFile?: string;
  /** Maximum tasks. */
  readonly limit?: number;
  /** The script's file; `script.jsonl` beside the configuration by default. */
  readonly file?: string;
}

/** Lines of a script for the scripted teacher that plays the known answers of tasks. */
export function answerKeyLines(
  tasks: readonly Task[],
  { planted = {}, rollouts = 1, seed = 7 }: ScriptFileOptions = {},
): string {
  const flaws = answerKeyScript(tasks, planted, seed).planted();
  const entries = tasks.flatMap((task, at) => {
    // A duplicate is answered as its twin is: its line only says that it is one.
    if (flaws[at]!.flaw === 'duplicate_question')
      return rollouts > 1 ? [] : { ...answerKeyEntry(task, planted, seed), flaw: 'duplicate_question' };
    return Array.from({ length: rollouts }, (_, rollout) => answerKeyEntry(task, planted, seed, rollout));
  });
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** Writes the known answers of a configuration's tasks as a script. */
export async function writeAnswerKey(configFile: string, options: WrittenOptions = {}): Promise<void> {
  const { tasksFile, limit, file = join(dirname(configFile), 'script.jsonl'), ...script } = options;
  // A configuration is refused without its script.
  writeFileSync(file, '', { flag: 'a' });
  const loaded = await loadConfig(configFile, { ...(tasksFile && { tasksFile }), ...(limit && { limit }) });
  const lines = answerKeyLines(await allTasks(loaded), { seed: loaded.config.seed, ...script });
  writeFileSync(file, lines);
}
