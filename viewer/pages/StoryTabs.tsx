import type { RecordAnswer } from '../api.ts';
import { Chain } from './Chain.tsx';
import { Conversation } from './Conversation.tsx';
import { exported } from './exported.ts';
import { Raw } from './InertText.tsx';
import { RolloutDiff } from './RolloutDiff.tsx';
import { TimeLine } from './TimeLine.tsx';
import { Verdicts } from './Verdicts.tsx';
import { Waterfall } from './Waterfall.tsx';

const tabs = [
  ['why', 'Why'],
  ['conversation', 'Conversation'],
  ['time', 'Time and cost'],
  ['compare', 'Compare'],
  ['chain', 'Chain'],
  ['raw', 'Raw'],
] as const;

/** Which of a record's sides is shown. */
export type StoryTab = (typeof tabs)[number][0];

interface StoryTabsProps {
  readonly record: RecordAnswer;
  readonly base: string;
  /** The path of the source's records at the server. */
  readonly records: string;
  readonly tab: StoryTab;
  readonly onTab: (tab: StoryTab) => void;
  readonly isUnfolded: boolean;
  readonly onSegment: (event: string) => void;
  readonly onEvent: (event: string) => void;
}

/** Everything that led to a record. */
export function StoryTabs(props: StoryTabsProps) {
  const { record, base, records, tab, onTab, isUnfolded, onSegment, onEvent } = props;
  const shown = tabs.filter(([name]) => isThere(name, record));
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    const at = shown.findIndex(([name]) => name === tab);
    const [next] = shown[(at + step + shown.length) % shown.length]!;
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="story" aria-label="How it came about">
      <div role="tablist" aria-label="How it came about" onKeyDown={move}>
        {shown.map(([name, title]) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab === name}
            aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'conversation' && (
          <Conversation record={record} isUnfolded={isUnfolded} onSegment={onSegment} />
        )}
        {tab === 'why' && (
          <>
            <Verdicts record={record} />
            <TimeLine record={record} base={base} />
          </>
        )}
        {tab === 'time' && <Waterfall record={record} onEvent={onEvent} />}
        {tab === 'compare' && <RolloutDiff key={record.key} record={record} records={records} />}
        {tab === 'chain' && record.synthesis && <Chain synthesis={record.synthesis} />}
        {tab === 'raw' && <RawSteps record={record} />}
      </div>
    </section>
  );
}

/** Which sides a record has: a copy has no other record to compare with. */
function isThere(name: StoryTab, { synthesis, siblings }: RecordAnswer): boolean {
  if (name === 'chain') return synthesis !== null;
  return name !== 'compare' || (siblings.length > 0 && !exported);
}

function RawSteps({ record: { steps, trajectory, foreign } }: Pick<StoryTabsProps, 'record'>) {
  if (steps.length === 0)
    return <Raw label="As it stands" text={foreign ?? JSON.stringify(trajectory, null, 1)} />;
  return (
    <>
      {steps.map((step, at) => (
        <details key={at} open={at === steps.length - 1}>
          <summary>
            {step.stage}: {step.kind}
          </summary>
          <Raw
            label={`${step.stage} as JSON`}
            text={JSON.stringify('records' in step ? step.records : step, null, 1)}
          />
        </details>
      ))}
    </>
  );
}
