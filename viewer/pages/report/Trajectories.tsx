import { useState } from 'preact/hooks';
import type { ReportAnswer } from '../../answers.ts';
import { commandOf } from '../filter.ts';
import { InertText } from '../InertText.tsx';
import { Segments } from '../Segments.tsx';
import { count, counted } from '../words.ts';

interface TrajectoriesProps {
  readonly report: ReportAnswer;
  readonly run: string;
}

/** The kept trajectories, what is trained told apart from what is not; only where the answer holds them. */
export function Trajectories({ report: { samples, rows }, run }: TrajectoriesProps) {
  if (samples.length === 0) return null;
  const all = rows.reduce((sum, own) => sum + own.rows, 0);
  return (
    <section>
      <h2>Trajectories</h2>
      <p class="note">
        {samples.length < all
          ? `${count(samples.length)} of ${counted(all, 'row')}.`
          : `All ${count(all)} rows.`}{' '}
        Each with its tokens and how it came about: <code>{commandOf(run)} --open</code>
      </p>
      {samples.map((sample, at) => (
        <Trajectory key={sample.trajectory.id} sample={sample} isFirst={at === 0} />
      ))}
    </section>
  );
}

interface TrajectoryProps {
  readonly sample: ReportAnswer['samples'][number];
  readonly isFirst: boolean;
}

function Trajectory({ sample, isFirst }: TrajectoryProps) {
  const [isOpen, setOpen] = useState(isFirst);
  const { id, profile, question, answers } = sample.trajectory;
  return (
    <details class="trajectory" open={isFirst} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <b>{profile}</b> <InertText text={question} />
      </summary>
      {isOpen && (
        <>
          <p class="note">
            {answers.length > 0 && <InertText text={`Gold answer: ${answers.join(' | ')} · `} />}
            <code>{id}</code>
          </p>
          <Segments record={sample} chosen={-1} isUnfolded={false} place={`${id}-`} />
        </>
      )}
    </details>
  );
}
