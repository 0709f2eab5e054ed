import type { EncodedText } from '../tokenText.ts';
import type { RowProblem } from './auditSettings.ts';
import type { ChatTurn, ControlPlace } from './chatTurns.ts';

/** Tokens that begin a text in the vocabularies in use; Qwen has none. */
const knownBos = new Set(['<|begin_of_text|>', '<s>', '<bos>', '<|startoftext|>', '<｜begin▁of▁sentence｜>']);
/** How much of what stands too much is quoted. */
const MAX_QUOTED = 40;

/** How a row begins: with one BOS where its markup has one, then with its first turn. */
export function startProblems(
  row: EncodedText,
  controls: readonly ControlPlace[],
  turns: readonly ChatTurn[],
): RowProblem[] {
  const [first] = turns;
  if (first === undefined) return [];
  const begun = leadingBos(controls);
  if (begun.length > 1) return [startProblem(`${begun[0]!.text} stands ${begun.length} times`, 0)];
  const from = begun[0]?.text.length ?? 0;
  const stray = first.opened === null ? '' : row.text.slice(from, first.opened);
  if (stray !== '') {
    const quoted = JSON.stringify(stray.slice(0, MAX_QUOTED));
    return [startProblem(`${quoted} stands before the first turn`, begun.length)];
  }
  const isMissing = first.bos !== null && begun.length === 0;
  return isMissing ? [startProblem(`${first.bos} is missing at the beginning of the row`, 0)] : [];
}

function leadingBos(controls: readonly ControlPlace[]): ControlPlace[] {
  let end = 0;
  const after = controls.findIndex(({ at, text }) => {
    const isNext = at === end && knownBos.has(text);
    end += text.length;
    return !isNext;
  });
  return controls.slice(0, after < 0 ? undefined : after);
}

/** What is wrong with the beginning of a row, or of a turn. */
export function startProblem(message: string, token: number): RowProblem {
  return { kind: 'wrong_start', message, token, tokens: 1 };
}
