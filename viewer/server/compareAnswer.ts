import type { RecordChange } from '../../operations/compareRuns.ts';
import { compareRuns } from '../../operations/compareRuns.ts';
import { findRun } from '../../operations/findRun.ts';
import type { CompareAnswer } from '../api.ts';

/** Records named of each kind of difference. */
const MAX_NAMED = 500;

/** What differs between two runs, with the first records of each kind. */
export async function compareAnswer(a: string, b: string): Promise<CompareAnswer> {
  const { entered, left, other_repeats, other_reason, ...same } = await compareRuns(
    await findRun(a),
    await findRun(b),
  );
  const of = (all: readonly RecordChange[]) => ({ count: all.length, first: all.slice(0, MAX_NAMED) });
  const changes: CompareAnswer['changes'] = {
    entered: of(entered),
    left: of(left),
    other_repeats: of(other_repeats),
    other_reason: of(other_reason),
  };
  return { ...same, changes };
}
