import { useRef, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import type { ReviewReason } from '../../schemas/run/reviewLine.ts';
import type { QueuedRecord, RecordAnswer, ReviewAnswer } from '../api.ts';
import { filterOf, replaced } from '../pages/filter.ts';
import { InertText } from '../pages/InertText.tsx';
import { NumberInput } from '../pages/inputs.tsx';
import { useKeys } from '../pages/keys.ts';
import { useCopy } from '../pages/RowsPage.tsx';
import { Segments } from '../pages/Segments.tsx';
import { Shell } from '../pages/Shell.tsx';
import { Facts } from '../pages/Table.tsx';
import { sourcePath, useAnswer, useLive } from '../pages/useAnswer.ts';
import { Verdicts } from '../pages/Verdicts.tsx';
import { count, counted } from '../pages/words.ts';
import { type OwnReview, reasons, useReview, VerdictPanel } from './VerdictPanel.tsx';

/** A queue of records to accept or reject. The address holds the queue and the current record. */
export function ReviewPage() {
  const { name } = useRoute().params as { name: string };
  const { route } = useLocation();
  const query = new URLSearchParams(location.search);
  const base = `/runs/${encodeURIComponent(name)}`;
  const [written, setWritten] = useState(0);
  const [chosen, setChosen] = useState(-1);
  const [isRejecting, setRejecting] = useState(false);
  /** Keys pressed while no record was shown. */
  const [refused, setRefused] = useState(0);
  const wanted = queueQuery(query);
  const live = useLive(name);
  const revision = `${written} ${live?.revision}`;
  const path = `${sourcePath(name)}/review?${wanted}`;
  const asked = useAnswer<ReviewAnswer>(path, revision);
  const begin = useRef<Begin>({ of: path });
  if (begin.current.of !== path) begin.current = { of: path };
  const data = asked.path === path ? asked.data : undefined;
  begin.current.key ??= (data?.queue.find(isOpen) ?? data?.queue[0])?.key;
  const place = query.get('record') ?? begin.current.key;
  // The queue of a run that works grows: a record keeps its place by its key.
  const at = Math.max(0, data?.queue.findIndex((queued) => queued.key === place) ?? 0);
  const key = data?.queue[at]?.key;
  const { data: record } = useAnswer<RecordAnswer>(
    key === undefined ? undefined : `${sourcePath(name)}/records/${encodeURIComponent(key)}`,
  );
  const shown = record?.key === key ? record : undefined;
  const review = useReview(name, key, data?.author ?? null);
  const isAuthor = data?.author != null;
  const mayWrite = isAuthor && shown !== undefined && review.record !== undefined;

  const goTo = (to: number) => {
    const queued = data?.queue[to];
    if (!queued) return;
    setChosen(-1);
    setRejecting(false);
    setRefused(0);
    const next = new URLSearchParams(wanted);
    next.set('record', queued.key);
    route(`${base}/review?${next}`);
  };
  const noteSaved = (isSaved: boolean) => isSaved && setWritten((count) => count + 1);
  // The next record is shown at once: keys may be faster than replies.
  const say = (word: Parameters<typeof review.send>[0], advances: boolean) => {
    setRejecting(false);
    if (!mayWrite) return setRefused((count) => count + 1);
    void review.send(word).then(noteSaved);
    if (advances) goTo(at + 1);
  };
  const accept = () => say({ verdict: 'accept', reason: undefined }, true);
  const reject = (reason: ReviewReason) => say({ verdict: 'reject', reason }, true);
  const undo = () => say({ verdict: 'unset', reason: undefined, note: undefined }, false);
  const select = (segment: number) => {
    const last = (shown?.trajectory?.segments.length ?? 0) - 1;
    const next = Math.min(last, Math.max(0, segment));
    setChosen(next);
    document.getElementById(`segment-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  const byNumber = reasons.map(([reason], place) => [String(place + 1), () => isRejecting && reject(reason)]);
  const writing = {
    ...Object.fromEntries(byNumber),
    a: accept,
    r: () => (mayWrite ? setRejecting(true) : setRefused((count) => count + 1)),
    u: undo,
    c: () => document.getElementById('review-note')?.focus(),
  };
  useKeys({
    ...(isAuthor && writing),
    n: () => goTo(at + 1),
    p: () => goTo(at - 1),
    j: () => select(chosen + 1),
    k: () => select(chosen - 1),
    Escape: () => {
      setRejecting(false);
      (document.activeElement as HTMLElement | null)?.blur();
    },
  });
  return (
    <Shell
      title="Review"
      trail={[{ href: base, name }, { name: 'review' }]}
      run={name}
      error={asked.error ?? review.error}
      isWide
    >
      {data && (
        <QueuePanel
          answer={data}
          at={at}
          query={wanted}
          base={base}
          onQuery={(next) => route(`${base}/review?${next}`)}
          onPlace={goTo}
        />
      )}
      {data && (
        <Saving review={review} refused={refused} onRetry={() => void review.retry().then(noteSaved)} />
      )}
      {key !== undefined && !(shown && review.record) && <p class="note">Loading record {count(at + 1)}.</p>}
      {shown && key !== undefined && review.record && (
        <div class="review">
          <section aria-label="Record">
            <p class="question">
              <InertText text={shown.trajectory?.question ?? shown.question} />
            </p>
            <Verdicts record={shown} />
            <Segments record={shown} chosen={chosen} isUnfolded={false} />
          </section>
          <VerdictPanel
            key={key}
            review={review}
            author={data?.author ?? null}
            isRejecting={isRejecting}
            onAccept={accept}
            onRejecting={setRejecting}
            onReject={reject}
            onUndo={undo}
            onNote={(note) => say({ note: note === '' ? undefined : note }, false)}
          />
        </div>
      )}
    </Shell>
  );
}

interface SavingProps {
  readonly review: OwnReview;
  /** Keys pressed while no record was shown. */
  readonly refused: number;
  readonly onRetry: () => void;
}

/** Reviews under way, those that failed, and keys that had no record. */
function Saving({ review: { sending, unsaved }, refused, onRetry }: SavingProps) {
  return (
    <>
      {sending > 0 && <p class="note" role="status">{`Saving ${counted(sending, 'review')}.`}</p>}
      {refused > 0 && (
        <p class="note" role="status">
          {`${counted(refused, 'key')} ignored: the record was not loaded yet.`}
        </p>
      )}
      {unsaved.length > 0 && (
        <div class="error" role="alert">
          {`${counted(unsaved.length, 'review')} not saved:`}
          <ul>
            {unsaved.map(({ key, word: { verdict, reason }, message }, at) => (
              <li key={`${key} ${at}`}>
                <InertText
                  text={`${key}: ${[verdict ?? 'note', reason].filter(Boolean).join(', ')}: ${message}`}
                />
              </li>
            ))}
          </ul>
          <button type="button" onClick={onRetry}>
            Save again
          </button>
        </div>
      )}
    </>
  );
}

/** First record of a queue: the first without an own verdict. */
interface Begin {
  readonly of: string;
  key?: string | undefined;
}

/** Query of the queue; without a filter the kept records. */
function queueQuery(query: URLSearchParams): URLSearchParams {
  const wanted = filterOf(query);
  for (const name of ['sample', 'seed']) if (query.has(name)) wanted.set(name, query.get(name)!);
  if (filterOf(query).size === 0) wanted.set('state', 'kept');
  return wanted;
}

interface QueuePanelProps {
  readonly answer: ReviewAnswer;
  readonly at: number;
  readonly query: URLSearchParams;
  readonly base: string;
  readonly onQuery: (query: URLSearchParams) => void;
  readonly onPlace: (place: number) => void;
}

/** Whether the reviewer has given no verdict. */
export function isOpen({ own }: QueuedRecord): boolean {
  return own !== 'accept' && own !== 'reject';
}

/** Queue, progress and the command that applies the reviews. */
function QueuePanel({ answer, at, query, base, onQuery, onPlace }: QueuePanelProps) {
  const { queue, found, unknown, command, hasTarget } = answer;
  const done = queue.filter((queued) => !isOpen(queued)).length;
  const [copied, copy] = useCopy(command);
  const choice = new URLSearchParams(query);
  for (const name of ['sample', 'seed']) choice.delete(name);
  return (
    <>
      <p class="toolbar">
        <button type="button" onClick={() => onPlace(at - 1)} disabled={at <= 0}>
          Previous
        </button>
        <button type="button" onClick={() => onPlace(at + 1)} disabled={at + 1 >= queue.length}>
          Next
        </button>
        <SampleChoice query={query} onQuery={onQuery} />
        <a href={`${base}/rows?${choice}`}>Choose others</a>
        <button type="button" onClick={copy}>
          {copied ? 'Copied' : 'Copy command to export'}
        </button>
      </p>
      <p class="found" role="status">
        {queue.length === 0
          ? 'No matching record has a trajectory.'
          : `${count(done)} of ${count(queue.length)} reviewed, now number ${count(at + 1)}${queue.length < found ? `; ${count(found)} are found` : ''}`}
      </p>
      {queue.length > 0 && (
        <progress max={queue.length} value={done} aria-label="Reviewed records of the queue" />
      )}
      <Reviewers answer={answer} />
      <p class="note">
        <code>{command}</code> makes the dataset with the reviews.
        {hasTarget &&
          ' The run has a target: other rows take the place of rejected ones, and further tasks are worked on where those run out.'}
      </p>
      {unknown.length > 0 && (
        <details>
          <summary>{counted(unknown.length, 'review')} of records that this run does not have</summary>
          <ul>
            {unknown.map(({ record_id, author }) => (
              <li key={`${record_id} ${author}`}>
                <InertText text={`${record_id}, by ${author}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface SampleChoiceProps {
  readonly query: URLSearchParams;
  readonly onQuery: (query: URLSearchParams) => void;
}

/** Sample size and seed; empty: all records in order. */
function SampleChoice({ query, onQuery }: SampleChoiceProps) {
  const field = (name: 'sample' | 'seed', label: string, least: number) => (
    <span class="short">
      {label}{' '}
      <NumberInput
        label={label}
        min={least}
        value={query.get(name) ?? ''}
        onValue={(value) => onQuery(replaced(query, name, value))}
      />
    </span>
  );
  return (
    <>
      {field('sample', 'Sample of', 1)}
      {query.has('sample') && field('seed', 'Seed', 0)}
    </>
  );
}

function Reviewers({ answer: { reviewers, rule } }: { readonly answer: ReviewAnswer }) {
  if (reviewers.length === 0) return null;
  return (
    <Facts
      facts={[
        ...reviewers.map(
          ({ author, accepted, rejected }) =>
            [author, `${count(accepted)} accepted, ${count(rejected)} rejected`] as const,
        ),
        ['When they differ', rule === 'majority' ? 'more than half decide' : 'one rejection is enough'],
      ]}
    />
  );
}
