import { useRoute } from 'preact-iso';
import type { RowAnswer, WindowAnswer } from '../api.ts';
import { InertText } from './InertText.tsx';
import { endOf, withPlace } from './RowsTable.tsx';
import { Shell } from './Shell.tsx';
import { type Column, Table } from './Table.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { count, counted } from './words.ts';

/** The list of a copy's records. */
export function CopiedRows() {
  const { kind, name } = useRoute().params as { kind: string; name: string };
  const { data, error } = useAnswer<WindowAnswer>(`${sourcePath(name)}/window`);
  const rows = data?.rows.map((row, at) => ({ ...row, at })) ?? [];
  const columns: readonly Column<RowAnswer & { readonly at: number }>[] = [
    [
      'Question',
      ({ key, question, at }) => (
        <a
          href={`/${kind}/${encodeURIComponent(name)}/records/${encodeURIComponent(key)}?${withPlace([], at)}`}
        >
          <InertText text={question || key} />
        </a>
      ),
    ],
    ['End', (row) => endOf(row)],
    ['Profile', ({ profile }) => profile],
    ['Tokens', ({ figures }) => figures.tokens && count(figures.tokens), 'number'],
  ];
  return (
    <Shell title={name} trail={[{ name }]} error={error}>
      <p class="note">A copy of {counted(rows.length, 'record')}.</p>
      <Table label="Records" columns={columns} rows={rows} />
    </Shell>
  );
}
