import { mixedRowSchema } from '../../../schemas/mixedRow.ts';
import { trajectoryRow, trajectoryRowSchema } from '../../../schemas/trainers/trajectoryRow.ts';
import { type DatasetFormat, weightedCapabilities } from '../datasetFormat.ts';
import { jsonPart } from './formatParts.ts';

/** `trajectories.jsonl`: canonical records before rendering, one per line. */
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
  capabilities: { ...weightedCapabilities, mixedRows: false },
  layoutOf: () => ({
    parts: [
      jsonPart(({ trajectory }) => trajectoryRow(trajectory), '', {
        stems: { train: 'trajectories', validation: 'trajectories-validation' },
      }),
    ],
  }),
};

/** `pairs.jsonl`: both canonical records of each pair, written with every format of pairs. */
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

/** `mixed.jsonl`: rows of `dataset.mix` as read, written with every format that holds them. */
export const mixedFormat: DatasetFormat<'mixed'> = {
  name: 'mixed',
  records: 'mixed',
  columns: Object.keys(mixedRowSchema.shape),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER, "mixed")`',
    trainer: 'reading; the rows of `dataset.mix` in the formats derive from it',
    mask: 'each message says whether it is trained',
  },
  capabilities: weightedCapabilities,
  layoutOf: () => ({
    parts: [
      jsonPart(({ record }) => record, '', { stems: { train: 'mixed', validation: 'mixed-validation' } }),
    ],
  }),
};
