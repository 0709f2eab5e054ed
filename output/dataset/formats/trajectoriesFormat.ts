import { trajectoryRow } from '../../../schemas/trainers/trajectoryRow.ts';
import type { DatasetFormat, DatasetRow } from '../datasetFormat.ts';
import type { PartialFolder } from '../partialFolder.ts';
import { RowCounts } from '../rowCounts.ts';

const name = 'trajectories.jsonl';

/** `trajectories.jsonl`: the canonical records, one a line. Lone surrogates in any text become U+FFFD. */
export async function createTrajectoriesFormat(folder: PartialFolder): Promise<DatasetFormat> {
  const file = await folder.openFile(name);
  const counts = new RowCounts();
  return {
    async add(row: DatasetRow) {
      const line = JSON.stringify(trajectoryRow(row.trajectory), (_, value) =>
        typeof value === 'string' ? value.toWellFormed() : value,
      );
      await file.write(`${line}\n`);
      counts.add(row);
    },
    async finish() {
      await folder.closeFile(name, counts);
    },
    async abort() {},
  };
}
