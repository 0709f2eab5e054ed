import type { JobAnswer, ViewedJob } from '../../api.ts';
import { Facts } from '../Facts.tsx';
import { count, duration, moment, percentOf, words } from '../words.ts';

interface JobProps {
  readonly job: ViewedJob & Partial<Pick<JobAnswer, 'checkpoints'>>;
}

/** How far a job is, and what its result is traced by. */
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

/** Where a job is, or how its latest attempt ended, in words. */
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
