import type { CorpusStage, SourceStage } from '../../contract/stage.ts';
import type { TestStore } from '../../contract/testStore.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { Task } from '../../schemas/task.ts';
import { createDecontaminateStage } from '../../stages/decontaminate/createDecontaminateStage.ts';
import { createQuestionDedupStage } from '../../stages/dedup/createQuestionDedupStage.ts';
import { createSemanticQuestionStage } from '../../stages/dedup/semantic/createSemanticQuestionStage.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { chainStages } from './chainStages.ts';
import type { OpenEmbeddings } from './openEmbeddings.ts';

/** The stages before a model is asked: which questions there are, and which of them are worked on. */
export interface TaskStages {
  readonly source: SourceStage<Task>;
  /** In order; each takes what the one before let through. */
  readonly choosing: readonly CorpusStage<Task, Task>[];
}

/** Where the stages of tasks put what memory and records have no room for. */
export interface TaskFolders {
  /** While they work. */
  readonly spillFolder: string;
  /** For as long as the run is there. */
  readonly testStore: TestStore;
}

/**
 * The stages that tasks pass before a model is asked.
 *
 * @param openEmbeddings opens the model of `dedup.questions.semantic`; without it nothing is compared by meaning
 */
export function composeTaskStages(
  { config, limit, profiles }: LoadedConfig,
  { spillFolder, testStore }: TaskFolders,
  openEmbeddings?: OpenEmbeddings,
): TaskStages {
  const { tasks, decontaminate, filters } = config;
  const source = createTaskSource({
    sources: tasks.sources.map((task) => ({ ...task, path: task.file })),
    onBadTask: tasks.on_bad_task,
    profileOf: profiles.profileOf,
    testStore,
    ...(filters.min_tests !== undefined && { minTests: filters.min_tests }),
    ...(limit !== undefined && { limit }),
  });
  const hasBenchmarks = decontaminate !== undefined && decontaminate.benchmarks.length > 0;
  return {
    source,
    choosing: [
      composeDedup(config, spillFolder, openEmbeddings),
      ...(hasBenchmarks ? [createDecontaminateStage(decontaminate)] : []),
    ],
  };
}

/** The stage `dedup`: by words first, then by meaning what that let through, where it is asked for. */
function composeDedup(
  { dedup, filters: { duplicate_questions: mode } }: Config,
  spillFolder: string,
  openEmbeddings: OpenEmbeddings | undefined,
): CorpusStage<Task, Task> {
  const near = dedup?.questions;
  const lexical = createQuestionDedupStage(mode, near && { config: near, spillFolder });
  if (!near?.semantic || !openEmbeddings || mode !== 'drop') return lexical;
  const openModel = () => openEmbeddings('questions');
  const settings = { config: near.semantic, openModel, spillFolder };
  return chainStages(lexical, createSemanticQuestionStage(settings, near.same_numbers));
}
