import { useState } from 'preact/hooks';
import type { ReportAnswer, RunAnswer } from '../../api.ts';
import { exported } from '../exported.ts';
import { Facts } from '../Facts.tsx';
import { OnDemand } from '../Foldable.tsx';
import { commandOf } from '../filter.ts';
import { InertText } from '../InertText.tsx';
import { Segments } from '../Segments.tsx';
import { sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted, duration, words } from '../words.ts';
import { OverTime, PassRates } from './RateSections.tsx';
import { Balance, Checker, Rollouts, Rows } from './RowSections.tsx';
import { Examples, Roles, Tools } from './UseSections.tsx';

/** Records of a run that are read without being asked: a second of work. */
const MAX_READ = 1_000;

interface ReportProps {
  readonly run: RunAnswer;
  readonly base: string;
}

/** What the records of a run add up to, once it no longer works. All of them are read for it. */
export function Report({ run: { name, status, manifest, minutes }, base }: ReportProps) {
  const entered = status?.funnel[0]?.entered ?? 0;
  const [isAsked, setAsked] = useState(exported !== undefined || entered <= MAX_READ);
  const isRead = isAsked && !status?.running && entered > 0;
  const { data, error } = useAnswer<ReportAnswer>(isRead ? `${sourcePath(name)}/report` : undefined);
  if (!isAsked)
    return (
      <p>
        <button type="button" onClick={() => setAsked(true)}>
          Sum up {counted(entered, 'record')}
        </button>
      </p>
    );
  if (error) return <p class="error">{error}</p>;
  if (!data) return isRead ? <p class="empty">Reading the records …</p> : null;
  const tasks = status?.funnel.find(({ stage }) => stage === 'write')?.emitted;
  const isSynthesis = status?.funnel[0]?.stage === 'documents';
  return (
    <>
      <RunReport report={data} tasks={isSynthesis ? (tasks ?? 0) : undefined} />
      <Checker checker={data.checker} />
      <Balance table={data.balance} />
      {!isSynthesis && <Rows rows={data.rows} />}
      <Rollouts rates={manifest?.rollouts} notices={data.rollout_notices} />
      <PassRates groups={data.pass_groups} rates={manifest?.rollouts} />
      <OverTime minutes={data.over_time} spent={minutes} />
      <Roles roles={data.roles} spent={data.spent} />
      <Tools tools={data.tools} />
      <Examples examples={data.examples} run={name} base={base} />
      <Trajectories report={data} run={name} />
    </>
  );
}

interface RunReportProps {
  readonly report: ReportAnswer;
  /** Tasks that a synthesis kept; undefined for what keeps rows. */
  readonly tasks: number | undefined;
}

function RunReport({ report: { duration_ms, retries, target, rows }, tasks }: RunReportProps) {
  const held = target?.windows.findLast((window) => window.held)?.held ?? {};
  const causes = Object.entries(retries).map(([cause, times]) => `${count(times)} ${words(cause)}`);
  return (
    <Facts
      facts={[
        ['Worked for', duration_ms === null ? undefined : duration(duration_ms)],
        tasks === undefined
          ? ['Rows kept', count(rows.reduce((sum, own) => sum + own.rows, 0))]
          : ['Tasks kept', count(tasks)],
        ...Object.entries(target?.wanted ?? {}).map(([key, wanted]): [string, string] => [
          key === '*' ? 'Target' : `Target, ${key}`,
          `${count(held[key] ?? 0)} of ${count(wanted)} ${target?.unit} in ${counted(target!.windows.length, 'window')}`,
        ]),
        ['Sent again', causes.join(', ') || undefined],
      ]}
    />
  );
}

interface TrajectoriesProps {
  readonly report: ReportAnswer;
  readonly run: string;
}

/** The kept trajectories, what is trained told apart from what is not; only where the answer holds them. */
function Trajectories({ report: { samples, rows }, run }: TrajectoriesProps) {
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
  const { id, profile, question, answers } = sample.trajectory;
  const summary = (
    <>
      <b>{profile}</b> <InertText text={question} />
    </>
  );
  const draw = () => (
    <>
      <p class="note">
        {answers.length > 0 && <InertText text={`Gold answer: ${answers.join(' | ')} · `} />}
        <code>{id}</code>
      </p>
      <Segments record={sample} chosen={-1} isUnfolded={false} place={`${id}-`} />
    </>
  );
  return <OnDemand class="trajectory" summary={summary} isFirst={isFirst} draw={draw} />;
}
