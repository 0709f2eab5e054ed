import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReviewLine, ReviewReason } from '../../schemas/run/reviewLine.ts';
import type { RecordReviewsAnswer, ReviewRequest } from '../api.ts';
import { InertText } from '../pages/InertText.tsx';
import { answerOf, fetchAnswer, sourcePath } from '../pages/useAnswer.ts';
import { words } from '../pages/words.ts';

/** Reasons for rejection, in the order of their number keys. */
export const reasons: readonly (readonly [ReviewReason, string])[] = [
  ['wrong_answer', 'the answer is wrong'],
  ['lucky_answer', 'right, but not earned'],
  ['bad_reasoning', 'the reasoning is wrong'],
  ['bad_tool_use', 'tools are used badly'],
  ['bad_task', 'the question or its gold answer is wrong'],
  ['unsafe', 'it must not be learned'],
  ['other', 'see the note'],
];

interface VerdictPanelProps {
  readonly review: OwnReview;
  readonly author: string | null;
  readonly isRejecting: boolean;
  readonly onAccept: () => void;
  readonly onRejecting: (isRejecting: boolean) => void;
  readonly onReject: (reason: ReviewReason) => void;
  readonly onUndo: () => void;
  readonly onNote: (note: string) => void;
}

export function VerdictPanel(props: VerdictPanelProps) {
  const { review, author, isRejecting } = props;
  const others = review.record?.reviews.filter((one) => one.author !== author) ?? [];
  return (
    <section aria-label="Verdict" class="verdict-panel">
      {author === null ? (
        <p class="note">
          These pages are read-only. To review, start <code>coa-distill view RUN --review --author NAME</code>
          .
        </p>
      ) : (
        <>
          <p role="status">
            {author}: <b>{wordOf(review.own)}</b>
          </p>
          <p class="toolbar">
            <button
              type="button"
              class="accept"
              onClick={props.onAccept}
              aria-pressed={review.own?.verdict === 'accept'}
            >
              Accept <kbd>a</kbd>
            </button>
            <button
              type="button"
              class="reject"
              onClick={() => props.onRejecting(!isRejecting)}
              aria-expanded={isRejecting}
              aria-pressed={review.own?.verdict === 'reject'}
            >
              Reject <kbd>r</kbd>
            </button>
            <button type="button" onClick={props.onUndo} disabled={!review.own}>
              Undo <kbd>u</kbd>
            </button>
          </p>
          {isRejecting && <Reasons onReject={props.onReject} />}
          <Note own={review.own} onNote={props.onNote} />
        </>
      )}
      {others.length > 0 && (
        <>
          <h2>Other reviewers</h2>
          <ul>
            {others.map((one) => (
              <li key={one.author}>
                <InertText text={one.author} />: {wordOf(one)}
                {one.note !== undefined && (
                  <p class="quoted">
                    <InertText text={one.note} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function wordOf(review: ReviewLine | undefined): string {
  if (!review || review.verdict === 'unset') return 'no verdict';
  return review.verdict === 'accept' ? 'accepted' : `rejected, ${words(review.reason ?? '')}`;
}

function Reasons({ onReject }: { readonly onReject: (reason: ReviewReason) => void }) {
  return (
    <ol class="reject-reasons" aria-label="Why it is rejected">
      {reasons.map(([reason, meaning], place) => (
        <li key={reason}>
          <button type="button" onClick={() => onReject(reason)}>
            <kbd>{place + 1}</kbd> {words(reason)}
          </button>{' '}
          <small>{meaning}</small>
        </li>
      ))}
    </ol>
  );
}

interface NoteProps {
  readonly own: ReviewLine | undefined;
  readonly onNote: (note: string) => void;
}

function Note({ own, onNote }: NoteProps) {
  const [text, setText] = useState<string>();
  const saved = own?.note ?? '';
  return (
    <p>
      <label for="review-note">
        Note <kbd>c</kbd>
      </label>
      <textarea
        id="review-note"
        rows={3}
        maxLength={4_000}
        value={text ?? saved}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={() => {
          if (text !== undefined && text.trim() !== saved) onNote(text.trim());
        }}
      />
    </p>
  );
}

/** A review that could not be saved. */
export interface UnsavedReview {
  readonly key: string;
  readonly word: Partial<ReviewRequest>;
  /** The server's words. */
  readonly message: string;
}

/** Reviews of the shown record, and how to add one. */
export interface OwnReview {
  /** Undefined while loading. */
  readonly record: RecordReviewsAnswer | undefined;
  readonly own: ReviewLine | undefined;
  /** Reason why the reviews of the record could not be loaded. */
  readonly error: string | undefined;
  /** Reviews under way. */
  readonly sending: number;
  readonly unsaved: readonly UnsavedReview[];
  /** Sends a review of the shown record; resolves to whether it was saved. The page may go on meanwhile. */
  readonly send: (word: Partial<ReviewRequest>) => Promise<boolean>;
  /** Sends the unsaved reviews again; resolves to whether all were saved. */
  readonly retry: () => Promise<boolean>;
}

/**
 * Reads and writes reviews. Fields that a review omits keep the reviewer's last values. A review is of the record that
 * was shown when it was given, however late the replies are; those of one record go out one after the other.
 */
export function useReview(name: string, key: string | undefined, author: string | null): OwnReview {
  const [known, setKnown] = useState<ReadonlyMap<string, RecordReviewsAnswer>>(new Map());
  // Reviews that wait in line read the newest answers.
  const latest = useRef(known);
  const lines = useRef(new Map<string, Promise<unknown>>());
  const [sending, setSending] = useState(0);
  const [unsaved, setUnsaved] = useState<readonly UnsavedReview[]>([]);
  const [error, setError] = useState<string>();
  const pathOf = (of: string) => `${sourcePath(name)}/review/${encodeURIComponent(of)}`;
  const path = key === undefined ? undefined : pathOf(key);
  const take = (of: string, answer: RecordReviewsAnswer) => {
    latest.current = new Map(latest.current).set(of, answer);
    setKnown(latest.current);
  };
  useEffect(() => {
    setError(undefined);
    if (path === undefined) return;
    const leaving = new AbortController();
    fetchAnswer<RecordReviewsAnswer>(path, leaving.signal).then(
      (answer) => take(path, answer),
      (failure: Error) => !leaving.signal.aborted && setError(failure.message),
    );
    return () => leaving.abort();
  }, [path]);
  const record = path === undefined ? undefined : known.get(path);
  const ownOf = (of: RecordReviewsAnswer) => of.reviews.find((review) => review.author === author);

  const attempt = async (of: string, word: Partial<ReviewRequest>): Promise<boolean> => {
    const target = pathOf(of);
    const answer = latest.current.get(target)!;
    const { verdict = 'unset', reason, note } = ownOf(answer) ?? {};
    const request = { record_id: answer.record_id, verdict, reason, note, ...word };
    try {
      take(target, await postReview(target, request));
      return true;
    } catch (failure) {
      const { message } = failure as Error;
      setUnsaved((others) => [...others, { key: of, word, message }]);
      return false;
    }
  };
  const queue = (of: string, word: Partial<ReviewRequest>): Promise<boolean> => {
    setSending((count) => count + 1);
    const before = lines.current.get(of) ?? Promise.resolve();
    const sent = before.then(() => attempt(of, word)).finally(() => setSending((count) => count - 1));
    lines.current.set(of, sent);
    return sent;
  };
  return {
    record,
    own: record && ownOf(record),
    error,
    sending,
    unsaved,
    send: (word) => (record ? queue(key!, word) : Promise.resolve(false)),
    async retry() {
      setUnsaved([]);
      const saved = await Promise.all(unsaved.map(({ key: of, word }) => queue(of, word)));
      return saved.every(Boolean);
    },
  };
}

/** Browsers refuse `keepalive` over 64 KiB of bodies under way; a character takes up to 4 bytes. */
const MAX_KEPT_CHARS = 8_000;

async function postReview(path: string, request: ReviewRequest): Promise<RecordReviewsAnswer> {
  const body = JSON.stringify(request);
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    // It arrives although the page is closed: browsers allow it for what is small.
    keepalive: body.length <= MAX_KEPT_CHARS,
  });
  return answerOf<RecordReviewsAnswer>(response);
}
