import type { ParseIssue } from '../../../schemas/coa/parseIssue.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { EncodedText } from '../tokenText.ts';
import type { AuditSettings, RowProblem } from './auditSettings.ts';
import type { AnswerOfTurn, ChatTurn, ControlPlace } from './chatTurns.ts';
import { startProblem, startProblems } from './startProblems.ts';

/** What the structure of a row is judged by. */
export interface RowStructure {
  readonly row: EncodedText;
  readonly controls: readonly ControlPlace[];
  readonly turns: readonly ChatTurn[];
  readonly answers: readonly AnswerOfTurn[];
  readonly settings: AuditSettings;
  readonly trajectory: Trajectory | undefined;
}

/** What is wrong with the turns and tags of a row, before any mask is looked at. */
export function structureProblems(structure: RowStructure): RowProblem[] {
  const { answers, row } = structure;
  if (answers.length === 0) {
    const message = 'no turn of the model in ChatML, Llama 3 or Mistral markup was found';
    return [{ kind: 'no_model_turn', message, token: null, tokens: 0 }];
  }
  const start = startProblems(row, structure.controls, structure.turns);
  if (start.length > 0) return start;
  const controls = [...foreignControls(structure), ...closedInside(structure), ...closedEarly(structure)];
  if (controls.length > 0) return controls.slice(0, 1);
  const broken = brokenStructure(structure);
  if (broken !== undefined) {
    const token = tokenAt(row, broken.offset);
    return [{ kind: 'broken_structure', message: broken.message, token, tokens: 0 }];
  }
  const blank = answers.find(
    ({ turn }) => turn.closed > turn.to && row.text.slice(turn.from, turn.to).trim() === '',
  );
  if (blank) {
    const token = tokenAt(row, blank.turn.from);
    return [{ kind: 'empty_answer', message: 'the turn of the model has no words', token, tokens: 0 }];
  }
  return endProblems(structure);
}

/** Markup of calls and of thinking, which templates write into rows of tools: it opens and closes no turn. */
const markupInTurns: ReadonlySet<string> = new Set(
  '<tool_call> </tool_call> <tool_response> </tool_response> <tools> </tools> <think> </think> [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] <|python_tag|>'.split(
    ' ',
  ),
);

/** Control tokens between the opening and the end of a turn, which are not tags of the answer. */
function foreignControls({ controls, turns, answers, settings }: RowStructure): RowProblem[] {
  const isInBlock = createBlockSearch(answers);
  const tags = new Set(answers.flatMap(({ answer }) => answer.spans.map((span) => span.tag)));
  return controls
    .filter(({ text, at }) => {
      const turn = turns.find(({ from, to }) => at >= from && at < to);
      if (turn === undefined || tags.has(text.replace(/^<\/?|>$/g, ''))) return false;
      return settings.own || !markupInTurns.has(text) || isInBlock(at);
    })
    .map(({ text, token }) => controlProblem(text, token));
}

/** Whether a place lies in a block of an answer; places are asked for in order. */
function createBlockSearch(answers: readonly AnswerOfTurn[]): (place: number) => boolean {
  const blocks = answers.flatMap(({ answer }) => answer.spans.filter(({ block }) => block !== null));
  let next = 0;
  return (place) => {
    while (next < blocks.length && blocks[next]!.to <= place) next += 1;
    return next < blocks.length && blocks[next]!.from <= place;
  };
}

/** A turn of the model that is closed while a block is still open: text that spelt the end of a turn closed it. */
function closedInside({ answers, controls, row, settings }: RowStructure): RowProblem[] {
  const cut = answers.find(({ turn, answer }) => answer.open !== undefined && turn.closed > turn.to);
  if (!cut) {
    const second = settings.own ? answers[1] : undefined;
    return second ? [controlProblem('the markup of a second answer', tokenAt(row, second.turn.from))] : [];
  }
  const control = controls.find(({ at }) => at === cut.turn.to);
  return control ? [controlProblem(control.text, control.token)] : [];
}

/** Text behind the end of a turn, before the next one opens: the turn ended too early. */
function closedEarly({ turns, controls, row }: RowStructure): RowProblem[] {
  const early = turns.find((turn, at) => {
    const next = turns[at + 1];
    const until = next === undefined ? row.text.length : next.opened;
    return until !== null && row.text.slice(turn.end, until).trim() !== '';
  });
  const stray = early && controls.find(({ at }) => at === early.end);
  if (stray)
    return [
      startProblem(`${stray.text} stands behind the end of a turn, where the next one opens`, stray.token),
    ];
  const control = early && controls.find(({ at }) => at === early.to);
  return control ? [controlProblem(control.text, control.token)] : [];
}

