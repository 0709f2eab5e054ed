import type { RowAnswer } from '../api.ts';
import { InertText } from './InertText.tsx';
import { type RecordColumn, recordColumns, useColumns } from './rowColumns.tsx';
import { count, counted } from './words.ts';

/** Pixels by which a key makes a column wider, and the least that a column has. */
const [STEP_PX, LEAST_PX] = [24, 48];

interface RecordsTableProps {
  readonly rows: readonly RowAnswer[];
  readonly hrefOf: (row: RowAnswer, nth: number) => string;
  /** Place of the row that keys have moved to, from 0; absent where none is. */
  readonly chosen?: number;
  /** What the rows are sorted by, with `-` before it for the greatest first; empty: by their tasks. */
  readonly sort: string;
  /** Absent where rows can't be sorted. */
  readonly onSort?: ((sort: string) => void) | undefined;
}

/** Records as rows, those of one task together with how many of them are right; columns are chosen, drawn wider, and kept. */
export function RecordsTable({ rows, hrefOf, chosen, sort, onSort }: RecordsTableProps) {
  const [{ shown, widths }, choose] = useColumns();
  const columns = recordColumns.filter(({ name }, at) => at === 0 || shown.includes(name));
  const isGrouped = sort === '' || sort === '-row';
  return (
    <>
      <details class="columns">
        <summary>Columns</summary>
        {recordColumns.slice(1).map(({ name, title }) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={shown.includes(name)}
              onChange={() =>
                choose({
                  shown: shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name],
                })
              }
            />
            {title}
          </label>
        ))}
      </details>
      <section class="scroll" tabIndex={0} aria-label="Records">
        <table class="records">
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading
                  key={column.name}
                  column={column}
                  sort={sort}
                  onSort={onSort}
                  onWidth={(px) => choose({ widths: { ...widths, [column.name]: px } })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.flatMap((row, nth) => {
              const isSibling = isGrouped && row.rollouts > 1;
              const begins = isSibling && (nth === 0 || taskOf(rows[nth - 1]!) !== taskOf(row));
              return [
                begins && <TaskRow key={`task ${row.key}`} row={row} columns={columns.length} />,
                <tr key={row.key} class={nth === chosen ? 'chosen' : ''}>
                  <th scope="row">
                    <div class="cell" style={widthOf(widths, 'question')}>
                      <a href={hrefOf(row, nth)}>
                        {isSibling ? `sample ${row.figures.rollout}` : columns[0]!.cell(row)}
                      </a>
                    </div>
                  </th>
                  {columns.slice(1).map(({ name, cell, isNumber }) => (
                    <td key={name} class={isNumber ? 'number' : `column-${name}`}>
                      <div class="cell" style={widthOf(widths, name)}>
                        {cell(row)}
                      </div>
                    </td>
                  ))}
                </tr>,
              ];
            })}
          </tbody>
        </table>
      </section>
    </>
  );
}

function widthOf(widths: Readonly<Record<string, number>>, name: string) {
  return widths[name] === undefined ? {} : { width: `${widths[name]}px`, maxWidth: 'none' };
}

function taskOf({ key }: RowAnswer): string {
  return key.replace(/[#~]\d+$/, '');
}

/** Stands above the rollouts of a task. */
function TaskRow({ row, columns }: { readonly row: RowAnswer; readonly columns: number }) {
  const { question, key, rollouts, scored, right } = row;
  return (
    <tr class="group">
      <th scope="colgroup" colSpan={columns}>
        <InertText text={question || key} />{' '}
        <b>{scored > 0 ? `${count(right)} of ${count(scored)} right` : counted(rollouts, 'rollout')}</b>
      </th>
    </tr>
  );
}

interface HeadingProps extends Pick<RecordsTableProps, 'sort' | 'onSort'> {
  readonly column: RecordColumn;
  readonly onWidth: (px: number) => void;
}

/** A press sorts by it, the next one the other way, and the third by task again; its edge is drawn to make it wider. */
function Heading({ column: { name, title, isNumber }, sort, onSort, onWidth }: HeadingProps) {
  const orders = isNumber ? [`-${name}`, name, ''] : [name, `-${name}`, ''];
  const at = orders.indexOf(sort);
  const isSorted = at === 0 || at === 1;
  const widthAt = (element: Element | null, morePx: number): void =>
    onWidth(Math.max(LEAST_PX, Math.round(element!.closest('th')!.getBoundingClientRect().width + morePx)));
  const onKey = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? STEP_PX : event.key === 'ArrowLeft' ? -STEP_PX : 0;
    if (event.shiftKey && step !== 0) widthAt(event.currentTarget as Element, step);
  };
  return (
    <th
      scope="col"
      class={isNumber ? 'number' : `column-${name}`}
      aria-sort={isSorted ? (sort.startsWith('-') ? 'descending' : 'ascending') : undefined}
    >
      {onSort ? (
        <button
          type="button"
          class="sort"
          title="sorts; Shift and an arrow make it wider or narrower"
          onClick={() => onSort(orders[(at + 1) % orders.length]!)}
          onKeyDown={onKey}
        >
          {title}
          <span aria-hidden="true">{isSorted ? (sort.startsWith('-') ? ' ▼' : ' ▲') : ''}</span>
        </button>
      ) : (
        title
      )}
      <span
        class="grip"
        aria-hidden="true"
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={({ currentTarget, clientX, pointerId }) => {
          if (!currentTarget.hasPointerCapture(pointerId)) return;
          widthAt(currentTarget, clientX - currentTarget.getBoundingClientRect().right);
        }}
      />
    </th>
  );
}
