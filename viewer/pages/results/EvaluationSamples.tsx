import { useLocation } from 'preact-iso';
import type { EvaluationFile } from '../../../evaluation/records/evaluationFile.ts';
import type { SamplesAnswer } from '../../api.ts';
import { exported } from '../exported.ts';
import { InertText } from '../InertText.tsx';
import { useAnswer } from '../useAnswer.ts';
import { counted, words } from '../words.ts';

/** Samples of a page. */
const PAGE = 50;
const results = ['wrong', 'unscored', 'right'] as const;

interface SamplesProps {
  readonly name: string;
  readonly benchmark: string;
  readonly benchmarks: EvaluationFile['benchmarks'];
  readonly query: URLSearchParams;
}

/** Every sample of a benchmark by its result, to read. */
export function EvaluationSamples({ name, benchmark, benchmarks, query }: SamplesProps) {
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
