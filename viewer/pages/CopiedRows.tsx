import { useRoute } from 'preact-iso';
import type { WindowAnswer } from '../answers.ts';
import { rowColumns } from './RowsTable.tsx';
import { Shell } from './Shell.tsx';
import { Table } from './Table.tsx';
import { sourcePath, useAnswer } from './useAnswer.ts';
import { counted } from './words.ts';

/** The list of a copy's records. */
export function CopiedRows() {
  const { kind, name } = useRoute().params as { kind: string; name: string };
  const { data, error } = useAnswer<WindowAnswer>(`${sourcePath(name)}/window`);
  const rows = data?.rows.map((row, at) => ({ ...row, at })) ?? [];
  return (
    <Shell title={name} trail={[{ name }]} error={error}>
      <p class="note">A copy of {counted(rows.length, 'record')}.</p>
      <Table label="Records" columns={rowColumns(`/${kind}/${encodeURIComponent(name)}`, [])} rows={rows} />
    </Shell>
  );
}
