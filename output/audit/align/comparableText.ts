import { normalForm } from '../../../schemas/normalForm.ts';
import type { DatasetRow } from '../../../schemas/rows/datasetRow.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { TokenText } from '../tokenText.ts';

/**
 * Text without what rendering may change: backslashes before look-alikes of control tokens, normal form, lone
 * surrogates.
 */
export function bareText(text: string): string {
  return normalForm(text.toWellFormed(), 'NFC').replaceAll('\\', '');
}

/** The whole text of a row, for finding out whose it is. */
export async function comparableText(
  { tokens, maskedBy, user, text, pieces }: DatasetRow,
  tokenText: TokenText,
): Promise<string> {
  if (maskedBy === 'fork') return bareText(`${user ?? ''}\n${text ?? ''}`);
  if (!tokens) return bareText(pieces.map((piece) => piece.text).join(''));
  const known = tokens.ids.filter((id) => Number.isInteger(id) && id >= 0 && tokenText.knows(id));
  return bareText(await tokenText.decode(known));
}

/** How far a row's text is that of a trajectory. `cut`: it ends before the trajectory does, at any place. */
type Likeness = 'same' | 'cut' | 'alike' | 'other';

/** Markup that may stand between the user's words and the answer, and after it, in characters. */
const markupLength = 200;
/** Characters of an answer's beginning that tell one answer from others. */
const beginning = 80;

/** Compares a row with a trajectory; neither the chat markup nor the system turn is looked at. */
export function likeness(text: string, trajectory: Trajectory): Likeness {
  const user = bareText(trajectory.user).trim();
  const answer = bareText(trajectory.segments.map((segment) => segment.text).join(''));
  const found = textFromAnswer(text, user, answer.slice(0, beginning));
  if (found === undefined) return 'other';
  if (found.startsWith(answer) && found.length - answer.length <= markupLength) return 'same';
  return answer.startsWith(found) ? 'cut' : 'alike';
}

/** The text from the answer on, which follows the user's words; the system turn may hold these words too. */
function textFromAnswer(text: string, user: string, answer: string): string | undefined {
  for (let at = text.indexOf(user); at >= 0; at = text.indexOf(user, at + 1)) {
    const rest = text.slice(at + user.length);
    const start = rest.slice(0, markupLength + beginning).indexOf(answer);
    if (start >= 0) return rest.slice(start);
    if (user === '') return undefined;
  }
  return undefined;
}
