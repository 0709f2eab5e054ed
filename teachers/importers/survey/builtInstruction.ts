import type { BodyRule, TagRule } from '../../../schemas/coa/profile.ts';
import type { ArgumentShape } from './argumentShape.ts';

/** A tool that runs call, with its tag. */
export interface TaggedTool {
  /** Its key in the survey. */
  readonly key: string;
  readonly rule: TagRule;
  readonly shape: ArgumentShape;
}

/** What a profile that is built from rows has. */
interface BuiltParts {
  readonly thinks: boolean;
  readonly plans: boolean;
  readonly tools: readonly TaggedTool[];
}

/** The prompt of a profile that is built from rows: its tags, each with what stands in it. */
export function builtInstruction({ thinks, plans, tools }: BuiltParts): string {
  const lines = [
    ...(thinks ? ['<think>: reason about what to do next.'] : []),
    ...(plans ? ['<plan>: the steps that lead to the answer.'] : []),
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
  switch (body) {
    case 'urls':
      return `one URL, or several joined by |, for the tool${said}.`;
    case 'code':
      return 'a program in a fenced py block; a fenced sh block after it is its standard input.';
    case 'json':
      return `a call of the tool: its arguments${said} as one JSON object in a fenced json block.`;
    default:
      return `a call of the tool: its one argument${said}.`;
  }
}
