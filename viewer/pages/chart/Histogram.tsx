import type { Histogram as Bins } from '../../index/queryRows.ts';
import { count } from '../words.ts';
import { Chart } from './Chart.tsx';

interface HistogramProps {
  readonly title: string;
  readonly bins: Bins;
  /** What has the values. */
  readonly of: string;
}

/** How often whole numbers occur. */
export function Histogram({ title, bins: { from, width, counts }, of }: HistogramProps) {
  return (
    <Chart
      title={`${title} (${of})`}
      axis={title}
      barWidth={width}
      series={[{ name: of, points: counts.map((times, at) => [from + at * width, times]) }]}
      wordsOf={(at) => (width === 1 ? count(at) : `${count(at)}–${count(at + width - 1)}`)}
      tickOf={count}
    />
  );
}
