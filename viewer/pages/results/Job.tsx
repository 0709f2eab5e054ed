import type { ReportJob } from '../../../schemas/report.ts';
import type { JobAnswer } from '../../api.ts';
import { Facts } from '../Facts.tsx';
import { count, counted, duration, moment, percentOf, words } from '../words.ts';

interface JobProps {
  readonly job: ReportJob & Partial<Pick<JobAnswer, 'isOpen' | 'checkpoints'>>;
}

/** How far a job is, and what its result is traced by. */
export function JobFacts({ job: { record, curve, checkpoints, isOpen } }: JobProps) {
  const { plan, attempts, versions, coa_distill_version } = record;
  const torn = checkpoints?.steps.filter((step) => !checkpoints.whole.includes(step));
  const { dataset } = plan;
  const programs = Object.entries({ 'coa-distill': coa_distill_version, ...versions });
  const facts: [string, string | undefined][] = [
    ['State', isOpen ? 'no end is known' : outcomeOf(record)],
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

const rlTitles = [
  ['reward', 'Reward'],
  ['pass_rate', 'Pass rate'],
  ['entropy', 'Entropy'],
  ['kl', 'KL'],
  ['length', 'Tokens of a response'],
  ['calls', 'Tool calls of a rollout'],
  ['failed', 'Failed rollouts'],
  ['unscored', 'Unscored rollouts'],
  ['mixed_groups', 'Mixed groups'],
] as const;

/** A job's figures by step. */
export function Curves({ job: { curve } }: JobProps) {
  const { steps, validation } = curve;
  if (steps.length + validation.length === 0) return <p class="empty">No step was logged so far.</p>;
  const lost = steps.filter(({ loss }) => loss === null).length;
  return (
    <section>
      <h2>Curves</h2>
      {lost > 0 && <p class="bad">The loss of {counted(lost, 'step')} is NaN.</p>}
      <div class="lines">
        <LineChart title="Loss" points={steps.map(({ step, loss }) => ({ step, value: loss }))} />
        <LineChart
          title="Validation loss"
          points={validation.map(({ step, loss }) => ({ step, value: loss }))}
        />
        {rlTitles.map(([name, title]) => (
          <LineChart
            key={name}
            title={title}
            points={steps.map(({ step, rl }) => ({ step, value: rl?.[name] }))}
          />
        ))}
        <LineChart
          title="Learning rate"
          points={steps.map(({ step, learning_rate }) => ({ step, value: learning_rate }))}
        />
      </div>
    </section>
  );
}

/** How a job's latest attempt ended, in words. */
export function outcomeOf({ attempts }: ReportJob['record']): string {
  const end = attempts.at(-1)?.end;
  if (!end) return 'no end is known';
  return end.cause === null ? end.outcome : `${end.outcome}: ${words(end.cause)}`;
}

const canvas = { width: 420, height: 140, left: 46, bottom: 18 };
/** Points that can be told apart; of a longer course every nth is drawn. */
const MAX_POINTS = 600;

interface LineChartProps {
  readonly title: string;
  readonly points: readonly { readonly step: number; readonly value: number | null | undefined }[];
}

/** A figure by step, with gaps where a step has none. Nothing where no step has one. */
function LineChart({ title, points }: LineChartProps) {
  const known = points.flatMap(({ step, value }) => (value == null ? [] : [{ step, value }]));
  if (known.length === 0) return null;
  const least = known.reduce((found, { value }) => Math.min(found, value), Number.POSITIVE_INFINITY);
  const most = known.reduce((found, { value }) => Math.max(found, value), Number.NEGATIVE_INFINITY);
  const [first, last] = [known[0]!.step, known.at(-1)!.step];
  const x = (step: number) =>
    canvas.left + ((step - first) / Math.max(1, last - first)) * (canvas.width - canvas.left - 6);
  const y = (value: number) =>
    canvas.height -
    canvas.bottom -
    ((value - least) / (most - least || 1)) * (canvas.height - canvas.bottom - 8);
  const every = Math.ceil(points.length / MAX_POINTS);
  const lines = unbroken(points.filter((_, at) => at % every === 0 || at === points.length - 1));
  const label = `${title}: ${figure(known[0]!.value)} at step ${count(first)}, ${figure(known.at(-1)!.value)} at step ${count(last)}`;
  return (
    <figure class="line">
      <figcaption>
        {title} <b>{figure(known.at(-1)!.value)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${canvas.width} ${canvas.height}`} role="img" aria-label={label}>
        {lines.map((line) => (
          <g key={line[0]!.step}>
            <polyline points={line.map(({ step, value }) => `${x(step)},${y(value)}`).join(' ')} />
            {line.length < 3 &&
              line.map(({ step, value }) => <circle key={step} cx={x(step)} cy={y(value)} r="3" />)}
          </g>
        ))}
        <text x="0" y="12">
          {figure(most)}
        </text>
        <text x="0" y={canvas.height - canvas.bottom}>
          {figure(least)}
        </text>
        <text x={canvas.left} y={canvas.height - 2}>
          {count(first)}
        </text>
        <text x={canvas.width - 4} y={canvas.height - 2} text-anchor="end">
          {count(last)}
        </text>
      </svg>
    </figure>
  );
}

/** The stretches between steps without a value. */
function unbroken(points: LineChartProps['points']): { step: number; value: number }[][] {
  const lines: { step: number; value: number }[][] = [[]];
  for (const { step, value } of points) {
    if (value == null) lines.push([]);
    else lines.at(-1)!.push({ step, value });
  }
  return lines.filter((line) => line.length > 0);
}

/** Four digits that count. */
function figure(value: number): string {
  return String(Number(value.toPrecision(4)));
}
