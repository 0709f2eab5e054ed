import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import type { Task } from '../../schemas/task.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import { answerKeyScript } from '../../teachers/scripted/answerKeyScript.ts';
import { createChatHandler } from '../../teachers/scripted/createChatHandler.ts';
import { noFaults } from '../../teachers/scripted/parseFaults.ts';

/** Answers requests as the answer-key teacher of a configuration does, for its tasks or those of another file. */
export async function answerKeyOf(configFile: string, tasksFile?: string) {
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
  return createChatHandler(answerKeyScript(tasks, config.teacher.planted, config.seed), noFaults);
}
