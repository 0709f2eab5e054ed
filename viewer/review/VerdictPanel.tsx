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

/** Reviews of the shown record, and how to add one. */
export interface OwnReview {
  /** Undefined while loading. */
  readonly record: RecordReviewsAnswer | undefined;
  readonly own: ReviewLine | undefined;
  readonly error: string | undefined;
  /** Sends a review; resolves to whether it was saved. */
  readonly send: (word: Partial<ReviewRequest>) => Promise<boolean>;
}

/** Reads and writes reviews of a record. Omitted fields keep the reviewer's last values. */
export function useReview(name: string, key: string | undefined, author: string | null): OwnReview {
  const [answer, setAnswer] = useState<Answer>();
  // What is sent goes out one after the other, each on top of what the one before came to.
  const latest = useRef<Answer>(undefined);
  const sending = useRef<Promise<unknown>>(Promise.resolve());
  const take = (next: Answer) => {
    latest.current = next;
    setAnswer(next);
  };
  const [error, setError] = useState<string>();
  const path = key === undefined ? undefined : `${sourcePath(name)}/review/${encodeURIComponent(key)}`;
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    setError(undefined);
    fetchAnswer<RecordReviewsAnswer>(path, leaving.signal).then(
      (record) => take({ key: key!, record }),
      (failure: Error) => !leaving.signal.aborted && setError(failure.message),
    );
    return () => leaving.abort();
  }, [path]);
  const record = answer?.key === key ? answer?.record : undefined;
  const ownOf = (of: RecordReviewsAnswer) => of.reviews.find((review) => review.author === author);
  const own = record && ownOf(record);
  const attempt = async (word: Partial<ReviewRequest>, shown: RecordReviewsAnswer): Promise<boolean> => {
    const known = latest.current?.key === key ? latest.current!.record : shown;
    const { verdict = 'unset', reason, note } = ownOf(known) ?? {};
    const request = { record_id: known.record_id, verdict, reason, note, ...word };
    try {
      take({ key: key!, record: await postReview(path!, request) });
      setError(undefined);
      return true;
    } catch (failure) {
      setError((failure as Error).message);
      return false;
    }
  };
  const send = (word: Partial<ReviewRequest>): Promise<boolean> => {
    if (!record) return Promise.resolve(false);
    const sent = sending.current.then(() => attempt(word, record));
    sending.current = sent;
    return sent;
  };
  return { record, own, error, send };
}

/** Browsers refuse `keepalive` over 64 KiB of bodies under way; a character takes up to 4 bytes. */
const MAX_KEPT_CHARS = 8_000;

interface Answer {
  readonly key: string;
  readonly record: RecordReviewsAnswer;
}

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
