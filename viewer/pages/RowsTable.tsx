import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { RowAnswer, WindowAnswer } from '../api.ts';
import { replaced } from './filter.ts';
import { useKeys } from './keys.ts';
import { RecordsTable } from './RecordsTable.tsx';
import { Shell } from './Shell.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, counted } from './words.ts';

/** Rows that are shown together. */
const PAGE = 100;

interface RowsTableProps {
  readonly name: string;
  readonly base: string;
  readonly filter: URLSearchParams;
  readonly found: number;
  readonly revision: number;
  readonly onChange: (next: URLSearchParams) => void;
}

/** The rows that a filter finds, page by page. */
export function RowsTable({ name, base, filter, found, revision, onChange }: RowsTableProps) {
  const { route } = useLocation();
  // The place of the chosen row in the list says which page is shown.
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
  if (found === 0) return <p class="empty">No record has all of this.</p>;
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

/** A row with its place in its list. */
type PlacedRow = RowAnswer & { readonly at: number };

function hrefOf(base: string, filter: Iterable<[string, string]>, { key, at }: PlacedRow): string {
  return `${base}/records/${encodeURIComponent(key)}?${withPlace(filter, at)}`;
}

/** The filter with a row's place in its list, so that the record's page finds its neighbours. */
export function withPlace(filter: Iterable<[string, string]>, at: number): URLSearchParams {
  return new URLSearchParams([...filter, ['at', String(at)]]);
}

/** The list of a copy's records. */
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
