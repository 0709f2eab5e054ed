import { useLocation, useRoute } from 'preact-iso';
import type {
  BenchmarkResult,
  EstimateRecord,
  EvaluationFile,
  Scores,
} from '../../../evaluation/records/evaluationFile.ts';
import { groupScores, scoreFigures } from '../../../evaluation/records/scoreFigures.ts';
import type { SamplesAnswer, SourcesAnswer } from '../../api.ts';
import { InertText } from '../InertText.tsx';
import { ChooseOthers } from '../inputs.tsx';
import { useKeys, useListKeys } from '../keys.ts';
import { PassAtK } from '../report/RowSections.tsx';
import { Shell } from '../Shell.tsx';
import { type Column, ScoreInterval, Table } from '../Table.tsx';
import { exported, useAnswer } from '../useAnswer.ts';
import { count, counted, dollars, percent, percentOf, words } from '../words.ts';

export function EvaluationPage() {
  const name = useRoute().params.name!;
  const { route } = useLocation();
  const { data, error } = useAnswer<EvaluationFile>(`/api/evaluations/${encodeURIComponent(name)}`);
  useListKeys('.samples a');
  useKeys({ u: () => route('/') });
  const query = new URLSearchParams(location.search);
  const benchmark = query.get('benchmark') ?? data?.benchmarks[0]?.name;
  return (
    <Shell title={name} trail={[{ name }]} error={error}>
      {data && (
        <p class="note">
          Player: <InertText text={`${data.player.model} (${data.player.backend})`} />
        </p>
      )}
      {data && !exported && <CompareWith name={name} />}
      {data && <ScoreTable benchmarks={data.benchmarks} />}
      <div class="lines">
        {data?.benchmarks.map(({ name: benchmark, all }) => (
          <PassAtK key={benchmark} byK={Object.entries(all.pass_at)} />
        ))}
      </div>
      {data?.benchmarks.map((result) => (
        <Behaviour key={result.name} result={result} />
      ))}
      {data && benchmark !== undefined && (
        <EvaluationSamples name={name} benchmark={benchmark} benchmarks={data.benchmarks} query={query} />
      )}
    </Shell>
  );
}

interface CompareWithProps {
  readonly name: string;
  readonly others?: readonly string[];
}

export function CompareWith({ name, others = [] }: CompareWithProps) {
  const { route } = useLocation();
  const { data } = useAnswer<SourcesAnswer>('/api/sources');
  const names = data?.evaluations.map((other) => other.name).filter((other) => other !== name) ?? [];
  const compare = (chosen: readonly string[]) =>
    route(
      chosen.length === 0
        ? `/evaluations/${encodeURIComponent(name)}`
        : `/compare-evaluations?${new URLSearchParams([['a', name], ...chosen.map((b) => ['b', b])])}`,
    );
  return (
    <ChooseOthers
      label="Compare with"
      what="another evaluation"
      names={names}
      chosen={others}
      onChoose={compare}
    />
  );
}

interface ScoreRow {
  readonly result: BenchmarkResult;
  readonly part: string;
  readonly scores: Scores;
  readonly figure: string;
  readonly estimate: EstimateRecord;
}

const scoreColumns: readonly Column<ScoreRow>[] = [
  ['Benchmark', ({ result: { name }, part }) => <InertText text={part === '' ? name : `${name}, ${part}`} />],
  ['Figure', ({ figure }) => figure],
  ['Percent', ({ result, estimate }) => !result.too_many_unscored && percent(estimate.value), 'number'],
  [
    '95% interval',
    ({ result, scores: { bounds }, estimate }) => (
      <ScoreInterval too_many_unscored={result.too_many_unscored} bounds={bounds} estimate={estimate} />
    ),
  ],
  ['Tasks', ({ scores }) => count(scores.scored_tasks), 'number'],
];

function ScoreTable({ benchmarks }: Pick<EvaluationFile, 'benchmarks'>) {
  const rows = benchmarks.flatMap((result) =>
    [['', result.all] as const, ...groupScores(result)].flatMap(([part, scores]) =>
      scoreFigures(scores).map(([figure, estimate]) => ({ result, part, scores, figure, estimate })),
    ),
  );
  return <Table label="Scores" columns={scoreColumns} rows={rows} />;
}

type Named<T> = readonly [name: string, figures: T];

const incidentColumns: readonly Column<Named<BenchmarkResult['incidents'][string]>>[] = [
  ['In its steps', ([name]) => <InertText text={words(name)} />],
  ['Samples', ([, { samples }]) => count(samples), 'number'],
  ['Times', ([, { times }]) => count(times), 'number'],
];

const roleColumns: readonly Column<Named<BenchmarkResult['use_by_role'][string]>>[] = [
  ['Role', ([role]) => words(role)],
  ['Calls', ([, { calls }]) => count(calls), 'number'],
  ['Tokens read', ([, { prompt_tokens }]) => count(prompt_tokens), 'number'],
  ['Tokens written', ([, { completion_tokens }]) => count(completion_tokens), 'number'],
  ['Cost', ([, { cost_usd }]) => dollars(cost_usd), 'number'],
];

