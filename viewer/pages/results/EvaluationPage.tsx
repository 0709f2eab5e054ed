import { useLocation, useRoute } from 'preact-iso';
import { groupScores, scoreFigures } from '../../../schemas/evaluation/scoreFigures.ts';
import type { BenchmarkResult, EstimateRecord, EvaluationFile, SamplesAnswer } from '../../api.ts';
import { InertText } from '../InertText.tsx';
import { useKeys, useListKeys } from '../keys.ts';
import { Shell } from '../Shell.tsx';
import { useAnswer } from '../useAnswer.ts';
import { count, counted, dollars, percent, words } from '../words.ts';

/** Samples of a page. */
const PAGE = 50;
const results = ['wrong', 'unscored', 'right'] as const;

/** An evaluation: scores with their intervals, why samples have none, and every sample to read. */
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
      {data && <ScoreTable benchmarks={data.benchmarks} />}
      {data?.benchmarks.map((result) => (
        <Behaviour key={result.name} result={result} />
      ))}
      {data && benchmark !== undefined && (
        <Samples name={name} benchmark={benchmark} benchmarks={data.benchmarks} query={query} />
      )}
    </Shell>
  );
}

function ScoreTable({ benchmarks }: Pick<EvaluationFile, 'benchmarks'>) {
  return (
    <section class="scroll" tabIndex={0} aria-label="Scores">
      <table>
        <thead>
          <tr>
            <th scope="col">Benchmark</th>
            <th scope="col">Figure</th>
            <th scope="col" class="number">
              Percent
            </th>
            <th scope="col">95% interval</th>
            <th scope="col" class="number">
              Tasks
            </th>
          </tr>
        </thead>
        <tbody>
          {benchmarks.flatMap((result) =>
            [['', result.all] as const, ...groupScores(result)].flatMap(([part, scores]) =>
              scoreFigures(scores).map(([figure, estimate]) => (
                <tr key={`${result.name} ${part} ${figure}`}>
                  <th scope="row">
                    <InertText text={part === '' ? result.name : `${result.name}, ${part}`} />
                  </th>
                  <td>{figure}</td>
                  <td class="number">{result.too_many_unscored ? '' : percent(estimate.value)}</td>
                  <td>
                    {result.too_many_unscored ? (
                      <span class="bad">
                        too many unscored: between {percent(scores.bounds.low)} and{' '}
                        {percent(scores.bounds.high)}
                      </span>
                    ) : (
                      <Interval estimate={estimate} />
                    )}
                  </td>
                  <td class="number">{count(scores.scored_tasks)}</td>
                </tr>
              )),
            ),
          )}
        </tbody>
      </table>
    </section>
  );
}

/** A share on a line from 0 to 100 percent, with its interval as a bar. */
function Interval({ estimate: { value, low, high } }: { readonly estimate: EstimateRecord }) {
  if (low === null || high === null) return <>not known</>;
  const x = (of: number) => 200 * Math.min(1, Math.max(0, of));
  return (
    <span class="interval">
      <svg viewBox="0 0 200 14" aria-hidden="true">
        <rect class="track" x="0" y="6" width="200" height="2" />
        <rect class="bar" x={x(low)} y="3" width={Math.max(1, x(high) - x(low))} height="8" />
        <rect class="point" x={Math.max(0, x(value) - 1)} y="1" width="2" height="12" />
      </svg>{' '}
      {percent(low)} to {percent(high)}
    </span>
  );
}

function Behaviour({ result: { name, all, grammar, incidents } }: { readonly result: BenchmarkResult }) {
  const { samples, reasons, cost_usd } = all;
  const told = [
    `${count(samples.right)} right, ${count(samples.wrong)} wrong, ${count(samples.unscored)} unscored`,
    ...Object.entries(reasons).map(([reason, times]) => `${words(reason)} ${count(times)}`),
    ...(grammar.broken > 0 ? [`${count(grammar.broken)} break the grammar`] : []),
    ...Object.entries(incidents).map(([incident, { times }]) => `${words(incident)} ${count(times)}`),
    ...(cost_usd > 0 ? [dollars(cost_usd)] : []),
  ];
  return (
    <p class="note">
      <InertText text={`${name}: ${told.join('; ')}`} />
    </p>
  );
}

interface SamplesProps {
  readonly name: string;
  readonly benchmark: string;
  readonly benchmarks: EvaluationFile['benchmarks'];
  readonly query: URLSearchParams;
}

function Samples({ name, benchmark, benchmarks, query }: SamplesProps) {
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
      {data && data.found > PAGE && (
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
