import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Task } from '../../../schemas/task.ts';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import { answerKeyScript } from '../../support/answerKey/answerKeyScript.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { sampleTasks } from './project.ts';

/** A teacher of river tasks over HTTP, as slow as it must be to be met in the middle; closed with the test. */
export async function startSampleTeacher(latencyMs: number, rows = sampleTasks) {
  const tasks = rows.map(({ id, question, answer }): Task => {
    const source = { file: 'tasks.jsonl', row: 1 };
    return { id, question, answers: [answer], domain: 'qa', profile: 'mhqa', source };
  });
  const requestLog = join(temporaryFolder(), 'requests.jsonl');
  const script = answerKeyScript(tasks, {}, 7);
  const server = await startScriptedServer({ script, latencyMs, requestLog });
  onTestFinished(() => server.close());
  /** How often a role, or any, was asked. */
  const asked = (role = '') =>
    readFileSync(requestLog, 'utf8')
      .split('\n')
      .filter((line) => line.includes('chat/completions') && line.includes(role)).length;
  return { baseUrl: server.baseUrl, asked };
}
