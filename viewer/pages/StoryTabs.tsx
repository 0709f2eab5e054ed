import type { Synthesis } from '../../schemas/taskSynthesis.ts';
import type { RecordAnswer } from '../api.ts';
import { Conversation } from './Conversation.tsx';
import { InertText, Raw } from './InertText.tsx';
import { RolloutDiff } from './RolloutDiff.tsx';
import { TimeLine, Waterfall } from './TimeLine.tsx';
import { exported } from './useAnswer.ts';
import { Verdicts } from './Verdicts.tsx';

const tabs = [
  ['why', 'Why'],
  ['conversation', 'Conversation'],
  ['time', 'Time and cost'],
  ['compare', 'Compare'],
  ['chain', 'Chain'],
  ['raw', 'Raw'],
] as const;

export type StoryTab = (typeof tabs)[number][0];

interface StoryTabsProps {
  readonly record: RecordAnswer;
  readonly base: string;
  readonly records: string;
  readonly tab: StoryTab;
  readonly onTab: (tab: StoryTab) => void;
  readonly isUnfolded: boolean;
  readonly onSegment: (event: string) => void;
  readonly onEvent: (event: string) => void;
}

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

/** True if a record has the tab; copies have no other record to compare with. */
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

const [WIDTH, COLUMN, ROW, BOX] = [640, 200, 70, 150];

/** Maximum characters of a name in its box. */
const NAME_CHARS = 22;

interface Node {
  readonly name: string;
  /** Distance from the entity named in the question. */
  readonly column: number;
  readonly row: number;
}

/** Origin of a task: graph of its facts, quotes and checks. */
export function Chain({ synthesis }: { readonly synthesis: Synthesis }) {
  const { chain, form, checks, hops, facts } = synthesis;
  const named = new Set(form.triples.flatMap(([subject, , value]) => [subject, value]));
  const nodes = placedNodes(chain, named);
  const at = (name: string) => nodes.find((node) => node.name === name)!;
  const height = (Math.max(...nodes.map(({ row }) => row)) + 1) * ROW;
  const width = Math.max(WIDTH, Math.max(...nodes.map(({ column }) => column)) * COLUMN + BOX + 2);
  return (
    <>
      <svg
        class="chain"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Facts that lead to the answer"
      >
        {chain.map(({ subject, relation, value }, step) => (
          <Edge key={step} from={at(subject)} to={at(value)} relation={relation} />
        ))}
        {nodes.map((node) => (
          <g key={node.name} class={named.has(node.name) ? 'named' : 'hidden-name'}>
            <title>{node.name}</title>
            <rect x={x(node)} y={y(node)} width={BOX} height={ROW / 2} rx="6" />
            <text x={x(node) + BOX / 2} y={y(node) + 22} text-anchor="middle">
              {shortened(node.name)}
            </text>
          </g>
        ))}
      </svg>
      <p class="note">
        {hops} documents are needed; one answer among {facts} extracted facts. Dashed names are not in the
        question.
      </p>
      <ol>
        {chain.map(({ op, subject, relation, value, quote, document }, step) => (
          <li key={step}>
            {op}: <InertText text={`${subject} · ${relation} · ${value}`} />
            <blockquote>
              <InertText text={quote} />
            </blockquote>
            <p class="note">
              <InertText text={document} />
            </p>
          </li>
        ))}
      </ol>
      <ul>
        {checks.map(({ name, verdict, passed, tries }) => (
          <li key={name}>
            {name}: {verdict}
            {tries === undefined ? '' : `, ${passed ?? 0} of ${tries} tries`}
          </li>
        ))}
      </ul>
    </>
  );
}

function Edge({ from, to, relation }: { readonly from: Node; readonly to: Node; readonly relation: string }) {
  const [x1, y1, x2, y2] = [x(from) + BOX / 2, y(from) + ROW / 4, x(to) + BOX / 2, y(to) + ROW / 4];
  return (
    <g>
      <line x1={x1} y1={y1} x2={x2} y2={y2} />
      <text x={(x1 + x2) / 2} y={(y1 + y2) / 2 - 6} text-anchor="middle">
        {shortened(relation)}
      </text>
    </g>
  );
}

/** Positions each node once, by its distance from the entity named in the question. */
function placedNodes(chain: Synthesis['chain'], named: ReadonlySet<string>): Node[] {
  const names = [...new Set(chain.flatMap(({ subject, value }) => [subject, value]))];
  const columns = new Map(names.filter((name) => named.has(name)).map((name) => [name, 0]));
  if (columns.size === 0) columns.set(names[0]!, 0);
  for (let column = 1; columns.size < names.length && column <= names.length; column++)
    for (const { subject, value } of chain)
      for (const [one, other] of [
        [subject, value],
        [value, subject],
      ] as const)
        if (columns.get(one) === column - 1 && !columns.has(other)) columns.set(other, column);
  const rows = new Map<number, number>();
  return names.map((name) => {
    const column = columns.get(name) ?? names.length;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { name, column, row };
  });
}

const x = ({ column }: Node) => column * COLUMN + 1;
const y = ({ row }: Node) => row * ROW + 10;

function shortened(text: string): string {
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text;
}
