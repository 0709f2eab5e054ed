import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ListedRun, SourceAnswer, SourcesAnswer, UnreadableRun } from '../api.ts';
import { InertText } from './InertText.tsx';
import { useKeys, useListKeys } from './keys.ts';
import { Shell } from './Shell.tsx';
import { useAnswer } from './useAnswer.ts';
import { ago, count, dollars } from './words.ts';

/** How often runs that work are asked about. */
const LOOK_MS = 2_000;

/** Every run under `runs/`, and what the command line named. */
export function RunsPage() {
  const [looks, setLooks] = useState(0);
  const { data, error } = useAnswer<SourcesAnswer>('/api/sources', looks);
  const isRunning = data?.runs.some((run) => 'running' in run && run.running) === true;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setLooks((times) => times + 1), LOOK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const others = data?.opened.filter(
    ({ kind, name }) =>
      kind === 'files' || ![...data.runs.map(({ run }) => run), ...data.evaluations].includes(name),
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
          <ul>
            {data.evaluations.map((name) => (
              <li key={name}>
                <a href={pathOf.evaluation(encodeURIComponent(name))}>{name}</a>
              </li>
            ))}
          </ul>
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

function RunTable({ runs }: Pick<SourcesAnswer, 'runs'>) {
  const { route } = useLocation();
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const [a, b] = ticked;
  const compare = () => {
    if (a && b) route(`/compare?${new URLSearchParams({ a, b })}`);
  };
  // A third takes the place of the second.
  const tick = (name: string) =>
    setTicked(
      ticked.includes(name) ? ticked.filter((other) => other !== name) : [...ticked.slice(0, 1), name],
    );
  useKeys({ c: compare });
  return (
    <section class="scroll" tabIndex={0} aria-label="Runs">
      <p class="toolbar">
        <button type="button" onClick={compare} disabled={!b}>
          {b ? `Compare ${a} with ${b}` : 'Tick two runs to compare them'}
        </button>
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">Compare</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Model</th>
            <th scope="col" class="number">
              Kept
            </th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              Cost
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow
              key={run.run}
              run={run}
              isTicked={ticked.includes(run.run)}
              onTick={() => tick(run.run)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RunRowProps {
  readonly run: ListedRun | UnreadableRun;
  readonly isTicked: boolean;
  readonly onTick: () => void;
}

function RunRow({ run, isTicked, onTick }: RunRowProps) {
  if ('error' in run)
    return (
      <tr>
        <td />
        <th scope="row">
          <a href={`/runs/${encodeURIComponent(run.run)}`}>{run.run}</a>
        </th>
        <td colSpan={6} class="bad">
          {run.error}
        </td>
      </tr>
    );
  return (
    <tr>
      <td>
        <input type="checkbox" checked={isTicked} onChange={onTick} aria-label={`Compare ${run.run}`} />
      </td>
      <th scope="row">
        <a href={`/runs/${encodeURIComponent(run.run)}`}>{run.run}</a>
      </th>
      <td>
        {run.running ? <span class="running">{run.state}</span> : run.state}
        {run.running && run.share !== null && (
          <progress max={1} value={run.share} aria-label={`Rollouts of ${run.run} that have ended`} />
        )}
      </td>
      <td>
        <InertText text={run.models.join(', ')} />
      </td>
      <td class="number">{count(run.kept)}</td>
      <td class="number">{count(run.tokens)}</td>
      <td class="number">{run.cost_usd > 0 ? dollars(run.cost_usd) : ''}</td>
      <td>{ago(run.changed_at_ms)}</td>
    </tr>
  );
}
