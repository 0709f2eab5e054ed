import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { RowAnswer, WindowAnswer } from '../api.ts';
import { replaced } from './filter.ts';
import { InertText } from './InertText.tsx';
import { useKeys } from './keys.ts';
import { type RecordColumn, recordColumns, useColumns } from './rowColumns.tsx';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, counted } from './words.ts';

/** Pixels per key press, and minimum width of a column. */
const [STEP_PX, LEAST_PX] = [24, 48];

interface RecordsTableProps {
  readonly rows: readonly RowAnswer[];
  readonly hrefOf: (row: RowAnswer, nth: number) => string;
  readonly chosen?: number;
  /** Sort key, with `-` for descending; empty: by task. */
  readonly sort: string;
  /** Absent if rows can't be sorted. */
  readonly onSort?: ((sort: string) => void) | undefined;
}

/** Records as rows, grouped by task; column choice and widths are stored. */
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

/** Cycles ascending, descending, by task; its edge resizes the column. */
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

const PAGE = 100;

interface RowsTableProps {
  readonly name: string;
  readonly base: string;
  readonly filter: URLSearchParams;
  readonly found: number;
  readonly revision: number;
  readonly onChange: (next: URLSearchParams) => void;
}

export function RowsTable({ name, base, filter, found, revision, onChange }: RowsTableProps) {
  const { route } = useLocation();
  const [chosen, setChosen] = useState(0);
  const at = Math.max(0, Math.min(chosen, found - 1));
  const first = at - (at % PAGE);
  const { data } = useAnswer<WindowAnswer>(
    `${sourcePath(name)}/window?${filter}&from=${first}&count=${PAGE}`,
    revision,
  );
  const rows = data?.rows.map((row, nth) => ({ ...row, at: data.from + nth })) ?? [];
  const open = (): void => {
    const row = rows.find((own) => own.at === at);
    if (row) route(hrefOf(base, filter, row));
  };
  useKeys({ j: () => setChosen(at + 1), k: () => setChosen(at - 1), Enter: open, o: open });
  useEffect(() => setChosen(0), [String(filter)]);
  useEffect(() => document.querySelector('tr.chosen')?.scrollIntoView({ block: 'nearest' }), [at]);
  if (found === 0) return <p class="empty">No record matches.</p>;
  return (
    <>
      {found > PAGE && (
        <p class="parts">
          <button type="button" disabled={first === 0} onClick={() => setChosen(first - PAGE)}>
            Earlier
          </button>
          <span>
            {count(first + 1)} to {count(Math.min(found, first + PAGE))} of {count(found)}
          </span>
          <button type="button" disabled={first + PAGE >= found} onClick={() => setChosen(first + PAGE)}>
            Later
          </button>
        </p>
      )}
      <RecordsTable
        rows={rows}
        hrefOf={(_, nth) => hrefOf(base, filter, rows[nth]!)}
        chosen={at - (data?.from ?? 0)}
        sort={filter.get('sort') ?? ''}
        onSort={(sort) => onChange(replaced(filter, 'sort', sort))}
      />
    </>
  );
}

type PlacedRow = RowAnswer & { readonly at: number };

function hrefOf(base: string, filter: Iterable<[string, string]>, { key, at }: PlacedRow): string {
  return `${base}/records/${encodeURIComponent(key)}?${withPlace(filter, at)}`;
}

/** Filter with a row's position, from which a record's page finds its neighbours. */
export function withPlace(filter: Iterable<[string, string]>, at: number): URLSearchParams {
  return new URLSearchParams([...filter, ['at', String(at)]]);
}

export function CopiedRows() {
  const { kind, name } = useRoute().params as { kind: string; name: string };
  const { data, error } = useAnswer<WindowAnswer>(`${sourcePath(name)}/window`);
  const rows = data?.rows.map((row, at) => ({ ...row, at })) ?? [];
  return (
    <Shell title={name} trail={[{ name }]} error={error}>
      <p class="note">A copy of {counted(rows.length, 'record')}.</p>
      <RecordsTable
        rows={rows}
        hrefOf={(_, nth) => hrefOf(`/${kind}/${encodeURIComponent(name)}`, [], rows[nth]!)}
        sort=""
      />
    </Shell>
  );
}
