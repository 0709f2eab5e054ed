import { useState } from 'preact/hooks';
import type { ReportAnswer, RunAnswer } from '../../api.ts';
import { commandOf } from '../filter.ts';
import { InertText, OnDemand } from '../InertText.tsx';
import { Segments } from '../Segments.tsx';
import { type Column, Facts, Table } from '../Table.tsx';
import { exported, sourcePath, useAnswer } from '../useAnswer.ts';
import { count, counted, dollars, duration, percentOf, words } from '../words.ts';
import { Balance, Checker, OverTime, PassRates, Rollouts, Rows } from './RowSections.tsx';

/** Records read without a click: about a second of work. */
const MAX_READ = 1_000;

interface ReportProps {
  readonly run: RunAnswer;
  readonly base: string;
}

/** Report of a finished run; reads all its records. */
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

/** Sample trajectories, if the answer holds any. */
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

type RoleUse = ReportAnswer['roles'][number];

/** Bill by role; the sum is the run's figure. */
export function Roles({ roles: known, spent }: Pick<ReportAnswer, 'roles' | 'spent'>) {
  const roles = [...known, ...otherUse(known, spent)];
  if (roles.length === 0) return <p class="empty">No model was called.</p>;
  const sum = (of: (role: RoleUse) => number) => roles.reduce((total, role) => total + of(role), 0);
  const total: RoleUse = {
    role: 'all roles',
    calls: sum(({ calls }) => calls),
    prompt_tokens: sum(({ prompt_tokens }) => prompt_tokens),
    cached_tokens: sum(({ cached_tokens }) => cached_tokens),
    completion_tokens: sum(({ completion_tokens }) => completion_tokens),
    cost_usd: sum(({ cost_usd }) => cost_usd),
  };
  const isFree = total.cost_usd === 0;
  const size = (role: RoleUse) => (isFree ? role.prompt_tokens + role.completion_tokens : role.cost_usd);
  const columns: readonly Column<RoleUse>[] = [
    ['Role', ({ role, stage }) => (stage === undefined ? words(role) : `${words(role)} (${words(stage)})`)],
    ['Calls', ({ calls }) => count(calls), 'number'],
    ['Prompt tokens', ({ prompt_tokens }) => count(prompt_tokens), 'number'],
    ['Cached', ({ cached_tokens, prompt_tokens }) => percentOf(cached_tokens, prompt_tokens), 'number'],
    ['Completion tokens', ({ completion_tokens }) => count(completion_tokens), 'number'],
    ['Cost', ({ cost_usd }) => dollars(cost_usd), 'number'],
    [isFree ? 'Share of tokens' : 'Share of cost', (role) => percentOf(size(role), size(total)), 'number'],
  ];
  return (
    <section>
      <h2>Cost</h2>
      <Table label="Cost by role" columns={columns} rows={[...roles, total]} />
      {isFree && <p class="note">No price is configured for the endpoint, so cost is zero.</p>}
    </section>
  );
}

/** Other bills: embeddings, service fees, answers lost with a killed process. */
function otherUse(roles: readonly RoleUse[], spent: ReportAnswer['spent']): RoleUse[] {
  const left = (billed: number, of: (role: RoleUse) => number) =>
    roles.reduce((rest, role) => rest - of(role), billed);
  const prompt_tokens = Math.max(
    0,
    left(spent.tokens, (role) => role.prompt_tokens + role.completion_tokens),
  );
  const cost_usd = Math.max(
    0,
    left(spent.cost_usd, (role) => role.cost_usd),
  );
  const isNothing = prompt_tokens === 0 && cost_usd < 1e-9;
  const rest = { calls: 0, prompt_tokens, cached_tokens: 0, completion_tokens: 0, cost_usd };
  return isNothing ? [] : [{ role: 'other', ...rest }];
}

const timeOf = (ms: number | null) => (ms === null ? '–' : duration(ms));

const toolColumns: readonly Column<ReportAnswer['tools'][number]>[] = [
  ['Tool', ({ tool }) => <InertText text={tool} />],
  ['Calls', ({ calls }) => count(calls), 'number'],
  ['From the cache', ({ cached, calls }) => percentOf(cached, calls), 'number'],
  ['Failed', ({ failed }) => count(failed), 'number'],
  ['Median time', ({ p50_ms }) => timeOf(p50_ms), 'number'],
  ['99% within', ({ p99_ms }) => timeOf(p99_ms), 'number'],
];

/** Use of each tool; nothing without calls. */
export function Tools({ tools }: Pick<ReportAnswer, 'tools'>) {
  if (tools.length === 0) return null;
  return (
    <section>
      <h2>Tools</h2>
      <Table label="Calls by tool" columns={toolColumns} rows={tools} />
      <p class="note">
        A failed call has ended its task; what a tool says of a mistake is a result. Times are those of calls
        that the cache did not answer.
      </p>
    </section>
  );
}

interface ExamplesProps extends Pick<ReportAnswer, 'examples'> {
  readonly run: string;
  readonly base: string;
}

/** First drops and failures of each kind, with evidence. */
export function Examples({ examples, run, base }: ExamplesProps) {
  if (examples.length === 0) return <p class="empty">No record was dropped or failed.</p>;
  const kinds = Map.groupBy(examples, ({ stage, kind }) => `${stage}: ${words(kind)}`);
  return (
    <section>
      <h2>Drops and failures</h2>
      <p class="note">First examples of each kind.</p>
      {[...kinds].map(([title, own]) => {
        const filter = new URLSearchParams({ stage: own[0]!.stage, reason: own[0]!.kind });
        return (
          <details key={title}>
            <summary>{title}</summary>
            <p>
              {exported ? (
                <code>{commandOf(run, filter)}</code>
              ) : (
                <a href={`${base}/rows?${filter}`}>All of them</a>
              )}
            </p>
            <ul class="failures">
              {own.map(({ task_id, message }, at) => (
                <li key={at}>
                  <a href={`${base}/records/${encodeURIComponent(task_id)}`}>{task_id}</a>
                  <div class="quoted">
                    <InertText text={message} />
                  </div>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </section>
  );
}
