import { RecordFailure } from '../../contract/errors.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { ConvertConfig } from '../../schemas/config/convert.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';
import { taskOf } from './traceFixture.ts';
import { TraceTree } from './traceTree.ts';

/** A tree that begins with a plan. */
export function planned(profile = 'mhqa'): TraceTree {
  const tree = new TraceTree(taskOf(profile));
  tree.agent({ role: 'planner', action: 'plan', answer: { think: 'first', plan: 'p' } });
  return tree;
}

/** The orchestrator thinks. */
export const thinks = (tree: TraceTree, think: string, parent?: string) =>
  tree.agent({ role: 'orchestrator', answer: { think } }, parent);
/** A tool agent asks its tool. */
export const asks = (tree: TraceTree, parent?: string) => tree.agent({ role: 'tool_agent' }, parent);
/** A search; it failed where there is a failure. */
export const search = (query: string, failure?: string) => ({
  tool: 'wiki_search',
  input: { query },
  ...(failure === undefined ? { observation: `of ${query}` } : { observation: null, failure }),
});

/** The answerer answers. */
export const answers = (tree: TraceTree) =>
  tree.agent({ role: 'answerer', action: 'answer', answer: { think: 'so', answer: 'she' } });

/** Ends the tree with an answer, if it has none, and converts it. */
export function ended(tree: TraceTree, settings?: ConvertConfig): Trajectory {
  if (!tree.events.some((event) => event.type === 'agent_call' && event.role === 'answerer')) answers(tree);
  const trace = tree.trace();
  return convertTrace(trace, builtinProfile(trace.profile)!, 'sys', settings);
}

/** The words of a trajectory without its plan, its answer and their thinking: one line a segment. */
export function told(tree: TraceTree, settings?: ConvertConfig): string[] {
  const segments = ended(tree, settings).segments.slice(2, -2);
  return segments.map(({ tag, text }) =>
    text.trim().replaceAll(/<\/?\w+>|\n/g, (mark) => (mark === `<${tag}>` ? `${tag}: ` : '')),
  );
}

/** Why a tree can't be converted; fails when it can. */
export function refusal(tree: TraceTree, settings?: ConvertConfig): { why: string; event: string } {
  try {
    ended(tree, settings);
  } catch (error) {
    if (error instanceof RecordFailure) return error.failure.evidence as { why: string; event: string };
    throw error;
  }
  throw new Error('the trace was not refused');
}
