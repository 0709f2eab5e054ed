import { resolve } from 'node:path';
import { Resources } from '../base/resources.ts';
import { UserError } from '../base/userError.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { tasksOfConfig } from '../pipeline/stages/openTaskStages.ts';
import type { Task } from '../schemas/task.ts';
import { answerKeyScript } from '../teachers/scripted/answerKeyScript.ts';
import type { ScriptSource } from '../teachers/scripted/createChatHandler.ts';
import { loadScript } from '../teachers/scripted/loadScript.ts';
import { parseFaults } from '../teachers/scripted/parseFaults.ts';
import { startScriptedServer } from '../teachers/scripted/startScriptedServer.ts';
import { stopOnSignals, untilStopped } from './stopOnSignals.ts';

interface ServeOptions {
  readonly script?: string;
  readonly answerKey?: string;
  readonly port: number;
  readonly latencyMs: number;
  readonly faults?: string;
  readonly requestLog?: string;
}

/** Serves a scripted teacher until a signal comes. Returns the exit code. */
export async function serveTeacher(options: ServeOptions): Promise<number> {
  await using resources = new Resources();
  const server = resources.keep(
    await startScriptedServer({
      ...(await scriptOf(options)),
      port: options.port,
      latencyMs: options.latencyMs,
      ...(options.faults !== undefined && { faults: parseFaults(options.faults) }),
      ...(options.requestLog !== undefined && { requestLog: resolve(options.requestLog) }),
    }),
  );
  using stop = stopOnSignals();
  console.log(`serving ${server.baseUrl} (Ctrl-C ends it)`);
  return await untilStopped(stop.signal);
}

/** What is played, and the seed of each task's first rollout. */
async function scriptOf({
  script,
  answerKey,
}: ServeOptions): Promise<{ readonly script: ScriptSource; readonly firstSeed?: number }> {
  if ((script === undefined) === (answerKey === undefined))
    throw new UserError('serve teacher: expected exactly one of --script FILE and --answer-key CONFIG');
  if (script !== undefined) return { script: await loadScript(resolve(script)) };
  const loaded = await loadConfig(answerKey!);
  const { planted, sampling } = loaded.config.teacher;
  // All tasks at once: an answer key plays test data.
  const tasks: Task[] = [];
  for await (const task of tasksOfConfig(loaded)) tasks.push(task);
  return { script: answerKeyScript(tasks, planted, loaded.config.seed), firstSeed: sampling.seed ?? 0 };
}