const checkColumns: readonly Column<BenchmarkResult['double_check'][number]>[] = [
  ['First double check', ({ score }) => `${score} of 4`],
  ['Samples', ({ samples }) => count(samples), 'number'],
  ['Right', ({ samples, right }) => percentOf(right, samples), 'number'],
];

/** The player, unscored samples and behaviour. */
function Behaviour({ result }: { readonly result: BenchmarkResult }) {
  const { name, all, grammar, left_out, incidents, use_by_role, double_check } = result;
  const { samples, reasons, cost_usd, tasks } = all;
  const listed = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([reason, times]) => `${words(reason)} ${count(times)}`);
  const left = listed(left_out);
  const told = [
    `${count(tasks)} tasks, ${counted(result.samples_per_task, 'sample')} each`,
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
    `${count(samples.right)} right, ${count(samples.wrong)} wrong, ${count(samples.unscored)} unscored`,
    ...listed(reasons),
    `${count(grammar.kept)} of ${count(grammar.kept + grammar.broken)} judged trajectories keep the grammar`,
    ...(cost_usd > 0 ? [dollars(cost_usd)] : []),
  ];
  const roles = Object.entries(use_by_role);
  return (
    <section>
      <p class="note">
        <InertText text={`${name}: ${told.join('; ')}`} />
      </p>
      {Object.keys(incidents).length > 0 && (
        <Table label={`Steps of ${name}`} columns={incidentColumns} rows={Object.entries(incidents)} />
      )}
      {roles.length > 0 && (
        <Table label={`What each role of ${name} took`} columns={roleColumns} rows={roles} />
      )}
      {double_check.length > 0 && (
        <Table
          label={`Is the player right to be sure in ${name}?`}
          columns={checkColumns}
          rows={double_check}
        />
      )}
    </section>
  );
}

const PAGE = 50;
const results = ['wrong', 'unscored', 'right'] as const;

interface SamplesProps {
  readonly name: string;
  readonly benchmark: string;
  readonly benchmarks: EvaluationFile['benchmarks'];
  readonly query: URLSearchParams;
}

function EvaluationSamples({ name, benchmark, benchmarks, query }: SamplesProps) {
  const { route } = useLocation();
  const base = `/evaluations/${encodeURIComponent(name)}`;
  const result = query.get('result') ?? 'wrong';
  const from = Math.max(0, Number(query.get('from') ?? 0) || 0);
  const { data, error } = useAnswer<SamplesAnswer>(
    `/api${base}/${encodeURIComponent(benchmark)}/samples?${new URLSearchParams({ result, from: String(from) })}`,
  );
  const go = (changed: Record<string, string>) =>
    route(`${base}?${new URLSearchParams({ benchmark, result, ...changed })}`);
  const run = `/runs/${encodeURIComponent(`${name}/${benchmark}`)}`;
  return (
    <section>
      <h2>Samples</h2>
      <p class="toolbar">
        <label>
          Benchmark{' '}
          <select value={benchmark} onChange={({ currentTarget }) => go({ benchmark: currentTarget.value })}>
            {benchmarks.map((other) => (
              <option key={other.name} value={other.name}>
                {other.name}
              </option>
            ))}
          </select>
        </label>
        {results.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={kind === result}
            onClick={() => go({ result: kind })}
          >
            {kind}
          </button>
        ))}
        <a href={run}>Its run</a>
      </p>
      {error && <p class="error">{error}</p>}
      <p class="found" role="status">
        {data && counted(data.found, 'sample')}
      </p>
      <ol class="samples" start={from + 1}>
        {data?.samples.map((sample) => (
          <li key={`${sample.task_id} ${sample.sample}`}>
            <a
              href={`${run}/records/${encodeURIComponent(sample.task_id + (sample.sample > 0 ? `#${sample.sample}` : ''))}`}
            >
              <InertText text={sample.question.slice(0, 300)} />
            </a>
            <div class="quoted">
              {sample.answer === null ? (
                words(sample.reason ?? 'no answer')
              ) : (
                <InertText text={sample.answer.slice(0, 600)} />
              )}
              {' · expected '}
              <InertText text={sample.answers.join(' | ').slice(0, 600)} />
            </div>
          </li>
        ))}
      </ol>
      {data && data.found > PAGE && !exported && (
        <p class="parts">
          <button type="button" disabled={from === 0} onClick={() => go({ from: String(from - PAGE) })}>
            Earlier
          </button>
          <button
            type="button"
            disabled={from + PAGE >= data.found}
            onClick={() => go({ from: String(from + PAGE) })}
          >
            Later
          </button>
        </p>
      )}
    </section>
  );
}
