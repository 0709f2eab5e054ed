import type { ParsedToolInput, Tool } from '../../contract/tool.ts';
import { askedInputs, bodyProblem } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { toolOf } from '../solving/callTool.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';

/** Tool called by a step, and its parsed body. */
export interface ToolRequest {
  readonly tool: Tool;
  readonly input: ParsedToolInput;
}

/** Tool and parsed body of a call. Throws `RecordFailure` (`tool_unavailable`) without the tool. */
export function toolRequest(
  profile: Profile,
  { tag, body }: { readonly tag: string; readonly body: string },
  { tools }: Pick<CoaModelOptions, 'tools'>,
): ToolRequest {
  const tool = toolOf(tools, tag);
  const rule = tagRule(profile, tag)!.body;
  const parsed = askedInputs(rule, body).map((input) => tool.parseInput(input));
  const input = parsed.find(({ ok }) => ok) ??
    parsed[0] ?? { ok: false, error: bodyProblem(rule, body) ?? 'it can not be read' };
  return { tool, input };
}
