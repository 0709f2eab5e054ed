import { useState } from 'preact/hooks';
import type { SeriesPoint } from '../../../base/statistics/reduceSeries.ts';
import type { JobAnswer, JobCurve, ViewedJob } from '../../api.ts';
import { Chart } from '../chart/Chart.tsx';
import { colourOf, type Series } from '../chart/shapes.tsx';
import { Facts } from '../Table.tsx';
import { count, counted, duration, moment, percentOf, words } from '../words.ts';

interface JobProps {
  readonly job: ViewedJob & Partial<Pick<JobAnswer, 'checkpoints'>>;
}

/** Progress of a job, and hashes that trace its result. */
export function JobFacts({ job }: JobProps) {
  const { record, curve, checkpoints } = job;
  const { plan, attempts, versions, coa_distill_version } = record;
  const torn = checkpoints?.steps.filter((step) => !checkpoints.whole.includes(step));
  const { dataset } = plan;
  const programs = Object.entries({ 'coa-distill': coa_distill_version, ...versions });
  const facts: [string, string | undefined][] = [
    ['State', stateOf(job)],
    ['Steps', `${count(curve.latest_step)} of ${count(curve.total_steps ?? plan.steps.total)}`],
    ['Time', curve.elapsed_ms === null ? undefined : duration(curve.elapsed_ms)],
    ['Trainer', `${plan.trainer} through ${plan.launcher}`],
    ['Model', plan.model],
    ['Rows', count(dataset.rows)],
    [
      'Trained tokens',
      `${count(dataset.trained_tokens)} of ${count(dataset.tokens)} (${percentOf(dataset.trained_tokens, dataset.tokens)})`,
    ],
    ['Batch', `${plan.batch.rows_per_step} rows a step`],
    ['Machines', `${plan.nodes} x ${plan.processes_per_node} processes`],
    ['Attempts', attempts.map(({ started_at }) => moment(started_at)).join(', ')],
    ['Checkpoints', checkpoints && (checkpoints.whole.map(count).join(', ') || 'none')],
    ['Checkpoints cut off', torn?.map(count).join(', ') || undefined],
    ['Data (SHA-256 of manifest.json)', dataset.manifest_sha256],
    ['Configuration of the run', record.config_hash],
    ['Preset', plan.preset === null ? undefined : `${plan.preset.name} (${plan.preset.source})`],
    ['Versions', programs.map(([name, version]) => `${name} ${version}`).join(', ')],
    ['Settings', JSON.stringify(plan.hyper_parameters)],
  ];
  return <Facts facts={facts} />;
}

/** State of a job, or end of its latest attempt. */
export function stateOf({ record, standing: { kind, note } }: ViewedJob): string {
  const { outcome, cause } = record.attempts.at(-1)?.end ?? { outcome: 'ended', cause: null };
  const state = {
    running: 'running',
    queued: 'queued',
    ended: outcome,
    gone: `its process is gone, and how it ended is not written down: coa-distill train status ${record.run}/${record.job}`,
    unknown: 'not known',
  }[kind];
  return [state, ...(cause === null ? [] : [words(cause)]), ...(note === '' ? [] : [note])].join(': ');
}

export interface NamedCurve {
  readonly name: string;
  readonly curve: JobCurve;
  /** Average tokens per step; null for reinforcement learning. */
  readonly tokensAStep: number | null;
}

export function namedCurve(name: string, { curve, record: { plan } }: ViewedJob): NamedCurve {
  const { dataset, batch, rl } = plan;
  return { name, curve, tokensAStep: rl ? null : (batch.rows_per_step * dataset.tokens) / dataset.rows };
}

interface Axis {
  readonly axis: string;
  /** Maps steps, in order, to axis positions; undefined if the job has none. */
  readonly placesOf: (job: NamedCurve) => ((step: number) => number) | undefined;
  readonly wordsOf?: (at: number) => string;
}

const axes: Readonly<Record<string, Axis>> = {
  steps: { axis: 'step', placesOf: () => (step) => step },
  tokens: {
    axis: 'tokens, by the mean of a row',
    placesOf: ({ tokensAStep }) => (tokensAStep === null ? undefined : (step) => step * tokensAStep),
    wordsOf: (tokens) => count(Math.round(tokens)),
  },
  time: {
    axis: 'time',
    placesOf: ({ curve: { elapsed } }) => (elapsed.length < 2 ? undefined : timesOf(elapsed)),
    wordsOf: duration,
  },
};

/** Times of steps, interpolated linearly. */
function timesOf(elapsed: readonly SeriesPoint[]): (step: number) => number {
  const known = elapsed.filter(([, ms]) => ms !== null);
  let at = 0;
  return (step) => {
    while (at < known.length - 2 && known[at + 1]![0] < step) at++;
    const [[from, fromMs], [to, toMs]] = [known[at]!, known[at + 1]!];
    return fromMs! + ((step - from) / (to - from)) * (toMs! - fromMs!);
  };
}

/** Titles of figures with an unclear name. */
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

export function Curves({ jobs }: { readonly jobs: readonly NamedCurve[] }) {
  const [isLog, setLog] = useState(false);
  const [smoothing, setSmoothing] = useState(0);
  const [over, setOver] = useState('steps');
  const known = Object.keys(axes).filter((name) => jobs.every(axes[name]!.placesOf));
  const { placesOf, ...axis } = axes[known.includes(over) ? over : 'steps']!;
  const names = [...new Set(jobs.flatMap(({ curve }) => Object.keys(curve.lines)))];
  if (names.length === 0) return <p class="empty">No steps logged yet.</p>;
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
        {known.length > 1 && (
          <label>
            over{' '}
            <select value={over} onChange={({ currentTarget }) => setOver(currentTarget.value)}>
              {known.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
      </p>
      <Legend names={jobs.map(({ name }) => name)} />
      <div class="lines">
        {names.map((figure) => (
          <Chart
            key={`${figure} ${axis.axis}`}
            title={titles[figure] ?? words(figure[0]!.toUpperCase() + figure.slice(1))}
            {...axis}
            series={seriesOf(jobs, figure, placesOf)}
            isLog={isLog}
            smoothing={smoothing}
          />
        ))}
      </div>
    </section>
  );
}

function seriesOf(
  jobs: readonly NamedCurve[],
  figure: string,
  placesOf: Axis['placesOf'],
): readonly Series[] {
  return jobs.map((job) => {
    const placeOf = placesOf(job)!;
    const points = job.curve.lines[figure] ?? [];
    return { name: job.name, points: points.map(([step, ...values]) => [placeOf(step), ...values]) };
  });
}

export function Legend({ names }: { readonly names: readonly string[] }) {
  if (names.length < 2) return null;
  return (
    <p class="legend">
      {names.map((name, at) => (
        <span key={name} class="key" style={colourOf(at)}>
          {name}
        </span>
      ))}
    </p>
  );
}