function controlProblem(text: string, token: number): RowProblem {
  const message = `${text} stands inside a text: escape it before it is written`;
  return { kind: 'control_token_in_text', message, token, tokens: 1 };
}

/** The first issue that leaves open who wrote what. In rows of our own any issue is one. */
function brokenStructure({ answers, settings, trajectory, row }: RowStructure): ParseIssue | undefined {
  for (const each of answers) {
    const { turn, answer } = each;
    const found = answer.issues.find(
      (issue) => isDoubtful(issue, answer.open, settings) && !isAtOpenEnd(issue, each),
    );
    if (found) return { ...found, offset: turn.from + found.offset };
  }
  const { answer, turn } = answers.at(-1)!;
  if (!trajectory || !settings.own || turn.closed === turn.to) return undefined;
  const expected = originsOf(trajectory.segments);
  const blocks = answer.spans.filter(({ block }) => block !== null);
  const found = originsOf(blocks.map(({ tag, party }) => ({ tag, origin: party })));
  if (expected === found) return undefined;
  const message = `the answer has the blocks ${found}, its trajectory ${expected}`;
  const offset = Math.min(turn.from, row.text.length - 1);
  return { code: 'wrong_layout', offset, message };
}

/** The order of blocks in short, for comparing and for people: tags of the model, `[...]` around those of others. */
function originsOf(blocks: readonly { readonly tag: string; readonly origin: string }[]): string {
  return blocks.map(({ tag, origin }) => (origin === 'environment' ? `[${tag}]` : tag)).join(' ');
}

function isDoubtful(
  issue: ParseIssue,
  open: string | undefined,
  { own, observationTag = 'observation' }: Pick<AuditSettings, 'own' | 'observationTag'>,
): boolean {
  // The end of a row is judged by itself: it may be cut off.
  if (issue.code === 'missing_end_tag') return false;
  if (own) return !(issue.code === 'wrong_layout' && open !== undefined);
  return (
    issue.code === 'unexpected_end_tag' ||
    (issue.code === 'nested_tag' && issue.message.startsWith(`<${observationTag}>`))
  );
}

/** What stands behind the last block of a row that nothing closes is judged as its end, see `endProblems`. */
function isAtOpenEnd(issue: ParseIssue, { turn, answer }: AnswerOfTurn): boolean {
  const last = answer.spans.findLast((span) => span.block !== null);
  return turn.closed === turn.to && turn.from + issue.offset >= (last?.body?.to ?? turn.from);
}

/** Whether tags leave open who wrote what. */
export function isAmbiguous(
  answers: readonly AnswerOfTurn[],
  { observationTag }: Pick<AuditSettings, 'observationTag'>,
): boolean {
  const settings = { own: false, observationTag };
  return answers.some(({ answer }) =>
    answer.issues.some((issue) => isDoubtful(issue, answer.open, settings)),
  );
}

/** Rows that end too early. */
function endProblems({ answers, settings, trajectory, row }: RowStructure): RowProblem[] {
  const { turn, answer } = answers.at(-1)!;
  if (turn.closed > turn.to && answer.open === undefined) return [];
  const token = Math.max(0, row.ids.length - 1);
  const last = answer.spans.findLast((span) => span.block !== null);
  const isLast = trajectory ? last?.block === trajectory.segments.length - 1 : last?.tag === 'answer';
  const endsCleanly = answer.open === undefined && last?.to === turn.to;
  const isWhole = isLast && endsCleanly;
  if (isWhole && !(settings.mayBeCut && trajectory === undefined)) {
    const message = 'expected the end of a turn after the last block';
    return [{ kind: 'missing_end_of_turn', message, token, tokens: 0 }];
  }
  if (settings.mayBeCut && endsCleanly && last?.party === 'model') return [];
  const where = answer.open === undefined ? `after <${last?.tag ?? 'nothing'}>` : `inside <${answer.open}>`;
  return [{ kind: 'truncated_row', message: `the row ends ${where}`, token, tokens: 0 }];
}

/** The token that covers a place of the text, or the next one. */
export function tokenAt(row: EncodedText, place: number): number {
  const token = row.ends.findIndex((end) => end > place);
  return token < 0 ? Math.max(0, row.ids.length - 1) : token;
}
