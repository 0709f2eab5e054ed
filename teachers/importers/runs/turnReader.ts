import type { Block } from '../../../schemas/coa/layout.ts';
import { parseBlocks } from '../../../schemas/coa/parse.ts';
import { type Profile, type TagRule, tagOfKind, tagRule, toolTags } from '../../../schemas/coa/profile.ts';
import { type ActionRule, answerOfBody, isAction } from '../../../schemas/interchange/actionAnswer.ts';
import { malformed, type RowRefusal, refusal } from '../rowRefusal.ts';
import type { ForeignCall, ForeignTurn } from './foreignRun.ts';
import { type ImportRecorder, TurnRecorder } from './importRecorder.ts';
import { spokenText } from './spokenText.ts';
import { actionWords, toolInput } from './toolInput.ts';
import { type ToolMap, tagOfTool } from './toolTags.ts';

/** Role of the last text of a run or sub-agent; undefined for other turns. */
type LastText = 'answer' | 'report' | undefined;

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
  #answered = false;
  #thought = '';
  /** Last answer, suggested or final. */
  finalAnswer: string | undefined;

  constructor(profile: Profile, tools: ToolMap, recorder: ImportRecorder) {
    this.#profile = profile;
    this.#tools = tools;
    this.#recorder = recorder;
  }

  read(turns: readonly ForeignTurn[], lastText: LastText = 'answer'): void {
    for (const [at, turn] of turns.entries())
      this.#turn(turn, at === turns.length - 1 ? lastText : undefined);
  }

  #turn(turn: ForeignTurn, lastText: LastText): void {
    const unheld = this.#unheldResults(turn);
    const kept = unheld.length > 0 ? { ...turn, extra: { ...turn.extra, unheld_results: unheld } } : turn;
    const state = new TurnRecorder(kept, this.#recorder, this.#thought);
    this.#thought = '';
    if (turn.action !== undefined || !this.#tagged(state, turn.text)) this.#spoken(state, lastText);
    for (const call of turn.calls) this.#call(state, call);
    this.#thought = state.finish();
  }

  /** Reads a text entirely in the profile's tags; false for others. */
  #tagged(state: TurnRecorder, text: string): boolean {
    const blocks = taggedBlocks(this.#profile, text, state.turn.path);
    for (const { tag, body } of blocks ?? []) this.#block(state, tag, body);
    return blocks !== undefined;
  }

  #spoken(state: TurnRecorder, lastText: LastText): void {
    const { text, action } = state.turn;
    const said = action === undefined ? spokenText(text) : { thoughts: [], text };
    for (const thought of said.thoughts) state.think(thought);
    const isTagged = said.text !== text && this.#tagged(state, said.text);
    if (!isTagged && said.text.trim() !== '') this.#plainText(state, said.text, lastText);
  }

  /** Results, with paths, of calls that are not tool calls here and so have no event. */
  #unheldResults({ calls }: ForeignTurn) {
    return calls.flatMap(({ name, observation }, call) => {
      const isTool = tagOfTool(this.#profile, name, this.#tools)?.kind === 'tool';
      return isTool || !observation ? [] : [{ call, observation }];
    });
  }

  #block(state: TurnRecorder, tag: string, body: string): void {
    const rule = tagRule(this.#profile, tag)!;
    if (rule.kind === 'thinking') state.think(body);
    else if (isAction(rule)) this.#act(state, rule, body, state.turn.path);
    else throw refusal('tool_in_text', state.turn.path, `found <${tag}>`);
  }

  #plainText(state: TurnRecorder, text: string, lastText: LastText): void {
    const { turn } = state;
    if (turn.calls.length > 0 && turn.action === undefined) {
      state.think(text);
      return;
    }
    if (lastText === 'report') return;
    const kind = turn.action ?? (lastText === 'answer' ? 'answer' : this.#acted ? undefined : 'plan');
    const tag = kind && tagOfKind(this.#profile, kind);
    const rule = tag === undefined ? undefined : tagRule(this.#profile, tag);
    if (!rule || !isAction(rule)) throw refusal('unnamed_message', turn.path);
    this.#act(state, rule, text, turn.path);
  }

  #call(state: TurnRecorder, call: ForeignCall): void {
    const rule = tagOfTool(this.#profile, call.name, this.#tools);
    if (!rule && call.subTurns) {
      state.asks(null);
      this.read(call.subTurns, 'report');
    } else if (!rule) throw unmappedTool(this.#profile, call);
    else if (rule.kind === 'thinking') state.think(actionWords(call));
    else if (isAction(rule)) this.#act(state, rule, actionWords(call), call.path);
    else this.#tool(state, rule, call);
  }

  #tool(state: TurnRecorder, rule: TagRule, call: ForeignCall): void {
    if (call.observation === null && call.failure === undefined)
      throw refusal('call_without_result', call.path, `it is of ${call.name}`);
    if (this.#answered) throw refusal('text_after_answer', call.path);
    state.calls({ tool: rule.tag, input: toolInput(rule, call) }, call);
    this.#acted = true;
  }

  #act(state: TurnRecorder, rule: ActionRule, body: string, path: string): void {
    if (this.#answered) throw refusal('text_after_answer', path);
    this.#answered = rule.kind === 'answer';
    const answer = answerOfBody(rule, body);
    if (!answer) throw refusal('bad_body', path, `the tag is <${rule.tag}>`);
    state.acts(rule, answer);
    this.#acted = true;
    if (typeof answer.answer === 'string') this.finalAnswer = answer.answer;
  }
}

function unmappedTool(profile: Profile, { name, path }: ForeignCall): RowRefusal {
  const help = `say --map ${name}=TAG (tools of ${profile.name}: ${toolTags(profile).join(', ')})`;
  return refusal('unmapped_tool', `${path}.name`, help, { tool: name });
}

/**
 * Blocks of a text entirely in the profile's tags; undefined for plain text, which may quote tags.
 * @throws RowRefusal (`malformed_row`) when the tags don't pair up; white space between them does not matter
 */
function taggedBlocks(profile: Profile, text: string, path: string): readonly Block[] | undefined {
  const trimmed = text.trim();
  const names = profile.tags.map((rule) => rule.tag).join('|');
  if (!new RegExp(`^<(?:${names})>[\\s\\S]*</(?:${names})>$`).test(trimmed)) return undefined;
  const { blocks, issues } = parseBlocks(profile, trimmed);
  const wrong = issues.find((issue) => issue.code !== 'wrong_layout');
  if (!wrong) return blocks;
  throw malformed(wrong.code, path, `${wrong.message} (character ${wrong.offset})`);
}
