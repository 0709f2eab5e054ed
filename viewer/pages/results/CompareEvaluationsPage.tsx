import { useLocation } from 'preact-iso';
import type { CompareEvaluationsAnswer } from '../../api.ts';
import { InertText } from '../InertText.tsx';
import { useKeys } from '../keys.ts';
import { Shell } from '../Shell.tsx';
import { type Column, Interval, ScoreInterval, Table } from '../Table.tsx';
import { useAnswer } from '../useAnswer.ts';
import { count, dollars, percent } from '../words.ts';
import { CompareWith } from './EvaluationPage.tsx';

type Benchmark = CompareEvaluationsAnswer['benchmarks'][number];
type Compared = NonNullable<Benchmark['against'][number]> & { readonly name: string };

const columns: readonly Column<Compared>[] = [
  ['Benchmark', ({ benchmark }) => <InertText text={benchmark} />],
  ['First against', ({ name }) => <InertText text={name} />],
  ['Tasks of both', ({ tasks }) => count(tasks), 'number'],
  ['First better', ({ wins }) => count(wins), 'number'],
  ['Equal', ({ ties }) => count(ties), 'number'],
  ['Other better', ({ losses }) => count(losses), 'number'],
  ['Difference in points', ({ difference }) => difference && percent(difference.value), 'number'],
  ['95% interval', ({ difference }) => difference && <Interval estimate={difference} reach={[-1, 1]} />],
  ['p', ({ p }) => p?.toFixed(3), 'number'],
];

/** Entries with the names of their evaluations, without missing ones. */
function named<T extends object>(all: readonly (T | null)[], names: readonly string[]) {
  return all.flatMap((one, at) => (one ? [{ ...one, name: names[at]! }] : []));
}

type Side = NonNullable<Benchmark['sides'][number]> & { readonly name: string; readonly benchmark: string };

const sideColumns: readonly Column<Side>[] = [
  ['Evaluation', ({ name, benchmark }) => <InertText text={`${name}, ${benchmark}`} />],
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

export function CompareEvaluationsPage() {
  const { route } = useLocation();
  useKeys({ u: () => route('/') });
  const query = new URLSearchParams(location.search);
  const [a, others] = [query.get('a') ?? '', query.getAll('b')];
  const names = [a, ...others];
  const asked = new URLSearchParams([['a', a], ...others.map((b) => ['b', b])]);
  const path = others.length > 0 ? `/api/compare-evaluations?${asked}` : undefined;
  const { data: last, error, path: answered } = useAnswer<CompareEvaluationsAnswer>(path);
  // Only an answer to the current evaluations, in their order.
  const data = answered === path ? last : undefined;
  const benchmarks = data?.benchmarks ?? [];
  return (
    <Shell
      title={new Intl.ListFormat('en').format(names)}
      trail={[{ name: 'compare evaluations' }]}
      error={error}
    >
      <CompareWith name={a} others={others} />
      {data && (
        <>
          <Table
            label="Differences"
            columns={columns}
            rows={benchmarks.flatMap(({ against }) => named(against, others))}
          />
          <Table
            label="Score and use"
            columns={sideColumns}
            rows={benchmarks.flatMap(({ sides, benchmark }) =>
              named(sides, names).map((side) => ({ ...side, benchmark })),
            )}
          />
        </>
      )}
      {benchmarks.map(({ benchmark, differing }) => (
        <section key={benchmark}>
          <h2>Tasks that differ: {benchmark}</h2>
          {differing.length === 0 && <p class="empty">None.</p>}
          <ol>
            {differing.map((task) => (
              <Differing key={task.task_id} task={task} benchmark={benchmark} names={names} />
            ))}
          </ol>
        </section>
      ))}
    </Shell>
  );
}

interface DifferingProps {
  readonly task: Benchmark['differing'][number];
  readonly benchmark: string;
  readonly names: readonly string[];
}

function Differing({ task: { task_id, question, right }, benchmark, names }: DifferingProps) {
  return (
    <li>
      <InertText text={question.slice(0, 300)} />{' '}
      <small>
        right in{' '}
        {names.flatMap((name, at) => {
          const share = right[at];
          if (share == null) return [];
          const run = encodeURIComponent(`${name}/${benchmark}`);
          return [
            at > 0 && ', ',
            <a key={name} href={`/runs/${run}/records/${encodeURIComponent(task_id)}`}>
              {name}: {percent(share)}%
            </a>,
          ];
        })}
      </small>
    </li>
  );
}
