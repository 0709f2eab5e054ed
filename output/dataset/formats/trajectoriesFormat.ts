import { trajectoryRow, trajectoryRowSchema } from '../../../schemas/trainers/trajectoryRow.ts';
import type { DatasetFormat } from '../datasetFormat.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';
import { shardName } from './splitFiles.ts';

/**
 * `trajectories.jsonl`: the canonical records, one a line, as they are before anything is rendered. Lone surrogates
 * in any text become U+FFFD.
 */
export const trajectoriesFormat: DatasetFormat = {
  name: 'trajectories',
  records: 'trajectory',
  columns: Object.keys(trajectoryRowSchema.shape),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER)`',
    trainer: 'reading; all else derives from it',
    mask: 'each segment has its `origin`',
  },
  capabilities: {
    untrainedModelText: true,
    lossWeights: true,
    cutRows: true,
    segmentsApart: true,
    chatTemplates: 'any',
  },
  layoutOf: () => ({
    parts: [
      {
        rowOf: ({ trajectory }) => trajectoryRow(trajectory),
        begin: (file) => jsonLinesFile(file, wellFormed),
        pathOf: (place) =>
          shardName(place.split === 'train' ? 'trajectories' : 'trajectories-validation', 'jsonl', place),
      },
    ],
    companions: () => [],
  }),
};

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
