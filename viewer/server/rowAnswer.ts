import type { RowAnswer } from '../api.ts';
import { figureNames, type RowState } from '../index/fields.ts';
import type { RecordIndex } from '../index/recordIndex.ts';

/** Rows of an index as the table shows them. */
export function rowAnswers(index: RecordIndex, rows: Iterable<number>): RowAnswer[] {
  const { columns } = index;
  return index.rowsAt(rows).map(({ row, key, question }): RowAnswer => {
    const first = (name: 'state' | 'stage' | 'reason' | 'profile') => columns.wordsOf(row, name)[0] ?? '';
    const figures = Object.fromEntries(
      figureNames.flatMap((name) => {
        const value = columns.figureOf(row, name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    return {
      key,
      question: question ?? '',
      state: (first('state') || 'pending') as RowState,
      stage: first('stage'),
      reason: first('reason'),
      profile: first('profile'),
      tools: columns.wordsOf(row, 'tool'),
      marks: columns.wordsOf(row, 'mark'),
      figures,
    };
  });
}
