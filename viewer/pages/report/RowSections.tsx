import type { Manifest } from '../../../schemas/manifest.ts';
import type { ValueCounts } from '../../../schemas/report.ts';
import type { ReportAnswer } from '../../api.ts';
import { Histogram } from '../chart/Chart.tsx';
import { InertText } from '../InertText.tsx';
import { type Column, Table } from '../Table.tsx';
import { count, percentOf, words } from '../words.ts';
import { Tags } from './RateSections.tsx';
import { binsOf, medianOf, mostOf, totalOf } from './valueCounts.ts';

type ProfileRows = ReportAnswer['rows'][number];

const rowColumns: readonly Column<ProfileRows>[] = [
  ['Profile', ({ profile }) => <InertText text={profile} />],
  ['Rows', ({ rows }) => count(rows), 'number'],
  ['Tokens', ({ tokens }) => count(totalOf(tokens)), 'number'],
  ['Trained', (own) => percentOf(totalOf(own.trained_tokens), totalOf(own.tokens)), 'number'],
  ['Median tokens', ({ tokens }) => count(medianOf(tokens)), 'number'],
  ['Longest', ({ tokens }) => count(mostOf(tokens)), 'number'],
  ['Median interactions', ({ interactions }) => count(medianOf(interactions)), 'number'],
];

/** Kept rows: length, trained share, tool calls. */
export function Rows({ rows }: Pick<ReportAnswer, 'rows'>) {
  if (rows.length === 0) return <p class="empty">No row was kept.</p>;
  const all = (figure: 'tokens' | 'trained_tokens' | 'interactions'): ValueCounts =>
    rows.flatMap((own) => own[figure]);
  return (
    <section>
      <h2>Rows</h2>
      <div class="lines">
        <Histogram title="Tokens a row" bins={binsOf(all('tokens'))} of="rows" />
        <Histogram title="Trained tokens a row" bins={binsOf(all('trained_tokens'))} of="rows" />
        <Histogram title="Tool interactions a row" bins={binsOf(all('interactions'))} of="rows" />
      </div>
      <Table label="Rows by profile" columns={rowColumns} rows={rows} />
      <Tags rows={rows} />
    </section>
  );
}

interface RolloutsProps {
  readonly rates: Manifest['rollouts'];
  readonly notices: readonly string[];
}

/** Right rollouts per task; nothing for one rollout a task. */
export function Rollouts({ rates, notices }: RolloutsProps) {
  if (!rates) return null;
  const shares = rates.tasks_by_right
    .filter(({ scored }) => scored > 0)
    .map(({ right, scored, tasks }) => [Math.round((100 * right) / scored), tasks] as const);
  return (
    <section>
      <h2>Rollouts</h2>
      {notices.map((notice) => (
        <p key={notice}>
          <InertText text={notice} />
        </p>
      ))}
      <p class="note">Unscored rollouts are excluded from pass rates.</p>
      <div class="lines">
        <Histogram
          title="Right rollouts of a task, in % of those that were judged"
          bins={binsOf(shares)}
          of="tasks"
        />
      </div>
    </section>
  );
}

/** Measured quality of a synthesis's checker. */
export function Checker({ checker }: Pick<ReportAnswer, 'checker'>) {
  if (!checker) return null;
  return (
    <section>
      <h2>Checker</h2>
      <p>{`${checker[0]!.toUpperCase()}${checker.slice(1)}.`}</p>
    </section>
  );
}

/** Maximum groups shown; a dataset may have thousands of sources. */
const MAX_GROUPS = 30;

type Dimension = NonNullable<ReportAnswer['balance']>[number];

/** Records by group before and after balancing; nothing without balancing. */
export function Balance({ table }: { readonly table: ReportAnswer['balance'] }) {
  if (!table) return null;
  return (
    <section>
      <h2>Balance</h2>
      {table.map((dimension) => (
        <div key={dimension.dimension}>
          <Table
            label={`Balance by ${dimension.dimension}`}
            columns={balanceColumns(dimension)}
            rows={dimension.groups.slice(0, MAX_GROUPS)}
          />
          {dimension.groups.length > MAX_GROUPS && (
            <p class="note">and {count(dimension.groups.length - MAX_GROUPS)} more groups</p>
          )}
        </div>
      ))}
    </section>
  );
}

function balanceColumns({ dimension, groups }: Dimension): readonly Column<Dimension['groups'][number]>[] {
  const share = (figure: 'before' | 'after') => (group: Dimension['groups'][number]) =>
    `${count(group[figure])} (${percentOf(
      group[figure],
      groups.reduce((sum, own) => sum + own[figure], 0),
    )})`;
  return [
    [words(dimension), ({ group }) => <InertText text={group} />],
    ['Before', share('before'), 'number'],
    ['After', share('after'), 'number'],
    ['Rows', ({ rows }) => count(rows), 'number'],
    ['Weight', ({ weight }) => weight.toFixed(1), 'number'],
  ];
}
