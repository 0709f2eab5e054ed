import { inOrder } from '../base/threads/inOrder.ts';
import type { DatasetWriter, PreferencePair, RlTaskChoice } from '../contract/datasetWriter.ts';
import { RecordFailure } from '../contract/errors.ts';
import { type CorpusStage, dropRecord, emitRecord, namesOf, type StageOutcome } from '../contract/stage.ts';
import { readQuestion, shapeOf } from '../schemas/question.ts';
import { type Sample, sampleSchema } from '../schemas/sample.ts';
import { type Trajectory, trajectoryLength, trajectorySchema } from '../schemas/trajectory.ts';

interface ExportOptions {
  /** Called once per run, on the first record. */
  readonly openWriter: () => Promise<DatasetWriter>;
  /** True if the dataset has two splits: tasks of one question then go into the same one. */
  readonly hasSplits?: boolean;
  /** Pairs for the formats that compare two trajectories, requested after all rows are written; absent: none. */
  readonly findPairs?: (signal: AbortSignal) => AsyncIterable<PreferencePair>;
  /**
   * Tasks for the formats that hold tasks, requested last; absent: none.
   * @param hasRow - Whether the dataset has a row of a task.
   */
  readonly findTasks?: (
    hasRow: (taskId: string) => boolean,
    signal: AbortSignal,
  ) => AsyncIterable<RlTaskChoice>;
}

/** Writes kept trajectories as a dataset, in input order. The dataset is removed unless every record was written. */
export function createExportStage({
  openWriter,
  hasSplits,
  findPairs,
  findTasks,
}: ExportOptions): CorpusStage<Trajectory, Sample> {
  return {
    name: 'export',
    version: 4,
    input: trajectorySchema,
    output: sampleSchema,
    async *run(trajectories, { signal }) {
      const clusters = hasSplits ? await clusterTasks(trajectories, signal) : undefined;
      const writer = await openWriter();
      let finished = false;
      try {
        let index = 0;
        const written = new Set<string>();
        const begin = (trajectory: Trajectory) =>
          write(writer, trajectory, clusters?.ofTask.get(trajectory.task_id));
        for await (const { item, result } of inOrder(trajectories, begin, { weigh: trajectoryLength })) {
          signal.throwIfAborted();
          if (writer.takesTasks && result.kind === 'emit') written.add(item.task_id);
          yield { index: index++, ...namesOf(item), outcome: result };
        }
        signal.throwIfAborted();
        if (writer.takesPairs && findPairs) await writePairs(writer, findPairs(signal), clusters);
        if (writer.takesTasks && findTasks)
          for await (const choice of findTasks((taskId) => written.has(taskId), signal))
            await writer.writeTask(choice, clusters?.ofTask.get(choice.task.id));
        if (writer.mixes) await writer.mix((asked) => clusterOf(asked, clusters?.ofShape), signal);
        await writer.finish();
        finished = true;
      } finally {
        if (!finished) await writer.abort();
      }
    },
  };
}

/** Tasks of the same question. */
interface Clusters {
  /** Smallest id of each cluster by task, except for that task itself. */
  readonly ofTask: ReadonlyMap<string, string>;
  /** Smallest id by question. */
  readonly ofShape: ReadonlyMap<number, string>;
}

/** Cluster of a question from foreign rows: that of the tasks with the question, or its own. */
function clusterOf(asked: string, ofShape?: ReadonlyMap<number, string>): string {
  const shape = shapeOf(readQuestion(asked).content);
  return ofShape?.get(shape) ?? `mixed ${shape}`;
}

/** Clusters tasks by question, across profiles. The result is independent of the order. */
async function clusterTasks(trajectories: AsyncIterable<Trajectory>, signal: AbortSignal): Promise<Clusters> {
  const shapes = new Map<string, number>();
  const firstOf = new Map<number, string>();
  for await (const { task_id, question } of trajectories) {
    signal.throwIfAborted();
    const shape = shapes.get(task_id) ?? shapeOf(readQuestion(question).content);
    shapes.set(task_id, shape);
    const first = firstOf.get(shape);
    if (first === undefined || task_id < first) firstOf.set(shape, task_id);
  }
  for (const [task, shape] of shapes) if (firstOf.get(shape) === task) shapes.delete(task);
  const ofTask = new Map(Array.from(shapes, ([task, shape]) => [task, firstOf.get(shape)!]));
  return { ofTask, ofShape: firstOf };
}

/**
 * Writes pairs after the rows of a dataset.
 * @param clusters - Clusters of the tasks, where there are two splits.
 */
async function writePairs(
  writer: DatasetWriter,
  pairs: AsyncIterable<PreferencePair>,
  clusters: Clusters | undefined,
): Promise<void> {
  const begin = (pair: PreferencePair) => writer.writePair(pair, clusters?.ofTask.get(pair.chosen.task_id));
  const weigh = ({ chosen, rejected }: PreferencePair) =>
    trajectoryLength(chosen) + trajectoryLength(rejected);
  for await (const _ of inOrder(pairs, begin, { weigh }));
}

async function write(
  writer: DatasetWriter,
  trajectory: Trajectory,
  clusterId: string | undefined,
): Promise<StageOutcome<Sample>> {
  try {
    const written = await writer.write(trajectory, clusterId);
    if (written.kind === 'written') return emitRecord(written.sample);
    if (written.kind === 'over_target') return dropRecord('over_target', { wanted: { ...written.wanted } });
    if (written.kind === 'nothing_trained') return dropRecord('nothing_trained', segmentCounts(trajectory));
    return dropRecord('too_long', { tokens: written.tokens, cutoff_len: written.cutoff_len });
  } catch (error) {
    if (error instanceof RecordFailure) return { kind: 'fail', failure: error.failure };
    throw error;
  }
}

function segmentCounts({ segments }: Trajectory) {
  const model_segments = segments.filter((segment) => segment.origin === 'model').length;
  return { segments: segments.length, model_segments };
}
