import type { ComponentChildren } from 'preact';
import type { BenchmarkResult, EstimateRecord, Scores } from '../../evaluation/records/evaluationFile.ts';
import { InertText } from './InertText.tsx';
import { percent } from './words.ts';

/** Heading, cell renderer, and whether cells are numbers. */
export type Column<T> = readonly [
  head: ComponentChildren,
  cell: (row: T) => ComponentChildren,
  kind?: 'number',
];

interface TableProps<T> {
  readonly label: string;
  /** The first column holds the row headings. */
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** Selected row, from 0. */
  readonly chosen?: number;
}

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

export type Fact = readonly [title: string, value: ComponentChildren | undefined];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([title, value]) =>
          value != null &&
          value !== false && (
            <div key={title}>
              <dt>
                <InertText text={title} />
              </dt>
              <dd>{typeof value === 'string' ? <InertText text={value} /> : value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

interface IntervalProps {
  readonly estimate: EstimateRecord;
  /** Ends of the scale. Default: 0 and 1. */
  readonly reach?: readonly [least: number, most: number];
}

/** A share with its interval, drawn and in percent. */
export function Interval({ estimate: { value, low, high }, reach: [least, most] = [0, 1] }: IntervalProps) {
  if (low === null || high === null) return <>not known</>;
  const x = (of: number) => (200 * (Math.min(most, Math.max(least, of)) - least)) / (most - least);
  return (
    <span class="interval">
      <svg viewBox="0 0 200 14" aria-hidden="true">
        <rect class="track" x="0" y="6" width="200" height="2" />
        {least < 0 && <rect class="track" x={x(0)} y="0" width="1" height="14" />}
        <rect class="bar" x={x(low)} y="3" width={Math.max(1, x(high) - x(low))} height="8" />
        <rect class="point" x={Math.max(0, x(value) - 1)} y="1" width="2" height="12" />
      </svg>{' '}
      {percent(low)} to {percent(high)}
    </span>
  );
}

type ScoreIntervalProps = Pick<BenchmarkResult, 'too_many_unscored'> &
  Pick<Scores, 'bounds'> & { readonly estimate: EstimateRecord | null };

/** A score's interval, or its bounds if too many samples are unscored. */
export function ScoreInterval({ too_many_unscored, bounds, estimate }: ScoreIntervalProps) {
  if (too_many_unscored)
    return (
      <span class="bad">
        too many unscored: between {percent(bounds.low)} and {percent(bounds.high)}
      </span>
    );
  return estimate && <Interval estimate={estimate} />;
}
