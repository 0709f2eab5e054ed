import { onTestFinished } from 'vitest';
import { plantedRatesSchema } from '../../../schemas/config/teacher.ts';
import type { Task } from '../../../schemas/task.ts';
import { answerKeyScript } from '../../../teachers/scripted/answerKeyScript.ts';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import { sampleTasks } from './project.ts';

/** A teacher of the sample tasks over HTTP, as slow as it must be to be met in the middle; closed with the test. */
export async function startSampleTeacher(latencyMs: number) {
  const tasks = sampleTasks.map(({ id, question, answer }): Task => {
    const source = { file: 'tasks.jsonl', row: 1 };
    return { id, question, answers: [answer], domain: 'qa', profile: 'mhqa', source };
  });
  const script = answerKeyScript(tasks, plantedRatesSchema.parse({}), 7);
  const server = await startScriptedServer({ script, latencyMs });
  onTestFinished(() => server.close());
  return server;
}
