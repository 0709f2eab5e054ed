import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { failureOf, RecordFailure, RunHalted } from '../../contract/errors.ts';
import type { Tool, ToolGoal } from '../../contract/tool.ts';
import type { Solving } from './solveTask.ts';

/** Tool of a tag. Throws `RecordFailure` (`tool_unavailable`) if it is not configured. */
export function toolOf(tools: ReadonlyMap<string, Tool>, tag: string): Tool {
  const tool = tools.get(tag);
  if (!tool) throw new RecordFailure('tool_unavailable', `no tool is configured for <${tag}>`);
  return tool;
}

/** Calls the tool and records the call, failed or not. */
export async function callTool(
  tool: Tool,
  input: JsonObject,
  goal: ToolGoal,
  { recorder, budget, work }: Solving,
): Promise<string> {
  const start = recorder.start();
  try {
    const { observation, raw, cached = false } = await tool.call(input, budget.signal, work, goal);
    recorder.toolCall({ tool: tool.name, input, observation, raw, cached, failure: null }, start);
    return observation;
  } catch (error) {
    const failed = budget.timeFailure() ?? error;
    // The work stays pending, or the run ends: no record is to blame.
    if (budget.signal.aborted ? failed === error : endsTheRun(error)) throw error;
    const failure = failureOf(failed);
    recorder.toolCall(
      { tool: tool.name, input, observation: null, raw: null, cached: false, failure },
      start,
    );
    throw failed;
  }
}

function endsTheRun(error: unknown): boolean {
  return error instanceof RunHalted || error instanceof UserError;
}
