import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReviewLine } from '../../../schemas/run/reviewLine.ts';
import type { RecordReviewsAnswer, ReviewRequest } from '../../api.ts';
import { answerOf, fetchAnswer, sourcePath } from '../useAnswer.ts';

/** What a reviewer has said of the record on the page, and how to say more. */
export interface OwnReview {
  /** Undefined while it is asked for. */
  readonly record: RecordReviewsAnswer | undefined;
  readonly own: ReviewLine | undefined;
  readonly error: string | undefined;
  /** Sends a word; resolves to whether it was written down. */
  readonly send: (word: Partial<ReviewRequest>) => Promise<boolean>;
}

/** Reads and writes the reviews of a record. What is not said otherwise stays as the reviewer last said it. */
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
