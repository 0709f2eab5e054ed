import type { RecordAnswer } from '../api.ts';
import { Chain } from './Chain.tsx';
import { Conversation } from './Conversation.tsx';
import { Raw } from './InertText.tsx';
import { TimeLine } from './TimeLine.tsx';
import { Verdicts } from './Verdicts.tsx';

const tabs = [
  ['conversation', 'Conversation'],
  ['verdicts', 'Verdicts'],
  ['why', 'Why'],
  ['chain', 'Chain'],
  ['raw', 'Raw'],
] as const;

/** Which of a record's sides is shown. */
export type StoryTab = (typeof tabs)[number][0];

interface StoryTabsProps {
  readonly record: RecordAnswer;
  readonly base: string;
  readonly tab: StoryTab;
  readonly onTab: (tab: StoryTab) => void;
  readonly isUnfolded: boolean;
  readonly onSegment: (event: string) => void;
}

/** Everything that led to a record. */
export function StoryTabs({ record, base, tab, onTab, isUnfolded, onSegment }: StoryTabsProps) {
  const shown = tabs.filter(([name]) => name !== 'chain' || record.synthesis);
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
        {tab === 'verdicts' && <Verdicts record={record} />}
        {tab === 'why' && <TimeLine record={record} base={base} />}
        {tab === 'chain' && record.synthesis && <Chain synthesis={record.synthesis} />}
        {tab === 'raw' && <RawSteps record={record} />}
      </div>
    </section>
  );
}

function RawSteps({ record: { steps, trajectory } }: Pick<StoryTabsProps, 'record'>) {
  if (steps.length === 0)
    return <Raw label="Trajectory as JSON" text={JSON.stringify(trajectory, null, 1)} />;
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
