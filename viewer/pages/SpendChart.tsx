import type { SeriesPoint } from '../../base/statistics/reduceSeries.ts';
import type { RunSpending } from '../../schemas/run/runFile.ts';
import { billedText } from '../../schemas/run/spending.ts';
import type { RunAnswer } from '../api.ts';
import { Chart } from './chart/Chart.tsx';
import { count, dollars, duration, words } from './words.ts';

/** Bars that can be told apart; a longer run has several minutes a bar. */
const MAX_BARS = 100;
const MINUTE_MS = 60_000;

type Spent = Omit<RunAnswer['minutes'][number], 'at_ms'>;
const nothing: Spent = { calls: 0, retries: 0, cost_usd: 0, tokens: 0 };

interface SpendChartProps {
  readonly minutes: RunAnswer['minutes'];
  readonly spent: RunSpending | undefined;
}

/** Requests over time, those that were sent again apart, and what was billed: tokens where nothing has a price. */
export function SpendChart({ minutes, spent: all }: SpendChartProps) {
  if (minutes.length === 0 || !all) return null;
  const first = minutes[0]!.at_ms;
  const span = minutes.at(-1)!.at_ms - first + MINUTE_MS;
  const width = Math.max(MINUTE_MS, Math.ceil(span / MINUTE_MS / MAX_BARS) * MINUTE_MS);
  const bars = new Array<Spent>(Math.ceil(span / width)).fill(nothing);
  for (const minute of minutes) {
    const at = Math.floor((minute.at_ms - first) / width);
    bars[at] = sumOf([bars[at]!, minute]);
  }
  const total = sumOf(bars);
  const most = maxOf(bars.map(({ calls, retries }) => calls + retries));
  const hasPrice = total.cost_usd > 0;
  const spent = hasPrice ? 'cost_usd' : 'tokens';
  const amount = (value: number) => (hasPrice ? dollars(value) : `${count(value)} tokens`);
  const time = { axis: 'since the first', barWidth: width, wordsOf: duration };
  const seriesOf = (name: keyof Spent) => ({
    name: name === 'retries' ? 'sent again' : words(name),
    points: bars.map((bar, at): SeriesPoint => [at * width, bar[name]]),
  });
  return (
    <section>
      <h2>Requests and spending over time</h2>
      <div class="lines">
        <Chart
          title={`${count(total.calls + total.retries)} requests over ${duration(span)}, at most ${count(most)} in ${duration(width)}`}
          {...time}
          series={['calls', 'retries'].map((name) => seriesOf(name as keyof Spent))}
        />
        {total[spent] > 0 && (
          <Chart
            title={`${billedText(all)} in all, at most ${amount(maxOf(bars.map((bar) => bar[spent])))} in ${duration(width)}`}
            {...time}
            textOf={hasPrice ? dollars : undefined}
            series={[seriesOf(spent)]}
          />
        )}
      </div>
    </section>
  );
}

function sumOf(all: readonly Spent[]): Spent {
  const sum = (key: keyof Spent) => all.reduce((total, spent) => total + spent[key], 0);
  return { calls: sum('calls'), retries: sum('retries'), cost_usd: sum('cost_usd'), tokens: sum('tokens') };
}

function maxOf(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
