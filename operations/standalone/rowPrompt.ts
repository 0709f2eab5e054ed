import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { taskInTurn } from '../../stages/decontaminate/benchmarkLayouts.ts';

/** What stands before the model's words in a row. */
export interface RowPrompt {
  readonly system: string | undefined;
  readonly user: string;
}

const systemRoles: readonly unknown[] = ['system'];
const userRoles: readonly unknown[] = ['human', 'user'];

/** The prompt of an alpaca or chat row; undefined for other rows. */
export function rowPrompt(row: JsonObject): RowPrompt | undefined {
  const { instruction, input, system } = row;
  if (typeof instruction === 'string') {
    const user = typeof input === 'string' && input !== '' ? `${instruction}\n${input}` : instruction;
    return { system: typeof system === 'string' ? system : undefined, user };
  }
  const turns = row.conversations ?? row.messages;
  if (!Array.isArray(turns)) return undefined;
  return { system: said(turns, systemRoles)[0], user: said(turns, userRoles).join('\n') };
}

/** The task in a column `prompt` of turns, as in AFM's files; undefined for other rows. */
export function promptTask({ prompt }: JsonObject): string | undefined {
  return Array.isArray(prompt) ? taskInTurn(said(prompt, userRoles).join('\n')) : undefined;
}

function said(turns: readonly JsonValue[], roles: readonly unknown[]): string[] {
  const own = turns.filter(isJsonObject).filter((turn) => roles.includes(turn.from ?? turn.role));
  return own.map(textOf);
}

/** The question in a user turn: what stands behind a profile's own prompt or behind `Question:`, or else all of it. */
export function questionInPrompt(user: string, profiles: readonly Profile[]): string {
  for (const profile of profiles) {
    const before = renderPrompt(profile, '').user;
    if (before !== '' && user.startsWith(before)) return user.slice(before.length).trim();
  }
  const marked = /(?:^|\n)Question:\s*/.exec(user);
  return (marked ? user.slice(marked.index + marked[0].length) : user).trim();
}

function textOf(turn: JsonObject): string {
  const text: JsonValue | undefined = turn.value ?? turn.content;
  return typeof text === 'string' ? text : '';
}
