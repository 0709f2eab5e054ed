import { once } from 'node:events';
import { extname, resolve } from 'node:path';
import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import type { SourceStage } from '../contract/stage.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { builtinRegistry } from '../schemas/coa/profileRegistry.ts';
import { taskPresetSchema, taskSourceConfigSchema } from '../schemas/config/tasks.ts';
import { plantedRatesSchema } from '../schemas/config/teacher.ts';
import type { Task } from '../schemas/task.ts';
import { createTaskSource } from '../stages/tasks/createTaskSource.ts';
import { answerKeyScript } from '../teachers/scripted/answerKeyScript.ts';
import type { ScriptSource } from '../teachers/scripted/createChatHandler.ts';
import { loadScript } from '../teachers/scripted/loadScript.ts';
import { parseFaults } from '../teachers/scripted/parseFaults.ts';
import { startScriptedServer } from '../teachers/scripted/startScriptedServer.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface ServeOptions {
  readonly script?: string;
  readonly answerKey?: string;
  readonly profile?: string;
  readonly preset?: string;
  readonly port: number;
  readonly latencyMs: number;
  readonly faults?: string;
  readonly requestLog?: string;
}

/** Serves a scripted teacher until a signal comes. Returns the exit code. */
export async function serveTeacher(options: ServeOptions): Promise<number> {
  const server = await startScriptedServer({
    ...(await scriptOf(options)),
    port: options.port,
    latencyMs: options.latencyMs,
    ...(options.faults !== undefined && { faults: parseFaults(options.faults) }),
    ...(options.requestLog !== undefined && { requestLog: resolve(options.requestLog) }),
  });
  const stop = stopOnSignals();
  try {
    console.log(`serving ${server.baseUrl} (Ctrl-C ends it)`);
    if (!stop.signal.aborted) await once(stop.signal, 'abort');
    return stop.signal.reason.exitCode;
  } finally {
    stop.release();
    await server.close();
  }
}

async function scriptOf({ script, answerKey, profile, preset }: ServeOptions): Promise<PlayedScript> {
  if ((script === undefined) === (answerKey === undefined)) {
    throw new UserError('serve teacher: expected exactly one of --script FILE and --answer-key FILE');
  }
  if (script !== undefined) return { script: await loadScript(resolve(script)) };
  const file = answerKey!;
  if (/^\.ya?ml$/.test(extname(file))) return answerKeyOfConfig(file);
  const tasks = await tasksOf(taskFileSource(file, profile, preset));
  return { script: answerKeyScript(tasks, plantedRatesSchema.parse({}), 0) };
}

/** What is played, and the seed of each task's first rollout. */
interface PlayedScript {
  readonly script: ScriptSource;
  readonly firstSeed?: number;
}

async function answerKeyOfConfig(file: string): Promise<PlayedScript> {
  const { config, profiles } = await loadConfig(file);
  const { planted, sampling } = config.teacher;
  const source = createTaskSource({
    sources: config.tasks.sources.map((task) => ({ ...task, path: task.file })),
    onBadTask: config.tasks.on_bad_task,
    profiles,
  });
  const script = answerKeyScript(await tasksOf(source), planted, config.seed);
  return { script, firstSeed: sampling.seed ?? 0 };
}

function taskFileSource(file: string, profile: string | undefined, preset = 'generic'): SourceStage<Task> {
  if (!builtinRegistry.profileOf(profile ?? ''))
    throw new UserError(
      `--profile: expected the agent profile of ${file}, got "${profile ?? ''}"; ${suggestion(profile ?? '', builtinRegistry.names)}`,
    );
  const presets = taskPresetSchema.options;
  const known = presets.find((name) => name === preset);
  if (!known) throw new UserError(`--preset: unknown layout "${preset}"; ${suggestion(preset, presets)}`);
  const source = taskSourceConfigSchema.parse({ file, profile, preset: known });
  return createTaskSource({
    sources: [{ ...source, path: resolve(file) }],
    onBadTask: 'fail',
    profiles: builtinRegistry,
  });
}

/** All tasks at once: an answer key plays test data. */
async function tasksOf(source: SourceStage<Task>): Promise<Task[]> {
  const tasks: Task[] = [];
  for await (const { outcome } of source.run({ signal: new AbortController().signal })) {
    if (outcome.kind === 'emit') tasks.push(...outcome.records);
  }
  return tasks;
}
