import type { RecordAnswer } from '../../api.ts';
import { InertText } from '../InertText.tsx';
import { Segments } from '../Segments.tsx';
import { Verdicts } from '../Verdicts.tsx';

interface ReviewedRecordProps {
  readonly record: RecordAnswer;
  /** The segment that keys have moved to; -1 for none. */
  readonly chosen: number;
  readonly marked: ReadonlySet<number>;
  /** Undefined where pages only show. */
  readonly onMark: ((segment: number) => void) | undefined;
}

/** A record as a reviewer needs it: what was asked, what is right, what was said on the way, with marks to set. */
export function ReviewedRecord({ record, chosen, marked, onMark }: ReviewedRecordProps) {
  const weights = record.weights?.map((weight, at) => (marked.has(at) ? 0 : weight)) ?? null;
  return (
    <section aria-label="Record">
      <p class="question">
        <InertText text={record.trajectory?.question ?? record.question} />
      </p>
      <Verdicts record={record} />
      <Segments
        record={{ ...record, weights }}
        chosen={chosen}
        isUnfolded={false}
        mark={onMark && { marked, onMark }}
      />
    </section>
  );
}
