import type { Block } from '../../../schemas/coa/layout.ts';
import { parseBlocks } from '../../../schemas/coa/parse.ts';
import { type Profile, type TagRule, tagOfKind, tagRule } from '../../../schemas/coa/profile.ts';
import { type ActionRule, answerOfBody, isAction } from '../../../schemas/interchange/actionAnswer.ts';
import { malformed, type RowRefusal, refusal } from '../rowRefusal.ts';
import type { ForeignCall, ForeignTurn } from './foreignRun.ts';
import type { ImportRecorder } from './importRecorder.ts';
import { spokenText } from './spokenText.ts';
import { actionWords, toolInput } from './toolInput.ts';
import { type ToolMap, tagOfTool } from './toolTags.ts';
import { TurnState, type UnheldResult } from './turnState.ts';

/**
 * Turns another system's turns into events:
 *
 * | in the source | event |
 * |---|---|
 * | what the model thought, also in `<think>` before its words, and what it said before it called a tool | the orchestrator's `think` |
 * | what stands before an `<answer>` at a text's end | the `think` of that answer |
 * | a call of a tool of the profile | the tool call |
 * | a call of a tool that is an action here (`final_answer`) | that action |
 * | a call that went to a sub-agent | the orchestrator's `think`, then the sub-agent's turns in its place |
 * | a text in the profile's tags | one action a tag, with the `think` before it |
 * | a text before the first action of a profile that begins with a plan | the plan |
 * | the last text | the answer |
 *
 * Any other text is refused: nothing says which agent spoke. So are tools that nothing maps and calls without result.
 */
export class TurnReader {
  readonly #profile: Profile;
  readonly #tools: ToolMap;
  readonly #recorder: ImportRecorder;
  #acted = false;
  /** The last answer, suggested or final. */
  finalAnswer: string | undefined;

  constructor(profile: Profile, tools: ToolMap, recorder: ImportRecorder) {
    this.#profile = profile;
    this.#tools = tools;
    this.#recorder = recorder;
  }

  read(turns: readonly ForeignTurn[]): void {
    turns.forEach((turn, at) => {
      this.#turn(turn, at === turns.length - 1 ? 'answer' : undefined);
    });
  }

  #turn(turn: ForeignTurn, lastText: 'answer' | 'report' | undefined): void {
    const state = new TurnState(turn, this.#unheldResults(turn), this.#recorder);
    if (turn.action !== undefined || !this.#tagged(state, turn.text)) this.#spoken(state, lastText);
    for (const call of turn.calls) this.#call(state, call);
    state.finish();
  }

  /** Reads a text that stands in the profile's tags from end to end; false for any other. */
  #tagged(state: TurnState, text: string): boolean {
    const blocks = taggedBlocks(this.#profile, text, state.turn.path);
    for (const { tag, body } of blocks ?? []) this.#block(state, tag, body);
    return blocks !== undefined;
  }

  #spoken(state: TurnState, lastText: 'answer' | 'report' | undefined): void {
    const { text, action } = state.turn;
    const said = action === undefined ? spokenText(text) : { thoughts: [], text };
    for (const thought of said.thoughts) state.think(thought);
    const isTagged = said.text !== text && this.#tagged(state, said.text);
    if (!isTagged && said.text.trim() !== '') this.#plainText(state, said.text, lastText);
  }

  #unheldResults({ calls }: ForeignTurn): UnheldResult[] {
    return calls.flatMap(({ name, observation }, call) => {
      const isTool = tagOfTool(this.#profile, name, this.#tools)?.kind === 'tool';
      return isTool || !observation ? [] : [{ call, observation }];
    });
  }

  #block(state: TurnState, tag: string, body: string): void {
    const rule = tagRule(this.#profile, tag)!;
    if (rule.kind === 'thinking') state.think(body);
    else if (isAction(rule)) this.#act(state, rule, body, state.turn.path);
    else throw refusal('tool_in_text', state.turn.path, `found <${tag}>`);
  }

  #plainText(state: TurnState, text: string, lastText: 'answer' | 'report' | undefined): void {
    const { turn } = state;
    if (turn.calls.length > 0 && turn.action === undefined) {
      state.think(text);
      return;
    }
    if (lastText === 'report') return;
    const kind = turn.action ?? (lastText === 'answer' ? 'answer' : this.#acted ? undefined : 'plan');
    const tag = kind && tagOfKind(this.#profile, kind);
    const rule = tag === undefined ? undefined : tagRule(this.#profile, tag);
    if (rule && isAction(rule)) {
      this.#act(state, rule, text, turn.path);
      return;
    }
    throw refusal('unnamed_message', turn.path);
  }

  #call(state: TurnState, call: ForeignCall): void {
    const rule = tagOfTool(this.#profile, call.name, this.#tools);
    if (!rule && call.subTurns) {
      this.#subAgent(state, call.subTurns);
      return;
    }
    if (!rule) throw unmappedTool(this.#profile, call);
    if (rule.kind === 'thinking') state.think(actionWords(call));
    else if (isAction(rule)) this.#act(state, rule, actionWords(call), call.path);
    else this.#tool(state, rule, call);
  }

  #tool(state: TurnState, rule: TagRule, call: ForeignCall): void {
    if (call.observation === null && call.failure === undefined)
      throw refusal('call_without_result', call.path, `it is of ${call.name}`);
    state.asks(rule.tag);
    const input = toolInput(rule, call);
    this.#recorder.toolCall(state.turn, state.agent, { tool: rule.tag, input }, call);
    this.#acted = true;
  }

  #subAgent(state: TurnState, turns: readonly ForeignTurn[]): void {
    state.asks(null);
    turns.forEach((turn, at) => {
      this.#turn(turn, at === turns.length - 1 ? 'report' : undefined);
    });
  }

  #act(state: TurnState, rule: ActionRule, body: string, path: string): void {
    const answer = answerOfBody(rule, body);
    if (!answer) throw refusal('bad_body', path, `the tag is <${rule.tag}>`);
    state.acts(rule, answer);
    this.#acted = true;
    if (typeof answer.answer === 'string') this.finalAnswer = answer.answer;
  }
}

function unmappedTool(profile: Profile, { name, path }: ForeignCall): RowRefusal {
  const tags = profile.tags.filter((rule) => rule.kind === 'tool').map((rule) => rule.tag);
  const help = `say --map ${name}=TAG (tools of ${profile.name}: ${tags.join(', ')})`;
  return refusal('unmapped_tool', `${path}.name`, help, { tool: name });
}

/**
 * What an agent said, as blocks, where it speaks in the profile's tags from its first character to its last; undefined
 * for plain text, which may quote tags.
 *
 * @throws RowRefusal (`malformed_row`) when the tags don't pair up; white space between them does not matter
 */
function taggedBlocks(profile: Profile, text: string, path: string): readonly Block[] | undefined {
  const trimmed = text.trim();
  const names = profile.tags.map((rule) => rule.tag).join('|');
  if (!new RegExp(`^<(?:${names})>[\\s\\S]*</(?:${names})>$`).test(trimmed)) return undefined;
  const { blocks, issues } = parseBlocks(profile, trimmed);
  const wrong = issues.find((issue) => issue.code !== 'wrong_layout');
  if (!wrong) return blocks;
  throw malformed({ ...wrong, path, message: `${wrong.message} (character ${wrong.offset})` });
}
