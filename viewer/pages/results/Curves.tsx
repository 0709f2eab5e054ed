import { useState } from 'preact/hooks';
import type { JobCurve } from '../../api.ts';
import { Chart } from '../chart/Chart.tsx';
import type { Series } from '../chart/shapes.tsx';
import { counted, words } from '../words.ts';

/** A job's figures by its name. */
export interface NamedCurve {
  readonly name: string;
  readonly curve: JobCurve;
}

/** Titles of figures with their units, where the name alone does not say it. */
const titles: Readonly<Record<string, string>> = {
  loss: 'Loss (nats a token)',
  validation_loss: 'Validation loss (nats a token)',
  length: 'Tokens of a response',
  calls: 'Tool calls of a rollout',
  failed: 'Failed rollouts',
  unscored: 'Unscored rollouts',
  mixed_groups: 'Mixed groups (share of tasks)',
  pass_rate: 'Pass rate (share)',
  kl: 'KL (nats)',
  entropy: 'Entropy (nats)',
};

/** The figures of jobs by step, one job laid over the other; each stretch shows its least and its most too. */
export function Curves({ jobs }: { readonly jobs: readonly NamedCurve[] }) {
  const [isLog, setLog] = useState(false);
  const [smoothing, setSmoothing] = useState(0);
  const names = [...new Set(jobs.flatMap(({ curve }) => Object.keys(curve.lines)))];
  if (names.length === 0) return <p class="empty">No step was logged so far.</p>;
  return (
    <section>
      <h2>Curves</h2>
      {jobs.map(
        ({ name, curve: { lost_steps } }) =>
          lost_steps > 0 && (
            <p class="bad" key={name}>
              The loss of {counted(lost_steps, 'step')} is NaN{jobs.length > 1 && ` in ${name}`}.
            </p>
          ),
      )}
      <p class="toolbar">
        <label>
          <input type="checkbox" checked={isLog} onChange={() => setLog(!isLog)} /> logarithmic
        </label>
        <label>
          smoothing{' '}
          <input
            type="range"
            min={0}
            max={0.99}
            step={0.01}
            value={smoothing}
            onInput={({ currentTarget }) => setSmoothing(Number(currentTarget.value))}
          />{' '}
          {smoothing}
        </label>
      </p>
      <Legend names={jobs.map(({ name }) => name)} />
      <div class="lines">
        {names.map((figure) => (
          <Chart
            key={figure}
            title={titles[figure] ?? words(figure[0]!.toUpperCase() + figure.slice(1))}
            axis="step"
            series={seriesOf(jobs, figure)}
            isLog={isLog}
            smoothing={smoothing}
          />
        ))}
      </div>
    </section>
  );
}

function seriesOf(jobs: readonly NamedCurve[], figure: string): readonly Series[] {
  return jobs.map(({ name, curve }) => ({ name, points: curve.lines[figure] ?? [] }));
}

/** Which colour is whose, where there are several. */
export function Legend({ names }: { readonly names: readonly string[] }) {
  if (names.length < 2) return null;
  return (
    <p class="legend">
      {names.map((name, at) => (
        <span key={name} class={`key s${at % 5}`}>
          {name}
        </span>
      ))}
    </p>
  );
}
