import type { CorpusStage, SourceStage } from '../../contract/stage.ts';
import type { Task } from '../../schemas/task.ts';
import { createDecontaminateStage } from '../../stages/decontaminate/createDecontaminateStage.ts';
import {
  createQuestionDedupStage,
  createSemanticQuestionStage,
} from '../../stages/dedup/createQuestionDedupStage.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import { chainStages } from './chainStages.ts';
import type { StageParts } from './stageParts.ts';

/** The stage `tasks`: the rows of the configured files. */
export function openTasks({ loaded, testStore }: StageParts): SourceStage<Task> {
  const { config, limit, profiles } = loaded;
  const { sources, on_bad_task } = config.tasks;
  const { min_tests } = config.filters;
  return createTaskSource({
    sources: sources.map((task) => ({ ...task, path: task.file })),
    onBadTask: on_bad_task,
    profiles,
    testStore,
    ...(min_tests !== undefined && { minTests: min_tests }),
    ...(limit !== undefined && { limit }),
  });
}

/** The stage `dedup`: by words first, then by meaning what that let through, where it is asked for. */
export function openDedup({ loaded, services, spillFolder }: StageParts): CorpusStage<Task, Task> {
  const { dedup, filters } = loaded.config;
  const mode = filters.duplicate_questions;
  const near = dedup?.questions;
  const folder = spillFolder('dedup');
  const lexical = createQuestionDedupStage(mode, near && { config: near, spillFolder: folder });
  if (!near?.semantic || !services || mode !== 'drop') return lexical;
  const openModel = () => services.openEmbeddings('questions');
  const settings = { config: near.semantic, openModel, spillFolder: folder };
  return chainStages(lexical, createSemanticQuestionStage(settings, near.same_numbers));
}

/** The stage `decontaminate`: drops the questions of benchmarks. */
export function openDecontaminate({ loaded }: StageParts): CorpusStage<Task, Task> {
  return createDecontaminateStage(loaded.config.decontaminate!);
}
