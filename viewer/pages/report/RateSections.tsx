import type { SeriesPoint } from '../../../base/statistics/reduceSeries.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { TagShare, TimedKept } from '../../../schemas/report.ts';
import type { ReportAnswer, RunAnswer } from '../../api.ts';
import { Chart } from '../chart/Chart.tsx';
import { InertText } from '../InertText.tsx';
import { type Column, Interval, Table } from '../Table.tsx';
import { count, dollars, duration, percent, percentOf } from '../words.ts';

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
