import type { JobAnswer, ShownRollout } from '../../api.ts';
import { InertText, Raw } from '../InertText.tsx';
import { Pieces } from '../Pieces.tsx';
import { Legend } from '../Segments.tsx';
import { count, counted, words } from '../words.ts';

interface RolloutsProps extends Pick<JobAnswer, 'rollouts'> {
  /** Address of the run whose tasks are played. */
  readonly base: string;
}

/** What was played at the latest steps: who wrote what, and what each rollout is worth. */
export function Rollouts({ rollouts, base }: RolloutsProps) {
  if (rollouts.length === 0) return null;
  return (
    <section>
      <h2>What was played</h2>
      <Legend />
      {rollouts.map(({ step, rollouts: own }) => (
        <details key={step}>
          <summary>
            Step {count(step)}: the first {counted(own.length, 'rollout')}
          </summary>
          {own.map((rollout, at) => (
            <Rollout key={at} rollout={rollout} name={`Rollout ${at + 1} of step ${step}`} base={base} />
          ))}
        </details>
      ))}
    </section>
  );
}

interface RolloutProps {
  readonly rollout: ShownRollout;
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
