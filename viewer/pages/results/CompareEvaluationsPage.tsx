import { useLocation } from 'preact-iso';
import type { CompareEvaluationsAnswer } from '../../answers.ts';
import { InertText } from '../InertText.tsx';
import { Interval, ScoreInterval } from '../Interval.tsx';
import { useKeys } from '../keys.ts';
import { Shell } from '../Shell.tsx';
import { type Column, Table } from '../Table.tsx';
import { useAnswer } from '../useAnswer.ts';
import { count, dollars, percent } from '../words.ts';

type Compared = CompareEvaluationsAnswer['benchmarks'][number];

const columns: readonly Column<Compared>[] = [
  ['Benchmark', ({ benchmark }) => <InertText text={benchmark} />],
  ['Tasks of both', ({ tasks }) => count(tasks), 'number'],
  ['First better', ({ wins }) => count(wins), 'number'],
  ['Equal', ({ ties }) => count(ties), 'number'],
  ['Second better', ({ losses }) => count(losses), 'number'],
  ['Difference in points', ({ difference }) => difference && percent(difference.value), 'number'],
  ['95% interval', ({ difference }) => difference && <Interval estimate={difference} reach={[-1, 1]} />],
  ['p', ({ p }) => p?.toFixed(3), 'number'],
];

const sidesOf =
  (names: readonly string[]) =>
  ({ benchmark, sides }: Compared) =>
    sides.map((one, at) => ({ ...one, name: `${names[at]}, ${benchmark}` }));

const sideColumns: readonly Column<ReturnType<ReturnType<typeof sidesOf>>[number]>[] = [
  ['Evaluation', ({ name }) => <InertText text={name} />],
  [
    'Score in percent',
    ({ score, too_many_unscored }) => score && !too_many_unscored && percent(score.value),
    'number',
  ],
  ['95% interval', ({ score, ...of }) => <ScoreInterval {...of} estimate={score} />],
  ['Calls', ({ use }) => use && count(use.calls), 'number'],
  ['Tokens read', ({ use }) => use && count(use.prompt_tokens), 'number'],
  ['Tokens written', ({ use }) => use && count(use.completion_tokens), 'number'],
  ['Cost', ({ use }) => use && dollars(use.cost_usd), 'number'],
];

/** Two evaluations task by task: wins, losses, the difference with its interval, and the tasks that differ. */
export function CompareEvaluationsPage() {
  const { route } = useLocation();
  useKeys({ u: () => route('/') });
  const query = new URLSearchParams(location.search);
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  const path = `/api/compare-evaluations?${new URLSearchParams({ a, b })}`;
  const { data, error } = useAnswer<CompareEvaluationsAnswer>(path);
  return (
    <Shell title={`${a} and ${b}`} trail={[{ name: 'compare evaluations' }]} error={error}>
      {data && <Table label="Differences" columns={columns} rows={data.benchmarks} />}
      {data && (
        <Table label="Score and use" columns={sideColumns} rows={data.benchmarks.flatMap(sidesOf([a, b]))} />
      )}
      {data?.benchmarks.map(({ benchmark, differing }) => (
        <section key={benchmark}>
          <h2>Tasks that differ: {benchmark}</h2>
          {differing.length === 0 && <p class="empty">None.</p>}
          <ol>
            {differing.map(({ task_id, question, was, now }) => (
              <li key={task_id}>
                <InertText text={question.slice(0, 300)} />{' '}
                <small>
                  right in{' '}
                  {[a, b].map((name, at) => (
                    <a
                      key={name}
                      href={`/runs/${encodeURIComponent(`${name}/${benchmark}`)}/records/${encodeURIComponent(task_id)}`}
                    >
                      {name}: {percent(at === 0 ? was : now)}%{at === 0 && ', '}
                    </a>
                  ))}
                </small>
              </li>
            ))}
          </ol>
        </section>
      ))}
    </Shell>
  );
}
