import type { ParseIssue } from '../../schemas/coa/parseIssue.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { TurnAnswer } from './answerSpans.ts';
import { type ChatTurn, type ControlPlace, startFaults } from './chatTurns.ts';
import { type Fault, fault, type MaskSettings } from './rules.ts';
import { type EncodedText, tokenAt } from './tokenText.ts';

interface RowStructure {
  readonly row: EncodedText;
  readonly controls: readonly ControlPlace[];
  readonly turns: readonly ChatTurn[];
  readonly answers: readonly TurnAnswer[];
  readonly settings: MaskSettings;
  readonly trajectory: Trajectory | undefined;
}

/** Faults of a row's turns and tags, before its mask is checked; only the first kind found is returned. */
export function structureFaults(structure: RowStructure): Fault[] {
  const { answers, row, controls, turns } = structure;
  if (answers.length === 0)
    return [fault('no_model_turn', 'no turn of the model in ChatML, Llama 3 or Mistral markup was found')];
  const start = startFaults(row, controls, turns);
  if (start.length > 0) return start;
  const inText = [...foreignControls(structure), ...closedInside(structure), ...closedEarly(structure)];
  if (inText.length > 0) return inText.slice(0, 1);
  const broken = brokenStructure(structure);
  if (broken) return [fault('broken_structure', broken.message, tokenAt(row, broken.offset))];
  const blank = answers.find(
    ({ turn }) => turn.closed > turn.to && row.text.slice(turn.from, turn.to).trim() === '',
  );
  if (blank)
    return [fault('empty_answer', 'the turn of the model has no words', tokenAt(row, blank.turn.from))];
  return endFaults(structure);
}

/** Tokens for calls and thinking in rows of tools; they neither open nor close a turn. */
const markupInTurns: ReadonlySet<string> = new Set(
  '<tool_call> </tool_call> <tool_response> </tool_response> <tools> </tools> <think> </think> [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] <|python_tag|>'.split(
    ' ',
  ),
);

function controlFault(text: string, token: number): Fault {
  return fault('control_token', `${text} stands inside a text: escape it before it is written`, token);
}

/** Control tokens inside a turn that are no tags of the answer. */
function foreignControls({ controls, turns, answers, settings }: RowStructure): Fault[] {
  const blocks = answers.flatMap(({ spans }) => spans.filter(({ block }) => block !== null));
  const tags = new Set(answers.flatMap(({ spans }) => spans.map(({ tag }) => tag)));
  let next = 0;
  return controls.flatMap(({ text, at, token }) => {
    const isInTurn = turns.some(({ from, to }) => at >= from && at < to);
    if (!isInTurn || tags.has(text.replace(/^<\/?|>$/g, ''))) return [];
    while (next < blocks.length && blocks[next]!.to <= at) next += 1;
    const isInBlock = next < blocks.length && blocks[next]!.from <= at;
    return settings.own || !markupInTurns.has(text) || isInBlock ? [controlFault(text, token)] : [];
  });
}

/** Model turn that closes inside an open block, because text spelled the end of a turn. */
function closedInside({ answers, controls, row, settings }: RowStructure): Fault[] {
  const cut = answers.find(({ turn, open }) => open !== undefined && turn.closed > turn.to);
  const second = settings.own ? answers[1] : undefined;
  if (!cut)
    return second ? [controlFault('the markup of a second answer', tokenAt(row, second.turn.from))] : [];
  const control = controls.find(({ at }) => at === cut.turn.to);
  return control ? [controlFault(control.text, control.token)] : [];
}

