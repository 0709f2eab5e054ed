import { type Profile, renderPrompt } from '../coa/profile.ts';
import { taskLayouts } from '../tasks/taskLayouts.ts';
import { questionInText } from '../tasks/taskQuestion.ts';
import type { DatasetRow } from './datasetRow.ts';

/**
 * Question of a row: its own column, or the part of the user turn after a profile's prompt, AFM's `Task:` or
 * `Question:`, otherwise the whole turn. Null if unknown.
 */
export function questionOf(
  { question, user, pair }: Pick<DatasetRow, 'question' | 'user' | 'pair'>,
  profiles: readonly Profile[],
): string | null {
  if (question !== null) return question;
  if (pair) return questionOf(pair.chosen, profiles);
  const asked = user === null ? '' : askedIn(user, profiles).question;
  return asked.trim() === '' ? null : asked;
}

/** Question in a user turn, and the profile of the preceding prompt. */
export function askedIn(
  user: string,
  profiles: readonly Profile[],
): { readonly question: string; readonly profile: Profile | undefined } {
  for (const profile of profiles) {
    const question = promptedQuestion(user, profile);
    if (question !== undefined) return { question, profile };
  }
  const task = questionInText(user, taskLayouts.afm_math);
  if (task !== undefined) return { question: task, profile: undefined };
  const marked = /(?:^|\n)Question:\s*/.exec(user);
  const question = marked ? user.slice(marked.index + marked[0].length) : user;
  return { question: question.trim(), profile: undefined };
}

/** Ignores white space around the prompt, which differs between AFM's rows. */
function promptedQuestion(user: string, profile: Profile): string | undefined {
  const instruction = profile.instruction.trim();
  const begun = user.trimStart();
  if (instruction === '' || !begun.startsWith(instruction)) return undefined;
  const before = renderPrompt(profile, '').user.slice(profile.instruction.length).trimStart();
  const asked = begun.slice(instruction.length);
  const joined = asked.trimStart();
  return joined.length < asked.length && joined.startsWith(before) ? joined.slice(before.length) : undefined;
}
