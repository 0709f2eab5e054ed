import {
  createDatasetWriter,
  type DatasetWriterOptions,
} from '../../../output/dataset/createDatasetWriter.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../../../schemas/config/training.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { Task } from '../../../schemas/task.ts';
import { type Trajectory, trajectoryId } from '../../../schemas/trajectory.ts';
import { qwen } from './qwen.ts';

/** What differs from the options that a run without settings gives; sections are as `coa.yaml` has them. */
type ChangedOptions = Partial<Omit<DatasetWriterOptions, 'dataset' | 'training'>> & {
  readonly dataset?: unknown;
  readonly training?: object;
};

/** Options of a dataset writer as a run would give them. */
export function writerOptions(
  folder: string,
  { dataset = {}, training = {}, ...changed }: ChangedOptions = {},
): DatasetWriterOptions {
  return {
    folder,
    name: 'sample',
    tokenizer: qwen,
    dataset: datasetConfigSchema.parse(dataset),
    training: trainingConfigSchema.parse({ rl: { max_prompt_tokens: 20_001 }, ...training }),
    profileOf: builtinProfile,
    configHash: 'config_0',
    version: '0.0.0',
    toolTags: ['wiki_search'],
    ...changed,
  };
}

/** The same trajectory with another answer, for formats that compare two. */
export function rejectedOf(trajectory: Trajectory): Trajectory {
  const segments = trajectory.segments.map((segment, at) =>
    at === trajectory.segments.length - 1
      ? { ...segment, text: segment.text.replace(/^<[^>]+>/, '$&Not ') }
      : segment,
  );
  const other = { ...trajectory, segments };
  return { ...other, id: trajectoryId(other) };
}

/** The task of a trajectory. */
export function taskOf({ task_id, question, answers, domain, profile, source }: Trajectory): Task {
  return {
    id: task_id,
    question,
    answers,
    domain,
    profile,
    source: { file: source ?? 'tasks.jsonl', row: 1 },
  };
}

/** Writes a whole dataset of rows that must all be written, each also as a pair where a format compares two, and as a task. */
export async function writeDataset(
  trajectories: readonly Trajectory[],
  options: DatasetWriterOptions,
): Promise<Manifest> {
  const writer = await createDatasetWriter(options);
  for (const trajectory of trajectories) {
    const outcome = await writer.write(trajectory);
    if (outcome.kind !== 'written') throw new Error(`${trajectory.id} was not written: ${outcome.kind}`);
  }
  for (const chosen of writer.takesPairs ? trajectories : [])
    await writer.writePair({ chosen, rejected: rejectedOf(chosen) });
  for (const trajectory of writer.takesTasks ? trajectories : [])
    await writer.writeTask({ task: taskOf(trajectory), rate: null, reason: null });
  return writer.finish();
}
