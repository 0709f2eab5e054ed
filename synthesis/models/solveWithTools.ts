import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { dataText } from '../../contract/prompting.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import { closedObject } from '../../teachers/multiAgent/roleAsks.ts';
import type { Asked, RoleContext, ToolTry } from '../roles.ts';
import { askModel, type RoleModel, type RoleQuestion, tookOf } from './askModel.ts';

interface ToolSolver {
  readonly model: RoleModel;
  readonly tools: readonly Tool[];
  readonly maxToolCalls: number;
}

/** Tool call or answer. */
type Turn = { readonly tool: Tool; readonly input: JsonObject } | { readonly answer: string };

/** Maximum characters of a tool result shown to the solver. */
const MAX_SHOWN_CHARS = 12_000;

/**
 * Lets a model answer a question with one tool call per turn. After the last call it has to answer.
 *
 * @throws RecordFailure also if a tool's service failed
 */
export async function solveWithTools(
  question: string,
  solver: ToolSolver,
  context: RoleContext,
): Promise<Asked<ToolTry>> {
  const shown: string[] = [];
  const asked: Asked<Turn>[] = [];
  const turns: ChatMessage[] = [];
  for (;;) {
    const turn = await askModel(turnQuestion(question, turns, solver, shown.length), solver.model, context);
    asked.push(turn);
    if ('answer' in turn.value) {
      const value = { answer: turn.value.answer, tool_calls: shown.length, shown };
      return { ...tookOf(asked), value };
    }
    const { tool, input } = turn.value;
    const work = { task_id: context.taskId, stage: context.stage };
    const { observation } = await tool.call(input, context.signal, work, { question });
    shown.push(observation);
    const call = JSON.stringify({ next: { action: tool.name, input } });
    const result = dataText({ result: observation.slice(0, MAX_SHOWN_CHARS) });
    turns.push({ role: 'assistant', content: call }, { role: 'user', content: result });
  }
}

function turnQuestion(
  question: string,
  turns: readonly ChatMessage[],
  { tools, maxToolCalls }: ToolSolver,
  taken: number,
): RoleQuestion<Turn> {
  const offered = taken < maxToolCalls ? tools : [];
  const branches = [
    ...offered.map(({ name, definition }) => branch(name, { input: definition.parameters })),
    branch('answer', { answer: { type: 'string' } }),
  ];
  return {
    ...{ role: 'solve', name: 'tool_turn', rules: rulesFor(tools), data: { question }, turns },
    schema: closedObject({ next: { anyOf: branches } }),
    read: (said) => readTurn(isJsonObject(said.next) ? said.next : said, offered),
  };
}

function branch(action: string, members: JsonObject): JsonObject {
  return closedObject({ action: { type: 'string', enum: [action] }, ...members });
}

function rulesFor(tools: readonly Tool[]): string {
  const calls = tools.map(
    ({ name, definition }) =>
      `{"next": {"action": "${name}", "input": ${JSON.stringify(definition.parameters.properties ?? {})}}}: ${definition.description}`,
  );
  return `You answer a question with tools, one call at a time. Look up all that the question rests on; do not answer from memory.

Answer each time with one JSON object and nothing else, one of
${calls.join('\n')}
{"next": {"action": "answer", "answer": "..."}}: the shortest words that answer the question, or "" where you can't find out`;
}

function readTurn(
  { action, input, answer }: JsonObject,
  tools: readonly Tool[],
): ReturnType<RoleQuestion<Turn>['read']> {
  if (action === 'answer' && typeof answer === 'string')
    return { ok: true, value: { answer: answer.trim() } };
  const tool = tools.find(({ name }) => name === action);
  if (!tool) {
    const actions = [...tools.map(({ name }) => name), 'answer'].map((name) => `"${name}"`);
    return { ok: false, error: `"action" must be one of ${actions.join(', ')}, with its members` };
  }
  const parsed = tool.parseInput(input);
  return parsed.ok ? { ok: true, value: { tool, input: parsed.input } } : parsed;
}
