import { emittedTasks, readTasks } from './readTasks.ts';

/** Gold answers of a file of mathematics in AFM's layout, in its order. */
export async function mathGolds(path: string): Promise<string[]> {
  const outcomes = await readTasks([{ path, preset: 'afm_math', profile: 'math' }]);
  return emittedTasks(outcomes).flatMap((task) => task.answers);
}
