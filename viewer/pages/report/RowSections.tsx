import type { SeriesPoint } from '../../../base/statistics/reduceSeries.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { TagShare, TimedKept, ValueCounts } from '../../../schemas/report.ts';
import type { ReportAnswer, RunAnswer } from '../../api.ts';
import { Chart, Histogram } from '../chart/Chart.tsx';
import { InertText } from '../InertText.tsx';
import { type Column, Interval, Table } from '../Table.tsx';
import { count, dollars, duration, percent, percentOf, words } from '../words.ts';
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

type PassGroup = ReportAnswer['pass_groups'][number];

const passColumns: readonly Column<PassGroup>[] = [
  ['Group', ({ group }) => <InertText text={group} />],
  ['Tasks', ({ tasks }) => count(tasks), 'number'],
  ['Right in %', ({ value }) => percent(value), 'number'],
  ['95% interval', (group) => <Interval estimate={group} />],
];

/** Pass rates by k, profile and difficulty. */
export function PassRates({
  groups,
  rates,
}: {
  readonly groups: ReportAnswer['pass_groups'];
  readonly rates: Manifest['rollouts'];
}) {
  const byK = Object.entries(rates?.pass_at ?? {});
  if (groups.length + byK.length === 0) return null;
  return (
    <section>
      <h2>Pass rates</h2>
      <div class="lines">
        <PassAtK byK={byK} />
      </div>
      {(['profile', 'difficulty'] as const).map((by) => {
        const own = groups.filter((group) => group.by === by);
        return (
          own.length > 0 && <Table key={by} label={`Pass rate by ${by}`} columns={passColumns} rows={own} />
        );
      })}
    </section>
  );
}

interface PassAtKProps {
  readonly byK: readonly (readonly [
    k: string,
    estimate: { value: number; low: number | null; high: number | null } | null,
  ])[];
}

/** pass@k with intervals; nothing for fewer than two k. */
export function PassAtK({ byK }: PassAtKProps) {
  const points = byK
    .flatMap(([k, of]): SeriesPoint[] =>
      of ? [[Number(k), 100 * of.value, 100 * (of.low ?? of.value), 100 * (of.high ?? of.value)]] : [],
    )
    .sort(([a], [b]) => a - b);
  if (points.length < 2) return null;
  return <Chart title="pass@k (% of tasks, 95% interval)" axis="k" series={[{ name: 'pass@k', points }]} />;
}

interface OverTimeProps {
  readonly minutes: ReportAnswer['over_time'];
  readonly spent: RunAnswer['minutes'];
}

/** Kept rows and cost over time. */
export function OverTime({ minutes, spent }: OverTimeProps) {
  const [first] = minutes;
  if (minutes.length < 2 || !first) return null;
  const line = (figureOf: (minute: TimedKept) => number) =>
    minutes.map((minute): SeriesPoint => {
      const figure = figureOf(minute);
      return [minute.at_ms - first.at_ms, Number.isFinite(figure) ? figure : null];
    });
  const billedBy = (at: number) =>
    spent.reduce((sum, { at_ms, cost_usd }) => sum + (at_ms <= at ? cost_usd : 0), 0);
  const time = { axis: 'since the first call', wordsOf: duration };
  return (
    <section>
      <h2>Yield over time</h2>
      <div class="lines">
        <Chart
          title="Kept tasks in % of those that have ended, all so far"
          {...time}
          series={[{ name: 'kept', points: line(({ kept_tasks, tasks }) => (100 * kept_tasks) / tasks) }]}
        />
        {billedBy(Number.POSITIVE_INFINITY) > 0 && (
          <Chart
            title="Cost of a kept row in $, all that was billed so far"
            {...time}
            textOf={dollars}
            series={[{ name: 'cost', points: line(({ at_ms, kept_rows }) => billedBy(at_ms) / kept_rows) }]}
          />
        )}
      </div>
    </section>
  );
}

const tagColumns: readonly Column<TagShare>[] = [
  ['Tag', ({ tag }) => <InertText text={tag} />],
  ['Segments', ({ segments }) => count(segments), 'number'],
  ['Characters', ({ characters }) => count(characters), 'number'],
  ['Trained', ({ trained_characters, characters }) => percentOf(trained_characters, characters), 'number'],
];

/** Trained share of each tag. */
export function Tags({ rows }: Pick<ReportAnswer, 'rows'>) {
  const tags = Map.groupBy(
    rows.flatMap((row) => row.tags),
    ({ tag }) => tag,
  );
  if (tags.size === 0) return null;
  const all = [...tags].map(([tag, own]): TagShare => {
    const sum = (figure: Exclude<keyof TagShare, 'tag'>) =>
      own.reduce((total, share) => total + share[figure], 0);
    const trained_characters = sum('trained_characters');
    return { tag, segments: sum('segments'), characters: sum('characters'), trained_characters };
  });
  const sorted = all.sort((a, b) => b.characters - a.characters);
  return <Table label="Mask by tag" columns={tagColumns} rows={sorted} />;
}
