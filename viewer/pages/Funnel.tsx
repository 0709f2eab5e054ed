import type { RunStatus } from '../../operations/report/readStatus.ts';
import { count, counted, percentOf, words } from './words.ts';

type Stage = RunStatus['funnel'][number];

interface FunnelProps {
  readonly base: string;
  readonly funnel: readonly Stage[];
  /** True if tasks have several rollouts. */
  readonly hasRollouts: boolean;
}

/** Outcomes at each stage; each part links to its records. */
export function Funnel({ base, funnel, hasRollouts }: FunnelProps) {
  const most = Math.max(1, ...funnel.map(({ entered }) => entered));
  const unitAt = unitsOf(funnel, hasRollouts);
  return (
    <section>
      <h2>Stages</h2>
      <ol class="funnel">
        {funnel.map((stage, at) => (
          <StageRow
            key={stage.stage}
            base={base}
            stage={stage}
            later={funnel.slice(at + 1)}
            most={most}
            unit={unitAt(at)}
          />
        ))}
      </ol>
    </section>
  );
}

type Unit = 'task' | 'rollout' | 'document' | 'candidate';

function unitsOf(funnel: readonly Stage[], hasRollouts: boolean): (at: number) => Unit {
  const placeOf = (name: string) => funnel.findIndex(({ stage }) => stage === name);
  const [first, later, from]: readonly [Unit, Unit, number] =
    placeOf('seeds') === -1
      ? ['task', 'rollout', placeOf('rollout')]
      : ['document', 'candidate', placeOf('seeds')];
  const hasTwo = later === 'candidate' || hasRollouts;
  return (at) => (hasTwo && at >= from ? later : first);
}

interface StageRowProps {
  readonly base: string;
  readonly stage: Stage;
  readonly later: readonly Stage[];
  readonly most: number;
  readonly unit: Unit;
}

function StageRow({
  base,
  stage: { stage, entered, emitted, dropped, failed, complete },
  later,
  most,
  unit,
}: StageRowProps) {
  const list = (query: string[][]) => `${base}/rows?${new URLSearchParams(query)}`;
  const passed = later.length === 0 ? [['state', 'kept']] : later.map((row) => ['stage', row.stage]);
  const ends = (state: string, counts: Stage['dropped']) =>
    Object.entries(counts).map(([reason, times]) => ({
      state,
      reason,
      times,
      href: list([
        ['stage', stage],
        ['reason', reason],
      ]),
    }));
  const out = [...ends('dropped', dropped), ...ends('failed', failed)];
  const left = entered - emitted - out.reduce((sum, { times }) => sum + times, 0);
  const width = (times: number) => ({ width: `${(100 * times) / most}%` });
  return (
    <li>
      <div class="stage-name">
        <b>{stage}</b>{' '}
        <span>
          {counted(entered, unit)} in, {count(emitted)} out ({percentOf(emitted, entered)})
        </span>{' '}
        <span>{complete ? '' : left > 0 ? `${count(left)} pending` : 'under way'}</span>
      </div>
      <div class="bar">
        {emitted > 0 && (
          <a class="part passed" style={width(emitted)} href={list(passed)}>
            <span>{count(emitted)} passed</span>
          </a>
        )}
        {out.map(({ state, reason, times, href }) => (
          <a
            key={reason}
            class={`part ${state}`}
            style={width(times)}
            href={href}
            title={`${words(reason)}: ${count(times)}`}
          >
            <span class="hidden">
              {words(reason)}: {count(times)}
            </span>
          </a>
        ))}
      </div>
      {out.length > 0 && (
        <ul class="reasons">
          {out.map(({ state, reason, times, href }) => (
            <li key={reason}>
              <a href={href}>
                <span class={`dot ${state}`} aria-hidden="true" />
                {words(reason)} <b>{count(times)}</b>
                <small> {state}</small>
              </a>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
