import path from 'node:path';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { builtinRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Task } from '../../schemas/task.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import type { TaskSourceOptions } from '../../stages/tasks/openTaskSources.ts';

/** A task file and what is special about it. */
export type SourceOptions = Partial<TaskSourceOptions['sources'][number]> & { readonly path: string };

/** Everything that a task source over these files yields. */
export async function readTasks(
  sources: readonly SourceOptions[],
  options: Partial<Pick<TaskSourceOptions, 'onBadTask' | 'limit' | 'testStore' | 'minTests'>> = {},
): Promise<CorpusOutcome<Task>[]> {
  const source = createTaskSource({
    sources: sources.map((given) => ({
      file: path.basename(given.path),
      profile: 'mhqa',
      preset: 'generic',
      columns: {},
      ...given,
    })),
    onBadTask: 'fail',
    profiles: builtinRegistry,
    ...options,
  });
  const outcomes: CorpusOutcome<Task>[] = [];
  for await (const outcome of source.run({ signal: new AbortController().signal })) outcomes.push(outcome);
  return outcomes;
}

/** The tasks among them. */
export function emittedTasks(outcomes: readonly CorpusOutcome<Task>[]): Task[] {
  return outcomes.flatMap(({ outcome }) => (outcome.kind === 'emit' ? outcome.records : []));
}
