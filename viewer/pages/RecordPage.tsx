import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { groundingText, unsupportedText } from '../../schemas/groundingText.ts';
import type { RecordAnswer, RowAnswer, WindowAnswer } from '../api.ts';
import { filterOf } from './filter.ts';
import { InertText } from './InertText.tsx';
import { useKeys } from './keys.ts';
import { withPlace } from './RecordsTable.tsx';
import { Rendered } from './Rendered.tsx';
import { siblingName } from './RolloutDiff.tsx';
import { useCopy } from './RowsPage.tsx';
import { Segments } from './Segments.tsx';
import { Shell } from './Shell.tsx';
import { type StoryTab, StoryTabs } from './StoryTabs.tsx';
import { Facts } from './Table.tsx';
import { TokensView } from './TokensView.tsx';
import { exported, fetchAnswer, sourcePath, useAnswer, useLive } from './useAnswer.ts';
import { count, counted, dollars, duration, percentOf, words } from './words.ts';

export function RecordPage() {
  const { params } = useRoute();
  const { kind, name, id } = params as { kind: string; name: string; id: string };
  const { route } = useLocation();
  const query = new URLSearchParams(location.search);
  const base = `/${kind}/${encodeURIComponent(name)}`;
  const path = `${sourcePath(name)}/records/${encodeURIComponent(id)}`;
  // Updates from a running run or a growing index.
  const live = useLive(name);
  const { data, error } = useAnswer<RecordAnswer>(path, live?.revision);
  const [asTokens, setTokens] = useState(false);
  const [unfolded, setUnfolded] = useState(false);
  const [chosen, setChosen] = useState(-1);
  // Opens the reason first for dropped records.
  const [openTab, setTab] = useState<StoryTab>();
  const tab = openTab ?? (data?.trace && data.state === 'kept' ? 'conversation' : 'why');
  const [copied, copy] = useCopy(id);
  const list = `${base}/rows${filterOf(query).size > 0 ? `?${filterOf(query)}` : ''}`;
  // Uses the URL, since keys arrive faster than pages render.
  const neighbour = (step: number) => async () => {
    const next = await neighbourOf(name, new URLSearchParams(location.search), step);
    if (next) route(`${base}/records/${next}`);
  };
  const select = (segment: number) => {
    const last = (data?.trajectory?.segments.length ?? 0) - 1;
    const next = Math.min(last, Math.max(0, segment));
    setChosen(next);
    document.getElementById(`segment-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const showEvent = (event: string) => {
    setTab('conversation');
    requestAnimationFrame(() => reveal(`event-${event}`));
  };
  const showSegment = (event: string) => {
    setTokens(false);
    const at = data?.trajectory?.segments.findIndex((segment) => segment.event === event) ?? -1;
    if (at >= 0) requestAnimationFrame(() => select(at));
  };
  useKeys({
    n: neighbour(1),
    p: neighbour(-1),
    j: () => select(chosen + 1),
    k: () => select(chosen - 1),
    t: () => setTokens(!asTokens),
    o: () => setUnfolded(!unfolded),
    u: () => route(list),
    y: copy,
  });
  return (
    <Shell
      title={data?.profile ? `${words(data.profile)} record` : 'Record'}
      trail={[
        kind === 'runs' ? { href: base, name } : { name },
        { href: list, name: 'records' },
        { name: id },
      ]}
      run={kind === 'runs' ? name : undefined}
      progress={live?.progress}
      error={error}
      isWide
    >
      {data && (
        <>
          <Summary record={data} base={base} />
          <p class="toolbar">
            <button type="button" onClick={neighbour(-1)} disabled={!query.has('at')}>
              Previous
            </button>
            <button type="button" onClick={neighbour(1)} disabled={!query.has('at')}>
              Next
            </button>
            <button
              type="button"
              aria-pressed={asTokens}
              onClick={() => setTokens(!asTokens)}
              disabled={!data.trajectory || (exported && !(`${path}/tokens` in exported.answers))}
            >
              Tokens
            </button>
            <button type="button" aria-pressed={unfolded} onClick={() => setUnfolded(!unfolded)}>
              Unfold observations
            </button>
            <button type="button" onClick={copy}>
              {copied ? 'Copied' : 'Copy id'}
            </button>
          </p>
          <div class="record">
            <Outline record={data} chosen={chosen} onSegment={select} />
            <section aria-label="Trajectory">
              {asTokens && <TokensView path={path} formats={data.formats} />}
              {data.foreign !== null && <Rendered text={data.foreign} />}
              {!asTokens && data.foreign === null && (
                <Segments record={data} chosen={chosen} isUnfolded={unfolded} onEvent={showEvent} />
              )}
            </section>
            <StoryTabs
              record={data}
              base={base}
              records={`${sourcePath(name)}/records`}
              tab={tab}
              onTab={setTab}
              isUnfolded={unfolded}
              onSegment={showSegment}
              onEvent={showEvent}
            />
          </div>
        </>
      )}
    </Shell>
  );
}

function reveal(elementId: string): void {
  const element = document.getElementById(elementId);
  element?.scrollIntoView({ block: 'start' });
  element?.focus({ preventScroll: true });
}

/** Address of the previous or next record in the list; undefined at its ends. */
async function neighbourOf(name: string, query: URLSearchParams, step: number): Promise<string | undefined> {
  const at = Number(query.get('at') ?? Number.NaN) + step;
  if (!(at >= 0)) return undefined;
  const filter = filterOf(query);
  const { rows } = await fetchAnswer<WindowAnswer>(`${sourcePath(name)}/window?${filter}&from=${at}&count=1`);
  return rows[0] && `${encodeURIComponent(rows[0].key)}?${withPlace(filter, at)}`;
}

interface OutlineProps {
  readonly record: Pick<RecordAnswer, 'trajectory' | 'weights'>;
  /** Selected segment; -1 for none. */
  readonly chosen: number;
  readonly onSegment: (segment: number) => void;
}

/** Tags and lengths of the segments, as buttons that scroll to them. */
function Outline({ record: { trajectory, weights }, chosen, onSegment }: OutlineProps) {
  if (!trajectory) return null;
  return (
    <nav class="outline" aria-label="Segments">
      <ol>
        {trajectory.segments.map(({ tag, origin, text }, at) => (
          <li key={at}>
            <button
              type="button"
              class={`look ${origin === 'environment' ? origin : weights?.[at] === 0 ? 'untrained' : 'trained'}`}
              aria-current={at === chosen ? 'true' : undefined}
              onClick={() => onSegment(at)}
            >
              {tag} <small>{count(text.length)}</small>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** Characters of an answer shown above a record. */
const MAX_ANSWER = 160;

export function Summary({ record, base }: { readonly record: RecordAnswer; readonly base: string }) {
  const { question, state, stage, reason, task, trajectory, trace, marks, siblings, problems } = record;
  const measures = trajectory?.measures;
  const answers = trajectory?.answers ?? task?.answers ?? [];
  return (
    <div class="summary">
      <p class="question">
        <InertText text={task?.question ?? trajectory?.question ?? question} />
      </p>
      <Facts
        facts={[
          [
            'End',
            <>
              <span class={`dot ${state}`} aria-hidden="true" />
              {state}
              {reason ? `: ${words(reason)}` : ''} at {stage}
            </>,
          ],
          ['Gold', answers.length > 0 && inShort(answers.join(' | '))],
          ['Predicted', trace?.final_answer !== undefined && inShort(trace.final_answer)],
          ['Tokens', tokensOf(record)],
          ['Cost', trace?.totals?.cost_usd ? dollars(trace.totals.cost_usd) : undefined],
          [
            'Time',
            trace?.totals &&
              `${duration(trace.totals.duration_ms)}, ${counted(trace.totals.model_calls, 'model call')}`,
          ],
          ['Grounding', measures?.grounding && groundingText(measures.grounding)],
          ['Thought before it was seen', measures && unsupportedText(measures)],
          ['Marks', marks.length > 0 && marks.join(', ')],
          ['Same task', siblings.length > 0 && siblings.map((sibling) => siblingLink(sibling, base))],
        ]}
      />
      {problems.map((problem) => (
        <p class="error" role="alert" key={problem}>
          <InertText text={problem} />
        </p>
      ))}
    </div>
  );
}

function tokensOf({ figures: { tokens, trained_tokens = 0 } }: RowAnswer): string | undefined {
  return tokens === undefined ? undefined : `${count(tokens)}, ${percentOf(trained_tokens, tokens)} trained`;
}

function siblingLink(sibling: RowAnswer, base: string) {
  return (
    <a key={sibling.key} href={`${base}/records/${encodeURIComponent(sibling.key)}`}>
      {siblingName(sibling)}
    </a>
  );
}

/** Shortens an answer, which may be a program; the verdicts show it whole. */
function inShort(answer: string): string {
  const [line = ''] = answer.trimStart().split('\n', 1);
  const first = line.slice(0, MAX_ANSWER);
  return first.length < answer.trim().length ? `${first} …` : answer;
}
