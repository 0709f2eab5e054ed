import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import type { Task } from '../../schemas/task.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import { answerKeyScript } from '../../teachers/scripted/answerKeyScript.ts';
import { createChatHandler } from '../../teachers/scripted/createChatHandler.ts';
import { noFaults } from '../../teachers/scripted/parseFaults.ts';

/** What is played otherwise than the configuration says. */
interface AnswerKeyOptions {
  readonly tasksFile?: string;
  /** Most steps of a conversation: its first ones, and the answer. */
  readonly steps?: number;
}

/** Answers requests as the answer-key teacher of a configuration does. */
export async function answerKeyOf(configFile: string, { tasksFile, steps: most }: AnswerKeyOptions = {}) {
  const { config, profiles } = await loadConfig(configFile, { ...(tasksFile && { tasksFile }) });
  const source = createTaskSource({
    sources: config.tasks.sources.map((task) => ({ ...task, path: task.file })),
    onBadTask: 'fail',
    profiles,
  });
  const tasks: Task[] = [];
  for await (const { outcome } of source.run({ signal: new AbortController().signal })) {
    if (outcome.kind === 'emit') tasks.push(...outcome.records);
  }
  const script = answerKeyScript(tasks, config.teacher.planted, config.seed);
  const find: typeof script.find = (question, rollout) => {
    const entry = script.find(question, rollout);
    if (!entry || most === undefined || entry.steps.length <= most) return entry;
    return { ...entry, steps: [...entry.steps.slice(0, most - 1), entry.steps.at(-1)!] };
  };
  return createChatHandler({ ...script, find }, noFaults);
}
