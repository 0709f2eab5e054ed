import { onTestFinished } from 'vitest';
import { LiveIndex } from '../../../viewer/index/liveIndex.ts';
import type { RowFilter } from '../../../viewer/index/queryRows.ts';
import { createRunFeed } from '../../../viewer/index/runFeed.ts';
import type { WrittenRun } from './writtenRun.ts';

/** The index of a run, with what the run holds so far. */
export async function openIndex({ folder }: WrittenRun): Promise<LiveIndex> {
  const live = new LiveIndex(createRunFeed(folder));
  onTestFinished(() => live.close());
  await live.grow();
  return live;
}

/** What finds every row, in the order of the tasks. */
export const everything: RowFilter = {
  facets: {},
  ranges: {},
  search: '',
  sort: { by: 'row', isDescending: false },
};

/** Keys of the rows that a filter finds by now. */
export async function keys(live: LiveIndex, filter: Partial<RowFilter> = {}): Promise<string[]> {
  await live.grow();
  return live.index.rowsAt(live.query({ ...everything, ...filter }).rows).map(({ key }) => key);
}
