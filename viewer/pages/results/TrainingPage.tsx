import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { JobAnswer } from '../../api.ts';
import { InertText, Raw } from '../InertText.tsx';
import { useKeys, useListKeys } from '../keys.ts';
import { Shell } from '../Shell.tsx';
import { sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted } from '../words.ts';
import { Curves, JobFacts } from './Job.tsx';

/** How often a job that goes on is asked about. */
const LOOK_MS = 2_000;

/** A training job: its curves, checkpoints, what it printed, and what was played of reinforcement learning. */
export function TrainingPage() {
  const { name, job } = useRoute().params as { name: string; job: string };
  const { route } = useLocation();
  const [looks, setLooks] = useState(0);
  const { data, error } = useAnswer<JobAnswer>(`${sourcePath(name)}/jobs/${encodeURIComponent(job)}`, looks);
  const base = `/runs/${encodeURIComponent(name)}`;
  const isOpen = data?.isOpen === true;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setLooks((times) => times + 1), LOOK_MS);
    return () => clearInterval(timer);
  }, [isOpen]);
  useListKeys('main summary');
  useKeys({ u: () => route(`${base}/dataset`) });
  return (
    <Shell
      title={`Training: ${job}`}
      trail={[{ href: base, name }, { href: `${base}/dataset`, name: 'dataset' }, { name: job }]}
      run={name}
      isRunning={isOpen}
      error={error}
    >
      {data && (
        <>
          <JobFacts job={data} />
          <Curves job={data} />
          <Printed job={data} />
          <Rollouts rollouts={data.rollouts} />
          <details>
            <summary>Settings</summary>
            <Raw label="Settings of the job" text={JSON.stringify(data.record.plan, null, 1)} />
          </details>
        </>
      )}
    </Shell>
  );
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

function Rollouts({ rollouts }: Pick<JobAnswer, 'rollouts'>) {
  if (rollouts.length === 0) return null;
  return (
    <section>
      <h2>What was played</h2>
      {rollouts.map(({ step, rollouts: own }) => (
        <details key={step}>
          <summary>
            Step {count(step)}: the last {counted(own.length, 'rollout')}
          </summary>
          {own.map((rollout, at) => (
            <Raw
              key={at}
              label={`Rollout ${at + 1} of step ${step}`}
              text={JSON.stringify(rollout, null, 1)}
            />
          ))}
        </details>
      ))}
    </section>
  );
}
