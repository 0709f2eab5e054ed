import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { JobAnswer, JobsAnswer, RolloutsAnswer } from '../../api.ts';
import { InertText, OnDemand, Raw } from '../InertText.tsx';
import { ChooseOthers } from '../inputs.tsx';
import { useKeys, useListKeys } from '../keys.ts';
import { Legend, Pieces } from '../Segments.tsx';
import { Shell } from '../Shell.tsx';
import { fetchAnswer, sourcePath, useAnswer, useFollowed } from '../useAnswer.ts';
import { count, words } from '../words.ts';
import { Curves, JobFacts, type NamedCurve, namedCurve } from './Job.tsx';

export function TrainingPage() {
  const { name, job } = useRoute().params as { name: string; job: string };
  const { route } = useLocation();
  const own = `${name}/${job}`;
  const isOpen = (job: JobAnswer) => ['running', 'queued'].includes(job.standing.kind);
  const { data, error } = useFollowed(jobPath(own), isOpen);
  const base = `/runs/${encodeURIComponent(name)}`;
  const chosen = new URLSearchParams(location.search).getAll('with');
  const { others, failed } = useJobs(chosen);
  const choose = (names: readonly string[]) =>
    route(
      `${base}/training/${encodeURIComponent(job)}?${new URLSearchParams(names.map((one) => ['with', one]))}`,
      true,
    );
  useListKeys('main summary');
  useKeys({ u: () => route(`${base}/dataset`) });
  return (
    <Shell
      title={`Training: ${job}`}
      trail={[{ href: base, name }, { href: `${base}/dataset`, name: 'dataset' }, { name: job }]}
      run={name}
      isRunning={data?.standing.kind === 'running'}
      error={error}
    >
      {data && (
        <>
          <JobFacts job={data} />
          <Overlay own={own} chosen={chosen} onChoose={choose} />
          {failed && <p class="error">{failed}</p>}
          <Curves jobs={[namedCurve(own, data), ...others]} />
          <Printed job={data} />
          <Rollouts steps={data.rollout_steps} path={jobPath(own)} base={base} />
          <details>
            <summary>Settings</summary>
            <Raw label="Settings of the job" text={JSON.stringify(data.record.plan, null, 1)} />
          </details>
        </>
      )}
    </Shell>
  );
}

function useJobs(names: readonly string[]) {
  const [others, setOthers] = useState<readonly NamedCurve[]>([]);
  const [failed, setFailed] = useState<string>();
  const asked = names.join(' ');
  useEffect(() => {
    let isLeft = false;
    setFailed(undefined);
    Promise.all(names.map(curveOf)).then(
      (found) => isLeft || setOthers(found),
      (error: Error) => isLeft || setFailed(error.message),
    );
    return () => {
      isLeft = true;
    };
  }, [asked]);
  return { others, failed };
}

async function curveOf(name: string): Promise<NamedCurve> {
  return namedCurve(name, await fetchAnswer<JobAnswer>(jobPath(name)));
}

function jobPath(name: string): string {
  const at = name.lastIndexOf('/');
  return `${sourcePath(name.slice(0, at))}/jobs/${encodeURIComponent(name.slice(at + 1))}`;
}

interface OverlayProps {
  readonly own: string;
  readonly chosen: readonly string[];
  readonly onChoose: (names: readonly string[]) => void;
}

/** Chooses other jobs whose curves are overlaid. */
function Overlay({ own, ...choice }: OverlayProps) {
  const { data } = useAnswer<JobsAnswer>('/api/jobs');
  const names = data?.jobs.filter((name) => name !== own) ?? [];
  return <ChooseOthers label="Lay over" what="another job" names={names} {...choice} />;
}

function Printed({ job: { printed, lastWords } }: { readonly job: JobAnswer }) {
  return (
    <section>
      <h2>Log</h2>
      {lastWords && (
        <p class="bad">
          <InertText text={lastWords} />
        </p>
      )}
      {printed === '' ? (
        <p class="empty">Nothing was printed.</p>
      ) : (
        <Raw label="The end of what the job printed" text={printed} atEnd />
      )}
    </section>
  );
}

interface RolloutsProps {
  /** Available steps, latest first. */
  readonly steps: JobAnswer['rollout_steps'];
  readonly path: string;
  /** Address of the run that contains the tasks. */
  readonly base: string;
}

/** RL rollouts of the latest steps with their rewards. */
export function Rollouts({ steps, path, base }: RolloutsProps) {
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>Rollouts</h2>
      <Legend />
      {steps.map((step) => (
        <OnDemand
          key={step}
          summary={`The first rollouts of step ${count(step)}`}
          draw={() => <StepRollouts step={step} path={path} base={base} />}
        />
      ))}
    </section>
  );
}

function StepRollouts({ step, path, base }: Omit<RolloutsProps, 'steps'> & { readonly step: number }) {
  const { data, error } = useAnswer<RolloutsAnswer>(`${path}/rollouts/${step}`);
  if (error) return <p class="error">{error}</p>;
  return data?.rollouts.map((rollout, at) => (
    <Rollout key={at} rollout={rollout} name={`Rollout ${at + 1} of step ${step}`} base={base} />
  ));
}

interface RolloutProps {
  readonly rollout: RolloutsAnswer['rollouts'][number];
  readonly name: string;
  readonly base: string;
}

function Rollout({ rollout, name, base }: RolloutProps) {
  if ('raw' in rollout) return <Raw label={name} text={JSON.stringify(rollout.raw, null, 1)} />;
  const { task_id, segments, score, parts, end, question } = rollout;
  const worth = score === null ? 'no score' : `score ${score}`;
  const told = [
    worth,
    `ended by ${words(end)}`,
    ...Object.entries(parts).map(([part, value]) => `${words(part)} ${value ?? 'not known'}`),
  ];
  return (
    <details>
      <summary>
        {name}, {worth}: <InertText text={(question || task_id).slice(0, 300)} />
      </summary>
      <p>
        {told.join(' · ')} · <a href={`${base}/records/${encodeURIComponent(task_id)}`}>record of its task</a>
      </p>
      <Pieces
        pieces={segments.map(({ origin, text }) => ({
          look: origin === 'model' ? 'trained' : origin,
          text,
        }))}
      />
    </details>
  );
}
