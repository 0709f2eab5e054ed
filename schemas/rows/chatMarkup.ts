import type { DatasetRow, RowPiece } from './datasetRow.ts';

/** What chat markup begins with: ChatML (Qwen), Llama 3 and Mistral. */
const markup = /^(?:<\|im_start\|>|<\|begin_of_text\|>|<\|start_header_id\|>|<s>|\[INST\])/;
const opening =
  /<\|im_start\|>([^\n<]{1,40})\n|<\|start_header_id\|>([^\n<]{1,40})<\|end_header_id\|>\n\n|(\[INST\]) ?|(\[\/INST\]) ?/g;
const endOfTurn = /(?:<\|im_end\|>\n?|<\|eot_id\|>|<\/s>)$/;

/** Texts of a row without chat markup. */
export type SpokenTexts = Pick<DatasetRow, 'system' | 'user' | 'text'>;

/**
 * What system, user and model say. A prompt may carry chat markup, and what follows its last opening of the model's turn
 * is the beginning of the answer that is not trained.
 */
export function spokenTexts(pieces: readonly RowPiece[]): SpokenTexts {
  const systems: string[] = [];
  const users: string[] = [];
  const answer: string[] = [];
  for (const [at, { role, origin, text }] of pieces.entries()) {
    // LLaMA-Factory's prompts may stand in the role of a tool; what later tools say is text, whatever it looks like.
    const isPrompt = at === 0 || role === 'user' || role === 'system';
    const prompt = isPrompt && role !== 'assistant' && markup.test(text) ? promptTexts(text) : undefined;
    if (prompt) {
      systems.push(...prompt.systems);
      users.push(...prompt.users);
      answer.push(prompt.rest);
    } else if (role === 'system') systems.push(text);
    else if (role === 'user') users.push(text);
    else if (origin !== 'prompt') answer.push(text);
  }
  return {
    system: systems[0] ?? null,
    user: users.length === 0 ? null : users.join('\n'),
    text: pieces.some(({ role, origin }) => role === 'assistant' && origin !== 'prompt')
      ? answer.join('').replace(endOfTurn, '')
      : null,
  };
}

function promptTexts(text: string) {
  const systems: string[] = [];
  const users: string[] = [];
  let rest = '';
  const openings = [...text.matchAll(opening)];
  for (const [at, found] of openings.entries()) {
    const next = openings[at + 1]?.index ?? text.length;
    const body = text.slice(found.index + found[0].length, next).replace(endOfTurn, '');
    const role = found[1] ?? found[2] ?? (found[3] ? 'user' : 'assistant');
    if (role === 'system') systems.push(body);
    else if (role !== 'assistant') users.push(body);
    // Of earlier turns of the model nothing is compared.
    rest = role === 'assistant' && at === openings.length - 1 ? body : '';
  }
  return { systems, users, rest };
}
