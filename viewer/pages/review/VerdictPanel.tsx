import { useState } from 'preact/hooks';
import type { ReviewLine, ReviewReason } from '../../../schemas/run/reviewLine.ts';
import { InertText } from '../InertText.tsx';
import { words } from '../words.ts';
import type { OwnReview } from './useReview.ts';

/** Reasons of a rejection, by the number key that gives them. */
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

/** What the reviewer says of a record, and what others said. */
export function VerdictPanel(props: VerdictPanelProps) {
  const { review, author, isRejecting } = props;
  const others = review.record?.reviews.filter((one) => one.author !== author) ?? [];
  return (
    <section aria-label="Verdict" class="verdict-panel">
      {author === null ? (
        <p class="note">
          These pages only show. To review, start <code>coa-distill view RUN --review --author NAME</code>.
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

/** Written down when the reviewer leaves it. */
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
