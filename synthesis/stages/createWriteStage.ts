import { type CorpusStage, emitRecord, namesOf } from '../../contract/stage.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { foldedText } from '../../schemas/normalForm.ts';
import { type Task, taskId, taskSchema } from '../../schemas/task.ts';
import { synthesisSchema } from '../../schemas/taskSynthesis.ts';
import type { TasksetWriter } from '../taskset/createTasksetWriter.ts';
import { type ChosenCandidate, chosenSchema } from './createChooseStage.ts';

interface WriteOptions {
  readonly seed: number;
  /** Share of the answers held out for measurements, each with all its tasks. */
  readonly heldOutShare: number;
  /** Called once, at the first record. */
  readonly openWriter: () => Promise<TasksetWriter>;
}

/** Creates the stage `write`: writes tasks in input order; tasks with the same answer go to the same file. */
export function createWriteStage({
  seed,
  heldOutShare,
  openWriter,
}: WriteOptions): CorpusStage<ChosenCandidate, Task> {
  return {
    name: 'write',
    version: 1,
    input: chosenSchema,
    output: taskSchema,
    async *run(candidates, { signal }) {
      const writer = await openWriter();
      let finished = false;
      try {
        let index = 0;
        for await (const candidate of candidates) {
          signal.throwIfAborted();
          const task = taskOf(candidate);
          const isHeldOut = hashedShare('held_out', seed, foldedText(task.answers[0]!)) < heldOutShare;
          const source = await writer.write(task, isHeldOut);
          yield { index: index++, ...namesOf(candidate), outcome: emitRecord({ ...task, source }) };
        }
        await writer.finish();
        finished = true;
      } finally {
        if (!finished) await writer.abort();
      }
    },
  };
}

/** Task as read by a run; its id depends on the question, not on its history. */
function taskOf(candidate: ChosenCandidate): Omit<Task, 'source'> {
  const { question, answers, profile } = candidate;
  const asked = { question, answers, domain: 'qa' as const, profile };
  return { id: taskId(asked), ...asked, synthesis: synthesisSchema.strip().parse(candidate) };
}
