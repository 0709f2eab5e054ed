import type { BodyRule, TagRule } from '../../../schemas/coa/profile.ts';
import type { ArgumentShape } from './argumentShape.ts';

/** A tool that runs call, with its tag. */
export interface TaggedTool {
  /** Its key in the survey. */
  readonly key: string;
  readonly rule: TagRule;
  readonly shape: ArgumentShape;
}

/** The prompt of a profile that is built from rows: its tags, each with what stands in it. */
export function builtInstruction(
  tools: readonly TaggedTool[],
  has: { thinks: boolean; plans: boolean },
): string {
  const lines = [
    ...(has.thinks ? ['<think>: reason about what to do next.'] : []),
    ...(has.plans ? ['<plan>: the steps that lead to the answer.'] : []),
    ...tools.map(({ rule, shape }) => `<${rule.tag}>: ${bodyText(rule.body, shape.names)}`),
    ...(tools.length > 0 ? ['<observation>: what a tool returned. You never write it.'] : []),
    '<answer>: the final answer, once, at the end.',
  ];
  return `Answer the question. Write each step between its tags; tags never nest and never appear inside other text.\n\n${lines.join('\n')}`;
}

function bodyText(body: BodyRule, args: readonly string[]): string {
  // A prompt holds no words that somebody may have hidden in an argument's name.
  const names = args.filter((name) => /^[\w.-]{1,64}$/.test(name)).join(', ');
  const said = names === '' ? '' : ` (${names})`;
  const texts: Partial<Record<BodyRule, string>> = {
    urls: `one URL, or several joined by |, for the tool${said}.`,
    code: 'a program in a fenced py block; a fenced sh block after it is its standard input.',
    json: `a call of the tool: its arguments${said} as one JSON object in a fenced json block.`,
  };
  return texts[body] ?? `a call of the tool: its one argument${said}.`;
}
