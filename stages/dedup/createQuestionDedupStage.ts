import {
  type CorpusOutcome,
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type Identified,
  type StageContext,
} from '../../contract/stage.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { QuestionIndex } from './questionIndex.ts';

/** A record with a question for a profile's agents, such as a task. */
type AskingRecord = Identified & Pick<Task, 'profile' | 'question' | 'answers'>;

/**
 * Drops tasks whose question equals an earlier one of the same profile, so that the order of task files sets the
 * preference. `keep` keeps all.
 * @param spillFolder - Folder of the temporary file that holds the questions.
 */
export function createQuestionDedupStage(mode: FiltersConfig['duplicate_questions'], spillFolder?: string) {
  return {
    name: 'dedup',
    version: 3,
    input: taskSchema,
    output: taskSchema,
    run<T extends AskingRecord>(
      tasks: AsyncIterable<T>,
      { signal }: StageContext,
    ): AsyncIterable<CorpusOutcome<T>> {
      return mode === 'keep' ? decideEach(tasks, emitRecord) : dropSame(tasks, spillFolder, signal);
    },
  } satisfies CorpusStage<Task, Task>;
}

async function* dropSame<T extends AskingRecord>(
  tasks: AsyncIterable<T>,
  spillFolder: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<CorpusOutcome<T>> {
  const index = new QuestionIndex(spillFolder);
  const ids: string[] = [];
  try {
    yield* decideEach(tasks, (task) => {
      signal.throwIfAborted();
      const asked = { question: task.question, group: task.profile, answers: task.answers };
      const { number, isNew } = index.findOrAdd(asked);
      if (!isNew) return dropRecord('duplicate_question', { first_task: ids[number]! });
      ids.push(task.id);
      return emitRecord(task);
    });
  } finally {
    index.close();
  }
}
