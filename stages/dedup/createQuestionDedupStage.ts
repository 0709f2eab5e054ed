import {
  type CorpusOutcome,
  type CorpusStage,
  decideEach,
  dropRecord,
  emitRecord,
  type Identified,
  type StageContext,
} from '../../contract/stage.ts';
import type { QuestionDedupConfig } from '../../schemas/config/dedup.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import { questionKey } from '../../schemas/questionKey.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';
import { comparedQuestion } from './askedQuestion.ts';
import { createSemanticDedupStage, type SemanticSettings } from './createSemanticDedupStage.ts';
import { dropDuplicates } from './dropDuplicates.ts';
import type { IndexedRecord } from './index/duplicateIndex.ts';

interface NearQuestions {
  readonly config: QuestionDedupConfig;
  /** Where what memory has no room for goes. */
  readonly spillFolder: string;
}

/** A record that asks something of a profile's agents, a task for instance. */
type AskingRecord = Identified & Pick<Task, 'profile' | 'question' | 'answers'>;

/**
 * Drops tasks that ask what another task of the same profile asks. Of equal questions the first in input order stays,
 * so that the order of the task files says which source is preferred, and which questions stay does not depend on it;
 * it holds one hash and one id a question, never the questions. With `near`, those that ask nearly the same are dropped
 * too, and the task whose id stands first stays, whatever the order. `keep` lets all through.
 */
export function createQuestionDedupStage(mode: FiltersConfig['duplicate_questions'], near?: NearQuestions) {
  return {
    name: 'dedup',
    version: 2,
    input: taskSchema,
    output: taskSchema,
    run<T extends AskingRecord>(
      tasks: AsyncIterable<T>,
      { signal }: StageContext,
    ): AsyncIterable<CorpusOutcome<T>> {
      if (mode === 'keep') return decideEach(tasks, emitRecord);
      return near ? dropNear(tasks, near, signal) : dropEqual(tasks);
    },
  } satisfies CorpusStage<Task, Task>;
}

function dropEqual<T extends AskingRecord>(tasks: AsyncIterable<T>) {
  const firstOfKey = new Map<string, string>();
  return decideEach(tasks, (task) => {
    const key = compact(questionKey(task.profile, task.question));
    const first_task = firstOfKey.get(key);
    if (first_task !== undefined) return dropRecord('duplicate_question', { first_task });
    firstOfKey.set(key, task.id);
    return emitRecord(task);
  });
}

function dropNear<T extends AskingRecord>(
  tasks: AsyncIterable<T>,
  { config, spillFolder }: NearQuestions,
  signal: AbortSignal,
) {
  const { shingle, min_jaccard: threshold, same_numbers: sameNumbers } = config;
  const keys: string[] = [];
  return dropDuplicates(
    tasks,
    {
      index: { shingle, threshold, spillFolder },
      describe(task) {
        keys.push(compact(questionKey(task.profile, task.question)));
        return describeQuestion(task, sameNumbers);
      },
      drop({ place, keptPlace }, evidence) {
        const isEqual = keys[place] === keys[keptPlace];
        return dropRecord(isEqual ? 'duplicate_question' : 'near_duplicate_question', evidence);
      },
    },
    signal,
  );
}

/**
 * What of a task is compared.
 *
 * @param sameNumbers - Another number makes another question.
 */
function describeQuestion(
  { id, profile, question, answers }: AskingRecord,
  sameNumbers: boolean,
): IndexedRecord {
  return { id, ...comparedQuestion({ question, answers, sameNumbers }, { profile }) };
}

/** 128 bits of a hash as a string of 16 bytes: a million of them take 50 MB less than in hexadecimal. */
function compact(sha256: string): string {
  return Buffer.from(sha256.slice(0, 32), 'hex').toString('latin1');
}

/**
 * Drops tasks that ask the same as another of their profile in other words.
 *
 * @param sameNumbers - Only questions with the same numbers are compared with each other.
 */
export function createSemanticQuestionStage(
  settings: SemanticSettings,
  sameNumbers: boolean,
): CorpusStage<Task, Task> {
  return createSemanticDedupStage<Task>({
    name: 'dedup',
    input: taskSchema,
    output: taskSchema,
    settings,
    reason: 'near_duplicate_question',
    describe: (task) => describeQuestion(task, sameNumbers),
  });
}