/** Text between two turns: the first one ended too early. */
function closedEarly({ turns, controls, row }: RowStructure): Fault[] {
  const early = turns.find((turn, at) => {
    const next = turns[at + 1];
    const until = next === undefined ? row.text.length : next.opened;
    return until !== null && row.text.slice(turn.end, until).trim() !== '';
  });
  if (!early) return [];
  const stray = controls.find(({ at }) => at === early.end);
  if (stray)
    return [
      fault(
        'wrong_start',
        `${stray.text} stands after the end of a turn, where the next one opens`,
        stray.token,
      ),
    ];
  const control = controls.find(({ at }) => at === early.to);
  return control ? [controlFault(control.text, control.token)] : [];
}

/** First issue that leaves an author unclear; in coa-distill's rows, any issue. */
function brokenStructure({ answers, settings, trajectory, row }: RowStructure) {
  for (const answer of answers) {
    const found = answer.issues.find(
      (issue) => isDoubtful(issue, answer.open, settings) && !isAtOpenEnd(issue, answer),
    );
    if (found) return { message: found.message, offset: answer.turn.from + found.offset };
  }
  const { spans, turn } = answers.at(-1)!;
  if (!trajectory || !settings.own || turn.closed === turn.to) return undefined;
  const expected = originsOf(trajectory.segments);
  const blocks = spans.filter(({ block }) => block !== null);
  const found = originsOf(blocks.map(({ tag, party }) => ({ tag, origin: party })));
  if (expected === found) return undefined;
  const message = `the answer has the blocks ${found}, its trajectory ${expected}`;
  return { message, offset: Math.min(turn.from, row.text.length - 1) };
}

/** Short form of the block order: tags, with those of the environment in brackets. */
function originsOf(blocks: readonly { readonly tag: string; readonly origin: string }[]): string {
  return blocks.map(({ tag, origin }) => (origin === 'environment' ? `[${tag}]` : tag)).join(' ');
}

function isDoubtful(
  issue: ParseIssue,
  open: string | undefined,
  { own, observationTag = 'observation' }: Pick<MaskSettings, 'own' | 'observationTag'>,
): boolean {
  // The end of a row is checked separately, since it may be cut off.
  if (issue.code === 'missing_end_tag') return false;
  if (own) return !(issue.code === 'wrong_layout' && open !== undefined);
  const isInObservation = issue.message.startsWith(`<${observationTag}>`);
  return issue.code === 'unexpected_end_tag' || (issue.code === 'nested_tag' && isInObservation);
}

/** True if an issue lies behind the unclosed last block of a row; {@link endFaults} judges that end. */
function isAtOpenEnd(issue: ParseIssue, { turn, spans }: TurnAnswer): boolean {
  const last = spans.findLast((span) => span.block !== null);
  return turn.closed === turn.to && turn.from + issue.offset >= (last?.bodyEnd ?? turn.from);
}

/** True if tags do not identify the author of some text. */
export function isAmbiguous(
  answers: readonly TurnAnswer[],
  { observationTag }: Pick<MaskSettings, 'observationTag'>,
): boolean {
  const settings = { own: false, observationTag };
  return answers.some(({ issues, open }) => issues.some((issue) => isDoubtful(issue, open, settings)));
}

/** Faults of rows that end too early. */
function endFaults({ answers, settings, trajectory, row }: RowStructure): Fault[] {
  const { turn, spans, open } = answers.at(-1)!;
  if (turn.closed > turn.to && open === undefined) return [];
  const token = Math.max(0, row.ids.length - 1);
  const last = spans.findLast((span) => span.block !== null);
  const isLast = trajectory ? last?.block === trajectory.segments.length - 1 : last?.tag === 'answer';
  const endsCleanly = open === undefined && last?.to === turn.to;
  if (isLast && endsCleanly && !(settings.mayBeCut && trajectory === undefined))
    return [fault('missing_end_of_turn', 'expected the end of a turn after the last block', token)];
  if (settings.mayBeCut && endsCleanly && last?.party === 'model') return [];
  const where = open === undefined ? `after <${last?.tag ?? 'nothing'}>` : `inside <${open}>`;
  return [fault('truncated_row', `the row ends ${where}`, token)];
}
