import { UserError } from '../../base/userError.ts';
import {
  type FacetName,
  type FigureName,
  facetNames,
  figureNames,
  type RowState,
  type SortName,
  shownTexts,
} from '../index/fields.ts';
import type { RowFilter } from '../index/queryRows.ts';
import type { RecordIndex } from '../index/recordIndex.ts';

/**
 * Parses a filter of a URL or the command line: `state=dropped&reason=wrong_answer&tokens=1000-&q=words&sort=-tokens`.
 * A repeated name accepts either value.
 *
 * @throws UserError for an invalid range or order
 */
export function parseRowFilter(query: URLSearchParams): RowFilter {
  const facets: RowFilter['facets'] = Object.fromEntries(
    facetNames.flatMap((name) => (query.has(name) ? [[name, query.getAll(name)]] : [])),
  );
  const ranges = Object.fromEntries(
    figureNames.flatMap((name) => (query.has(name) ? [[name, parseRange(name, query.get(name)!)]] : [])),
  ) as RowFilter['ranges'];
  return { facets, ranges, search: query.get('q') ?? '', sort: parseSort(query.get('sort') ?? 'row') };
}

const rangePattern = /^(-?\d+(?:\.\d+)?)?-(-?\d+(?:\.\d+)?)?$/;

function parseRange(name: string, text: string): [number, number] {
  const found = rangePattern.exec(text);
  if (!found) throw new UserError(`${name}=${text}: expected a range such as 100-200, 100- or -200`);
  const [, least, most] = found;
  return [Number(least ?? Number.NEGATIVE_INFINITY), Number(most ?? Number.POSITIVE_INFINITY)];
}

const sortNames: readonly SortName[] = ['row', ...figureNames, ...facetNames, ...shownTexts];

function parseSort(text: string): RowFilter['sort'] {
  const isDescending = text.startsWith('-');
  const name = isDescending ? text.slice(1) : text;
  const by = sortNames.find((known) => known === name);
  if (!by)
    throw new UserError(
      `sort=${text}: expected one of ${sortNames.join(', ')}, with - before it for the greatest first`,
    );
  return { by, isDescending };
}

export type RowAnswer = ReturnType<typeof rowAnswers>[number];

export function rowAnswers(index: RecordIndex, rows: Iterable<number>) {
  const { columns } = index;
  return index.rowsAt(rows).map(({ row, key, question, answer, gold }) => {
    const first = (name: FacetName) => columns.wordsOf(row, name)[0] ?? '';
    const task = columns.task.values[row]!;
    const figures: Partial<Record<FigureName, number>> = Object.fromEntries(
      figureNames.flatMap((name) => {
        const value = columns.figureOf(row, name);
        return value === undefined ? [] : [[name, value]];
      }),
    );
    return {
      key,
      question: question ?? '',
      /** First line of the rollout's answer; empty without one. */
      answer: answer ?? '',
      gold: gold ?? '',
      /** `right`, `wrong`, `no_answer` or `unscored`; empty if unknown. */
      verdict: first('verdict'),
      state: (first('state') || 'pending') as RowState,
      stage: first('stage'),
      reason: first('reason'),
      profile: first('profile'),
      tools: columns.wordsOf(row, 'tool'),
      marks: columns.wordsOf(row, 'mark'),
      figures,
      /** Rows of its task: all, scored, and right. */
      rollouts: columns.tries.rows[task] ?? 1,
      scored: columns.tries.scored[task] ?? 0,
      right: columns.tries.right[task] ?? 0,
    };
  });
}
