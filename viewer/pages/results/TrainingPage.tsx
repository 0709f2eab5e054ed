import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { JobAnswer } from '../../api.ts';
import { outcomeOf } from '../DatasetPage.tsx';
import { Facts } from '../Facts.tsx';
import { InertText } from '../InertText.tsx';
import { useKeys, useListKeys } from '../keys.ts';
import { Shell } from '../Shell.tsx';
import { sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted, duration } from '../words.ts';
import { LineChart } from './LineChart.tsx';

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
            <pre class="raw" role="region" tabIndex={0} aria-label="Settings of the job">
              <InertText text={JSON.stringify(data.record.plan, null, 1)} />
            </pre>
          </details>
        </>
      )}
    </Shell>
  );
}

function JobFacts({ job: { record, curve, checkpoints, isOpen } }: { readonly job: JobAnswer }) {
  const { plan, attempts } = record;
  const torn = checkpoints.steps.filter((step) => !checkpoints.whole.includes(step));
  const facts: [string, string | undefined][] = [
    ['State', isOpen ? 'no end is known' : outcomeOf(record)],
    ['Steps', `${count(curve.latest_step)} of ${count(curve.total_steps ?? plan.steps.total)}`],
    ['Time', curve.elapsed_ms === null ? undefined : duration(curve.elapsed_ms)],
    ['Trainer', `${plan.trainer} through ${plan.launcher}`],
    ['Model', plan.model],
    ['Rows', count(plan.dataset.rows)],
    ['Trained tokens', `${count(plan.dataset.trained_tokens)} of ${count(plan.dataset.tokens)}`],
    ['Attempts', count(attempts.length)],
    ['Checkpoints', checkpoints.whole.map(count).join(', ') || 'none'],
    ['Checkpoints cut off', torn.map(count).join(', ') || undefined],
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

function Curves({ job: { curve } }: { readonly job: JobAnswer }) {
  const { steps, validation } = curve;
  if (steps.length + validation.length === 0) return <p class="empty">No step was logged so far.</p>;
  const lost = steps.filter(({ loss }) => loss === null).length;
  return (
    <section>
      <h2>Curves</h2>
      {lost > 0 && <p class="bad">The loss of {counted(lost, 'step')} is no number.</p>}
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
        <pre class="raw end" role="region" tabIndex={0} aria-label="The end of what the job printed">
          <InertText text={printed} />
        </pre>
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
            <pre
              key={at}
              class="raw"
              role="region"
              tabIndex={0}
              aria-label={`Rollout ${at + 1} of step ${step}`}
            >
              <InertText text={JSON.stringify(rollout, null, 1)} />
            </pre>
          ))}
        </details>
      ))}
    </section>
  );
}
