import type { JobAnswer, RolloutsAnswer } from '../../api.ts';
import { OnDemand } from '../Foldable.tsx';
import { InertText, Raw } from '../InertText.tsx';
import { Pieces } from '../Pieces.tsx';
import { Legend } from '../Segments.tsx';
import { useAnswer } from '../useAnswer.ts';
import { count, words } from '../words.ts';

interface RolloutsProps {
  /** Steps that can be asked for, the last one first. */
  readonly steps: JobAnswer['rollout_steps'];
  /** The job's path at the server. */
  readonly path: string;
  /** Address of the run whose tasks are played. */
  readonly base: string;
}

/** What was played at the latest steps: who wrote what, and what each rollout is worth. */
export function Rollouts({ steps, path, base }: RolloutsProps) {
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>What was played</h2>
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
