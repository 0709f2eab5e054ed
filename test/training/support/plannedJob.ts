import type { z } from 'zod';
import type { RenderedJob } from '../../../contract/launcher.ts';
import { type TrainingConfig, trainingConfigSchema } from '../../../schemas/config/training.ts';
import type { Manifest, ManifestFile } from '../../../schemas/manifest.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { type PlanInput, planTraining } from '../../../training/plan/planTraining.ts';
import { renderJob } from '../../../training/render/renderJob.ts';
import { fullReport } from '../../viewer/support/reportSample.ts';

/** A dataset of so many rows of 4,000 tokens, with the formats that trainers read. */
export function sampleManifest(rows: number, validationRows = 0): Manifest {
  const file = (path: string, split: ManifestFile['split'], count: number): ManifestFile => ({
    path,
    sha256: '0',
    bytes: 1,
    split,
    rows: count,
    tokens: count * 4000,
    trained_tokens: count * 1000,
  });
  const train = validationRows === 0 ? 'tokenized' : 'tokenized/train';
  return {
    ...fullReport.manifest!,
    formats: [...fullReport.manifest!.formats, 'dpo', 'hugging_face_dpo', 'verl_rl'],
    rows: rows + validationRows,
    splits: { train: rows, validation: validationRows },
    files: [
      file('verl_rl/train.parquet', 'train', rows),
      file(`${train}/data-00000-of-00001.arrow`, 'train', rows),
      file('verl/sft.parquet', 'train', rows),
      file('dpo/tokenized/data-00000-of-00001.arrow', 'train', rows),
      file('hugging_face_dpo/data/train.parquet', 'train', rows),
      // The same pairs as text, which the trainer does not read.
      file('dpo/train.jsonl', 'train', rows),
      ...(validationRows === 0
        ? []
        : [
            file('tokenized/validation/data-00000-of-00001.arrow', 'validation', validationRows),
            file('verl/validation.parquet', 'validation', validationRows),
          ]),
    ],
  };
}

/** A job that is planned and rendered as the command line would, for 8 GPUs unless told otherwise. */
export interface SampleJob {
  readonly training: TrainingConfig;
  readonly plan: TrainingPlan;
  readonly rendered: RenderedJob;
  /** A file's text. */
  file(path: string): string;
}

/** Plans and renders a job for `runs/sample`. */
export function plannedJob(
  section: z.input<typeof trainingConfigSchema> = {},
  changed: Partial<PlanInput> = {},
): SampleJob {
  const training = trainingConfigSchema.parse(section);
  const input: PlanInput = {
    training,
    manifest: sampleManifest(1000),
    manifestSha256: 'ab'.repeat(32),
    datasetFolder: '/data/runs/sample/dataset',
    jobFolder: '/data/runs/sample/train/sft',
    run: 'sample',
    job: 'sft',
    model: { parameters: 7.6e9, layers: 28, hiddenSize: 3584, vocabularySize: 152_064 },
    gpusHere: null,
    ...changed,
  };
  const plan = planTraining(input);
  const { run, job, jobFolder } = input;
  const rendered = renderJob(plan, { training, run, job, jobFolder });
  return {
    training,
    plan,
    rendered,
    file: (path) => rendered.files.find((file) => file.path === path)!.text,
  };
}
