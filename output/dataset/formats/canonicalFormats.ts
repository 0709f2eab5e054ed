import { trajectoryRow, trajectoryRowSchema } from '../../../schemas/trainers/trajectoryRow.ts';
import { type DatasetFormat, weightedCapabilities } from '../datasetFormat.ts';
import { jsonPart } from './formatParts.ts';

/** `trajectories.jsonl`: the canonical records, one a line, as they are before anything is rendered. */
export const trajectoriesFormat: DatasetFormat<'trajectory'> = {
  name: 'trajectories',
  records: 'trajectory',
  columns: Object.keys(trajectoryRowSchema.shape),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER)`',
    trainer: 'reading; all else derives from it',
    mask: 'each segment has its `origin`',
  },
  capabilities: weightedCapabilities,
  layoutOf: () => ({
    parts: [
      jsonPart(({ trajectory }) => trajectoryRow(trajectory), '', {
        stems: { train: 'trajectories', validation: 'trajectories-validation' },
      }),
    ],
  }),
};

/** `pairs.jsonl`: the two canonical records of each pair, beside every format that compares trajectories. */
export const pairsFormat: DatasetFormat<'pair'> = {
  name: 'pairs',
  records: 'pair',
  columns: ['chosen', 'rejected'],
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER, "pairs")`',
    trainer: 'reading; the formats of pairs derive from it',
    mask: 'each segment has its `origin`',
  },
  capabilities: weightedCapabilities,
  layoutOf: () => ({
    parts: [
      jsonPart(
        ({ chosen, rejected }) => ({
          chosen: trajectoryRow(chosen.trajectory),
          rejected: trajectoryRow(rejected.trajectory),
        }),
        '',
        { stems: { train: 'pairs', validation: 'pairs-validation' } },
      ),
    ],
  }),
};
