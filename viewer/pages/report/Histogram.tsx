import type { ValueCounts } from '../../../schemas/report.ts';
import { Bars } from '../Bars.tsx';
import { count } from '../words.ts';
import { binsOf } from './valueCounts.ts';

interface HistogramProps {
  readonly title: string;
  readonly values: ValueCounts;
  /** What has the values. */
  readonly of: string;
}

/** How often whole numbers occur. */
export function Histogram({ title, values, of }: HistogramProps) {
  const bins = binsOf(values).map(({ from, to, times }) => ({
    from,
    text: `${to - from === 1 ? count(from) : `${count(from)}–${count(to - 1)}`}: ${count(times)}`,
    times,
  }));
  return (
    <Bars
      caption={title}
      label={`${title}: ${bins.map(({ text }) => text).join(', ')}`}
      bars={bins.map(({ from, text, times }, at) => ({
        parts: { calls: times },
        tick: at % 2 === 0 ? count(from) : undefined,
        title: `${text} ${of}`,
      }))}
    />
  );
}
