import type { JsonObject } from '../../base/json.ts';
import type { StoryStep } from '../../operations/taskStory.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { RecordAnswer } from '../api.ts';
import { InertText } from './InertText.tsx';
import { Evidence } from './Rendered.tsx';
import { type Column, Table } from './Table.tsx';
import { count, counted, dollars, duration, percentOf, usageText, words } from './words.ts';

interface TimeLineProps {
  readonly record: RecordAnswer;
  readonly base: string;
}

/** Action of each stage on the record, from its task to its row. */
export function TimeLine({ record: { steps }, base }: TimeLineProps) {
  if (steps.length === 0)
    return <p class="empty">These rows belong to no run, so there is no record of how they were made.</p>;
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

/** Fields common to all kinds of records. */
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

type Event = Trace['events'][number];

interface Step {
  readonly event: Event;
  readonly who: string;
  /** Milliseconds since the first event. */
  readonly fromMs: number;
  readonly ms: number;
  readonly tokens: number;
  readonly usd: number;
  /** Attempts without an answer, and their time. */
  readonly retries: number;
  readonly lostMs: number;
}

interface WaterfallProps {
  readonly record: RecordAnswer;
  readonly onEvent: (event: string) => void;
}

/** Time, tokens and cost of a rollout, by agent and tool, then by call. */
export function Waterfall({ record: { trace }, onEvent }: WaterfallProps) {
  const events = trace?.events ?? [];
  if (events.length === 0) return <p class="empty">No requests, or their times are unknown.</p>;
  const steps = stepsOf(events);
  const wholeMs = Math.max(1, ...steps.map(({ fromMs, ms }) => fromMs + ms));
  const failedTries = trace?.failed_tries?.length ?? 0;
  return (
    <>
      <p>
        {duration(wholeMs)} from the first call to the last answer
        {failedTries > 0 && `, ${counted(failedTries, 'try')} that failed before it`}
        {trace?.taken_over ? `, ${counted(trace.taken_over, 'event')} taken over from another rollout` : ''}.
      </p>
      <Table label="By agent and tool" columns={sumColumns(steps)} rows={sumsOf(steps)} />
      <Table label="Call by call" columns={stepColumns(wholeMs, onEvent)} rows={steps} />
    </>
  );
}

function stepsOf(events: readonly Event[]): Step[] {
  const startMs = events.reduce((least, event) => Math.min(least, Date.parse(event.started_at)), Infinity);
  return events.map((event) => {
    const isAgent = event.type === 'agent_call';
    return {
      event,
      who: isAgent ? words(event.role) : event.tool,
      fromMs: Date.parse(event.started_at) - startMs || 0,
      ms: event.duration_ms,
      tokens: isAgent ? event.usage.prompt_tokens + event.usage.completion_tokens : 0,
      usd: isAgent ? event.cost_usd : 0,
      retries: (isAgent && event.retries?.times) || 0,
      lostMs: (isAgent && event.retries?.ms) || 0,
    };
  });
}

type Figures = Pick<Step, 'ms' | 'tokens' | 'usd' | 'retries'>;

interface Sum extends Figures, Pick<Step, 'who'> {
  readonly calls: number;
}

function sumsOf(steps: readonly Step[]): Sum[] {
  return [...Map.groupBy(steps, ({ who }) => who)]
    .map(([who, own]) => ({ who, calls: own.length, ...total(own) }))
    .sort((a, b) => b.ms - a.ms);
}

function total(steps: readonly Figures[]): Figures {
  const sum = (of: keyof Figures) => steps.reduce((all, step) => all + step[of], 0);
  return { ms: sum('ms'), tokens: sum('tokens'), usd: sum('usd'), retries: sum('retries') };
}

function sumColumns(steps: readonly Step[]): readonly Column<Sum>[] {
  const all = total(steps);
  return [
    ['Who', ({ who }) => who],
    ['Calls', ({ calls }) => count(calls), 'number'],
    ['Sent again', ({ retries }) => retries > 0 && counted(retries, 'time'), 'number'],
    ['Time', ({ ms }) => `${duration(ms)} (${percentOf(ms, all.ms)})`, 'number'],
    [`Tokens of ${count(all.tokens)}`, ({ tokens }) => tokens > 0 && count(tokens), 'number'],
    [`Cost of ${dollars(all.usd)}`, ({ usd }) => usd > 0 && dollars(usd), 'number'],
  ];
}

function stepColumns(wholeMs: number, onEvent: WaterfallProps['onEvent']): readonly Column<Step>[] {
  return [
    [
      'Who',
      ({ who, event }) => (
        <button type="button" class="link" onClick={() => onEvent(event.id)}>
          {who}
        </button>
      ),
    ],
    [
      `When, of ${duration(wholeMs)}`,
      ({ fromMs, ms, event, lostMs }) => (
        <svg
          class={`when ${event.type}`}
          viewBox="0 0 200 12"
          role="img"
          aria-label={`from ${duration(fromMs)}, for ${duration(ms)}${lostMs > 0 ? `, ${duration(lostMs)} of it lost to retries` : ''}`}
        >
          <rect x={(200 * fromMs) / wholeMs} width={Math.max(1, (200 * ms) / wholeMs)} height="12" />
          <rect class="lost" x={(200 * fromMs) / wholeMs} width={(200 * lostMs) / wholeMs} height="12" />
        </svg>
      ),
    ],
    ['Time', ({ ms }) => duration(ms), 'number'],
    ['Tokens', ({ event }) => event.type === 'agent_call' && usageText(event), 'number'],
    ['Cost', ({ usd }) => usd > 0 && dollars(usd), 'number'],
    ['Notes', ({ event }) => notesOf(event).join(', ')],
  ];
}

function notesOf(event: Event): string[] {
  const failed = event.failure ? [`failed: ${words(event.failure.cause)}`] : [];
  if (event.type === 'tool_call') return [...(event.cached ? ['from the cache'] : []), ...failed];
  const { malformed, usage, action, retries } = event;
  return [
    ...(action === null ? [] : [action]),
    ...(retries ? [`sent again ${counted(retries.times, 'time')}`] : []),
    ...(malformed.length > 0 ? [`asked again ${counted(malformed.length, 'time')}`] : []),
    ...(usage.cached_tokens > 0 ? [`${count(usage.cached_tokens)} tokens from the cache`] : []),
    ...failed,
  ];
}
