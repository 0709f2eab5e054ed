import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { onDisk } from '../../base/files/diskError.ts';
import type { Resources } from '../../base/resources.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import type { PlantedRecord } from '../../schemas/teacherScript.ts';
import { teacherTable } from '../../teachers/teacherTable.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { openTestStore } from '../run/openTestStore.ts';
import { plantedPath } from '../run/stageFiles.ts';
import { stageRecords } from '../run/stageInputs.ts';

/**
 * Starts the embedded teacher's server for a run: real HTTP on the loopback, so that everything around it is what an
 * endpoint of one's own would get.
 *
 * @returns its base URL
 */
export async function startEmbeddedTeacher(
  { config, profiles }: Pick<LoadedConfig, 'config' | 'profiles'>,
  runFolder: string,
  resources: Resources,
): Promise<string> {
  const { teacher, seed } = config;
  const { startScriptedServer } = await import('../../teachers/scripted/startScriptedServer.ts');
  const tasks = await readTasks(runFolder);
  const script = await teacherTable[teacher.backend].script!.open({ teacher, tasks, seed });
  const planted = plantedPath(runFolder);
  await onDisk(planted, () => mkdir(dirname(planted), { recursive: true }));
  await replaceFile(planted, plantedLines(tasks, script.planted()));
  const requestLog = join(dirname(planted), 'requests.jsonl');
  const server = await startScriptedServer({
    script,
    requestLog,
    tags: profiles.tags,
    firstSeed: teacher.sampling.seed ?? 0,
  });
  resources.keep({ close: () => onDisk(requestLog, () => server.close()) });
  return server.baseUrl;
}

/** Every task of the run, duplicates included. Held in memory: embedded teachers play test data. */
async function readTasks(runFolder: string): Promise<Task[]> {
  const tasks: Task[] = [];
  const store = openTestStore(runFolder, { writes: false });
  for await (const { record } of stageRecords(runFolder, 'tasks', taskSchema)) {
    const { tests } = record;
    tasks.push(tests?.kind === 'stored' ? { ...record, tests: await store.get(tests) } : record);
  }
  return tasks;
}

/** What was planted in the tasks of this run: a script may hold solutions to others too. */
function plantedLines(tasks: readonly Task[], planted: Iterable<PlantedRecord>): string {
  const keyOf = ({ profile, question }: { profile: string; question: string }) => `${profile}\n${question}`;
  const asked = new Set(tasks.map(keyOf));
  return [...planted]
    .filter((record) => asked.has(keyOf(record)))
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}
