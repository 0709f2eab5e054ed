import type { JsonObject } from '../../base/json.ts';
import type { StoryStep } from '../../operations/taskStory.ts';
import type { RecordAnswer } from '../api.ts';
import { Evidence } from './Evidence.tsx';
import { InertText } from './InertText.tsx';
import { counted, words } from './words.ts';

interface TimeLineProps {
  readonly record: RecordAnswer;
  readonly base: string;
}

/** What each stage did with the record, from its task to its row. */
export function TimeLine({ record: { steps }, base }: TimeLineProps) {
  if (steps.length === 0)
    return <p class="empty">These rows are not of a run: nothing is known of how they came about.</p>;
  return (
    <ol class="time-line">
      {steps.map((step, at) => (
        <li key={at} class={step.kind}>
          <b>{step.stage}</b> <Told step={step} base={base} />
        </li>
      ))}
    </ol>
  );
}

function Told({ step, base }: { readonly step: StoryStep; readonly base: string }) {
  if (step.kind === 'retry') return <span>pending again after {words(step.cause)}</span>;
  if (step.kind === 'emitted') return <Emitted step={step} />;
  const { entry } = step;
  if (entry.kind === 'drop')
    return (
      <>
        <span>dropped: {words(entry.reason)}</span>
        <Evidence value={entry.evidence} base={base} />
      </>
    );
  const { cause, message, retryable, evidence } = entry.failure;
  return (
    <>
      <span>
        failed: {words(cause)}
        {retryable ? ', may succeed later (run --retry)' : ''}
      </span>
      <p>
        <InertText text={message} />
      </p>
      <Evidence value={evidence} base={base} />
    </>
  );
}

function Emitted({ step: { stage, records } }: { readonly step: Extract<StoryStep, { kind: 'emitted' }> }) {
  if (records.length === 0) return <span>went on as no record</span>;
  return (
    <>
      {records.map((record, at) => (
        <span key={at}>
          <InertText text={toldOf(stage, record)} />
        </span>
      ))}
    </>
  );
}

/** What of a record is told, whatever kind it is of. */
interface RecordWords {
  readonly source?: { readonly file: string; readonly row: number };
  readonly events?: readonly unknown[];
  readonly segments?: readonly unknown[];
  readonly split?: string;
  readonly row?: number;
  readonly tokens?: number;
  readonly trained_tokens?: number;
  readonly sampling?: JsonObject;
}

/** A record in a line, in the words of its stage. */
function toldOf(stage: string, record: JsonObject): string {
  const { source, events, segments, split, row, tokens, trained_tokens, sampling } = record as RecordWords;
  if (stage === 'tasks' && source !== undefined) return `read from ${source.file}, row ${source.row}`;
  if (events !== undefined) return counted(events.length, 'event');
  if (split !== undefined)
    return `row ${row} of ${split}, ${tokens} tokens, ${trained_tokens} of them trained`;
  if (stage === 'judge') return verdictsOf(record);
  if (stage === 'convert' && segments !== undefined) return counted(segments.length, 'segment');
  if (sampling !== undefined) return `kept, ${JSON.stringify(sampling)}`;
  return 'kept';
}

function verdictsOf(record: JsonObject): string {
  const { verdicts } = record.quality as {
    verdicts: { subject: string; judgement: string; judge: string }[];
  };
  if (verdicts.length === 0) return 'no verdict';
  return verdicts
    .map(({ subject, judgement, judge }) => `${words(subject)} ${judgement} (${judge})`)
    .join(', ');
}
