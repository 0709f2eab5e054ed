import { billedText, type RunSpending } from '../../schemas/run/spending.ts';
import type { SpendMinute } from '../api.ts';
import { Bars } from './Bars.tsx';
import { count, dollars, duration } from './words.ts';

/** Bars that can be told apart; a longer run has several minutes a bar. */
const MAX_BARS = 100;
/** Bars that there is room for at least: those of a short run are no broader. */
const MIN_BARS = 12;
const MINUTE_MS = 60_000;

type Spent = Omit<SpendMinute, 'at_ms'>;
const nothing: Spent = { calls: 0, retries: 0, cost_usd: 0, tokens: 0 };

interface SpendChartProps {
  readonly minutes: readonly SpendMinute[];
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
  const most = Math.max(...bars.map(({ calls, retries }) => calls + retries));
  const hasPrice = total.cost_usd > 0;
  const spent = bars.map(({ cost_usd, tokens }) => (hasPrice ? cost_usd : tokens));
  const amount = (value: number) => (hasPrice ? dollars(value) : `${count(value)} tokens`);
  return (
    <section>
      <h2>Requests and spending over time</h2>
      <Bars
        caption={`${count(total.calls + total.retries)} requests over ${duration(span)}, at most ${count(most)} in ${duration(width)}`}
        bars={bars.map(({ calls, retries }) => ({ parts: { calls, retries } }))}
        room={MIN_BARS}
      />
      <Bars
        caption={`${billedText(all)} in all, at most ${amount(Math.max(...spent))} in ${duration(width)}`}
        bars={spent.map((value) => ({ parts: { spent: value } }))}
        room={MIN_BARS}
      />
    </section>
  );
}

function sumOf(all: readonly Spent[]): Spent {
  const sum = (key: keyof Spent) => all.reduce((total, spent) => total + spent[key], 0);
  return { calls: sum('calls'), retries: sum('retries'), cost_usd: sum('cost_usd'), tokens: sum('tokens') };
}
