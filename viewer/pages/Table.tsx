import type { ComponentChildren } from 'preact';

/** A column: its heading, what it shows of a row, and whether that is a number, which stands at the right. */
export type Column<T> = readonly [
  head: ComponentChildren,
  cell: (row: T) => ComponentChildren,
  kind?: 'number',
];

interface TableProps<T> {
  readonly label: string;
  /** The first holds the headings of the rows. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Place of the row that keys have moved to, from 0; absent where none is. */
  readonly chosen?: number;
}

/** Rows of figures, which scroll sideways where there is no room; a column that says nothing of any row takes none. */
export function Table<T>({ label, columns: all, rows, chosen }: TableProps<T>) {
  const says = (cell: ComponentChildren) =>
    cell !== undefined && cell !== null && cell !== false && cell !== '';
  const columns = all.filter(([, cell], at) => at === 0 || rows.some((row) => says(cell(row))));
  return (
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(([head, , kind], at) => (
              <th key={at} scope="col" class={kind}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, nth) => (
            <tr key={nth} class={nth === chosen ? 'chosen' : ''}>
              {columns.map(([, cell, kind], at) =>
                at === 0 ? (
                  <th key={at} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={at} class={kind}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
