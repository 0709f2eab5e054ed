import { pythonJson } from './chatTurns.ts';
import type { DatasetRow } from './datasetRow.ts';

/** Markup of calls and thinking in foreign rows: it opens and closes no turn. `check` has its own list. */
export const markupInTurns: ReadonlySet<string> = new Set(
  '<tool_call> </tool_call> <tool_response> </tool_response> <tools> </tools> <think> </think> [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] <|python_tag|>'.split(
    ' ',
  ),
);

/** Result of a tool in a turn, in the format of Qwen2.5's chat template. */
export function qwenToolResult(text: string): string {
  return `<tool_response>\n${text}\n</tool_response>`;
}

/** Declared functions of a row, in the format that Qwen2.5's chat template adds to the system turn. */
export function qwenTools({ tools }: Pick<DatasetRow, 'tools'>): string {
  if (tools.length === 0) return '';
  const declared = tools.map(pythonJson).join('\n');
  return `\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${declared}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}
