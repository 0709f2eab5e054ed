import type { ActionOutcome } from './machine.ts';
import type { BodyRule, Profile, TagRule } from './profile.ts';

/** What stands between a tag's brackets, in words. */
export const bodyWords: Readonly<Record<BodyRule, string>> = {
  text: 'text',
  urls: 'URLs joined by |',
  code: 'a fenced py block, then at most one sh block that is stdin',
  json: 'one JSON object in a fenced json block',
  grades: 'Good, Average or Poor for information_conflict, tool_effectiveness, trajectory_monitoring',
  score: '"The score this time is:N", N from 1 to 4',
};

/** When a conditional rule speaks, in words. */
const outcomeWords = {
  poor: 'with a Poor grade',
  low: 'with score 1 or 2',
  high: 'with score 3 or 4',
  otherwise: 'otherwise',
} as const;

/** Who writes what stands in a tag. */
export function writerOf({ kind }: TagRule): 'model' | 'environment' {
  return kind === 'observation' ? 'environment' : 'model';
}

/** A profile's grammar as lines to read: its tags, then what may follow what. */
export function renderGrammarText(profile: Profile): string {
  const width = Math.max(...profile.tags.map(({ tag }) => tag.length)) + 2;
  const column = (tag: string) => `<${tag}>`.padEnd(width);
  const tags = profile.tags.map(
    (rule) => `  ${column(rule.tag)}  ${writerOf(rule)}: ${bodyWords[rule.body]}`,
  );
  return [
    `${profile.name}: ${profile.title}`,
    '',
    'Tags',
    ...tags,
    '',
    'Order',
    `  ${'start'.padEnd(width)}  then ${orList(profile.first)}`,
    ...waysOn(profile).map((way) => {
      const { when, comes } = wayInWords(way);
      return `  ${column(way.after)}  ${when && `${when}, `}then ${comes}`;
    }),
    '',
    'Rules',
    ...ruleSentences(profile).map((sentence) => `  ${sentence}`),
    '',
  ].join('\n');
}

/** When a way on is open, and what comes then. */
function wayInWords({ outcome, allowed }: WayOn): { readonly when: string; readonly comes: string } {
  return { when: outcome === undefined ? '' : outcomeWords[outcome], comes: orList(allowed) };
}

/** What else the profile asks for, a sentence each. */
export function ruleSentences(profile: Profile): string[] {
  const { tags, think_before, think_optional_before, once, min_interactions } = profile;
  const has = (kind: TagRule['kind']) => tags.some((rule) => rule.kind === kind);
  return [
    ...(has('observation') ? ['An <observation> follows every tool, and nothing else.'] : []),
    ...(think_before.length > 0 ? [`Thinking stands right before ${andList(think_before)}.`] : []),
    ...(think_optional_before.length > 0
      ? [`Thinking may stand before ${andList(think_optional_before)}.`]
      : []),
    ...once.map((tag) => `<${tag}> occurs exactly once.`),
    'Tags never nest, are never empty and never stand in text.',
    `Trajectories with fewer than ${min_interactions} tool calls are dropped, unless the configuration says otherwise.`,
  ];
}

function orList(tags: readonly string[]): string {
  return tags.length === 0 ? 'the end' : tags.map((tag) => `<${tag}>`).join(' | ');
}

function andList(tags: readonly string[]): string {
  return tags.map((tag) => `<${tag}>`).join(', ');
}

/** What may come after an action. */
interface WayOn {
  readonly after: string;
  /** Undefined: whatever the action holds; `otherwise`: where no other way of the action speaks. */
  readonly outcome: ActionOutcome | 'otherwise' | undefined;
  /** Empty at the end. */
  readonly allowed: readonly string[];
}

/** The ways on from every action, in the order of the profile's tags. */
function waysOn({ tags, follows, follows_when }: Profile): WayOn[] {
  const actions = tags.filter(({ kind }) => kind !== 'thinking' && kind !== 'observation');
  return actions.flatMap(({ tag: after, body }): WayOn[] => {
    const cases = follows_when.filter((rule) => rule.after === after);
    // A score is low or high; with both said, nothing is left.
    const isCovered = body === 'score' && new Set(cases.map(({ outcome }) => outcome)).size === 2;
    const outcome = cases.length > 0 ? 'otherwise' : undefined;
    return [...(isCovered ? [] : [{ after, outcome, allowed: follows[after] ?? [] } as const]), ...cases];
  });
}

/** What a way on that depends on the action's content is labelled with. */
const labels = { poor: 'Poor', low: 'score 1-2', high: 'score 3-4', otherwise: 'otherwise' } as const;

/**
 * A profile's order as a Mermaid state diagram: one state an action. Ways that depend on what the action holds carry
 * a label; thinking and observations are left out, as they stand before and after actions by rule.
 */
export function renderGrammarDiagram(profile: Profile): string {
  const edges = waysOn(profile).flatMap(({ after, outcome, allowed }) =>
    (allowed.length === 0 ? ['[*]'] : allowed).map(
      (to) => `${after} --> ${to}${outcome === undefined ? '' : ` : ${labels[outcome]}`}`,
    ),
  );
  const lines = [...profile.first.map((to) => `[*] --> ${to}`), ...edges];
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n');
}
