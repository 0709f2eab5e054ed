import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListedRun } from '../../operations/report/listedRuns.ts';
import { billedText } from '../../schemas/run/spending.ts';
import type { SourceAnswer, SourcesAnswer } from '../api.ts';
import { InertText } from './InertText.tsx';
import { useKeys, useListKeys } from './keys.ts';
import { Shell } from './Shell.tsx';
import { type Column, ScoreInterval, Table } from './Table.tsx';
import { useFollowed } from './useAnswer.ts';
import { ago, count, dollars, percent } from './words.ts';

export function RunsPage() {
  const { data, error } = useFollowed<SourcesAnswer>('/api/sources', ({ runs }) =>
    runs.some((run) => 'running' in run && run.running),
  );
  const others = data?.opened.filter(
    ({ kind, name }) =>
      kind === 'files' ||
      ![...data.runs.map(({ run }) => run), ...data.evaluations.map((one) => one.name)].includes(name),
  );
  useListKeys('main a');
  return (
    <Shell title="Runs" trail={[]} error={error}>
      {others && others.length > 0 && (
        <ul class="opened">
          {others.map(({ name, kind }) => (
            <li key={name}>
              <a href={pathOf[kind](encodeURIComponent(name))}>{name}</a>
            </li>
          ))}
        </ul>
      )}
      {data && data.runs.length === 0 && <p class="empty">No runs under {data.folder}/runs.</p>}
      {data && data.runs.length > 0 && <RunTable runs={data.runs} />}
      {data && data.evaluations.length > 0 && (
        <section>
          <h2>Evaluations</h2>
          <Table label="Evaluations" columns={evaluationColumns} rows={data.evaluations.flatMap(scoresOf)} />
        </section>
      )}
      {data && <p class="note">coa-distill {data.version}</p>}
    </Shell>
  );
}

const pathOf: Readonly<Record<SourceAnswer['kind'], (name: string) => string>> = {
  run: (name) => `/runs/${name}`,
  files: (name) => `/files/${name}/rows`,
  evaluation: (name) => `/evaluations/${name}`,
};

/** Benchmark of an evaluation, or the error of an unreadable one. */
type Scored = ReturnType<typeof scoresOf>[number];

function scoresOf(evaluation: SourcesAnswer['evaluations'][number]) {
  const { benchmarks } = evaluation;
  return (benchmarks.length > 0 ? benchmarks : [undefined]).map((scored) => ({ ...evaluation, scored }));
}

const evaluationColumns: readonly Column<Scored>[] = [
  ['Evaluation', ({ name }) => <a href={pathOf.evaluation(encodeURIComponent(name))}>{name}</a>],
  [
    'Benchmark',
    ({ error, scored }) =>
      scored ? <InertText text={scored.benchmark} /> : <span class="bad">{error}</span>,
  ],
  ['Model', ({ model }) => <InertText text={model} />],
  [
    'Score in percent',
    ({ scored }) => scored?.score && !scored.too_many_unscored && percent(scored.score.value),
    'number',
  ],
  ['95% interval', ({ scored }) => scored && <ScoreInterval {...scored} estimate={scored.score} />],
  ['Tasks', ({ scored }) => scored && count(scored.scored_tasks), 'number'],
  ['Cost', ({ scored }) => scored && dollars(scored.cost_usd), 'number'],
];

function RunTable({ runs }: Pick<SourcesAnswer, 'runs'>) {
  const { route } = useLocation();
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [a, b] = ticked;
  const compare = () => {
    if (a && b) route(`/compare?${new URLSearchParams({ a, b })}`);
  };
  // A third choice replaces the second.
  const tick = (name: string) =>
    setTicked(
      ticked.includes(name) ? ticked.filter((other) => other !== name) : [...ticked.slice(0, 1), name],
    );
  useKeys({ c: compare });
  const compareColumn: Column<Run> = [
    <span key="compare" class="hidden">
      Compare
    </span>,
    known(({ run }) => (
      <input
        type="checkbox"
        checked={ticked.includes(run)}
        onChange={() => tick(run)}
        aria-label={`Compare ${run}`}
      />
    )),
  ];
  return (
    <>
      <p class="toolbar">
        <button type="button" onClick={compare} disabled={!b}>
          {b ? `Compare ${a} with ${b}` : 'Tick two runs to compare them'}
        </button>
      </p>
      <Table label="Runs" columns={[...runColumns, compareColumn]} rows={runs} />
    </>
  );
}

type Run = SourcesAnswer['runs'][number];

/** A cell, empty for a damaged run. */
function known(cell: (run: ListedRun) => ComponentChildren): (run: Run) => ComponentChildren {
  return (run) => !('error' in run) && cell(run);
}

const runColumns: readonly Column<Run>[] = [
  ['Run', ({ run }) => <a href={`/runs/${encodeURIComponent(run)}`}>{run}</a>],
  ['State', (run) => ('error' in run ? <span class="bad">{run.error}</span> : <State run={run} />)],
  ['Model', known(({ models }) => <InertText text={models.join(', ')} />)],
  ['Kept', known(({ kept }) => count(kept)), 'number'],
  ['Spent', known(({ spent }) => spent.requests > 0 && billedText(spent))],
  ['Changed', known(({ changed_at_ms }) => ago(changed_at_ms))],
];

function State({ run: { run, running, state, share } }: { readonly run: ListedRun }) {
  if (!running) return <>{state}</>;
  return (
    <>
      <span class="running">{state}</span>
      {share !== null && <progress max={1} value={share} aria-label={`Rollouts of ${run} that have ended`} />}
    </>
  );
}
