import { moduleBeside } from '../../base/moduleBeside.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import { trajectoryLength } from '../../schemas/trajectory.ts';
import { portableTokenizer } from '../tokenizers/fileTokenizer.ts';
import type { DatasetSettings, PreparedDataset } from './prepareDataset.ts';
import { open, type PreparedRow, prepareRows, type RowItem } from './rowWork.ts';

/** Makes rows, for several trajectories at once. */
export type RowMaker = Pick<ThreadedWork<unknown, RowItem, PreparedRow>, 'run' | 'close'>;

/** Makes rows on threads; in this thread with a tokenizer that can't be opened again there. */
export function rowMaker(options: DatasetSettings, prepared: PreparedDataset): RowMaker {
  const { name, dataset, training, hasMarks = false } = options;
  const tokenizer = portableTokenizer(options.tokenizer);
  if (tokenizer === undefined) return { run: prepareRows(options, prepared), close: async () => {} };
  return new ThreadedWork({
    module: moduleBeside(import.meta.url, 'rowThread'),
    open,
    settings: { name, dataset, training, tokenizer, hasMarks },
    weigh: ({ trajectory, rejected }) =>
      trajectoryLength(trajectory) + (rejected ? trajectoryLength(rejected) : 0),
  });
}
