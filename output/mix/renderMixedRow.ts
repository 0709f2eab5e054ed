import { RecordFailure } from '../../contract/errors.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { markupInTurns, qwenToolResult, qwenTools } from '../../schemas/rows/turnMarkup.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import type { ChatMessage } from '../chatTemplates/compileTemplate.ts';
import type { MixedDatasetRow } from '../dataset/datasetFormat.ts';
import { type AddedTokens, addedTokensOf } from '../rows/addedTokens.ts';
import { type Piece, templatePieces } from '../rows/rowPieces.ts';
import { TokensAcrossBorders, tokeniseRow } from '../rows/tokeniseRow.ts';
import type { MixedSource } from './readMixedRow.ts';

interface MixedRowSettings extends Pick<DatasetConfig, 'boundary_tokens' | 'system_prompt'> {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate;
}

/**
 * Renders a row of `dataset.mix` with the dataset's chat template and tokenizer. Trained parts get the given weight;
 * text is not escaped.
 *
 * @throws RecordFailure, with the reason as `code` in its evidence, for a row that can't be rendered unchanged
 */
export async function renderMixedRow(
  source: MixedSource,
  weight: number,
  settings: MixedRowSettings,
): Promise<MixedDatasetRow> {
  const { tokenizer, boundary_tokens } = settings;
  const added = addedTokensOf(tokenizer);
  const stretches = source.ids ? tokenStretches(source) : chatStretches(source, settings, added);
  const pieces = stretches.flatMap(({ text, trained }) =>
    templatePieces(
      trained ? { text, origin: 'model', weight } : { text, origin: 'prompt', weight: 0 },
      added,
    ),
  );
  const tokens = await tokenised(pieces, tokenizer, boundary_tokens);
  if (source.ids && !sameIds(source.ids, tokens.inputIds))
    refuse('other_ids', "the tokenizer makes other ids of the row's text, as trainers that read text would");
  return { record: source.record, pieces, ...tokens };
}

async function tokenised(pieces: Piece[], tokenizer: Tokenizer, boundary: DatasetConfig['boundary_tokens']) {
  try {
    return await tokeniseRow(pieces, tokenizer, boundary);
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    return refuse(error instanceof TokensAcrossBorders ? 'boundary_token' : 'other_text', error.message);
  }
}

interface Stretch {
  readonly text: string;
  readonly trained: boolean;
}

function tokenStretches({ record }: MixedSource): Stretch[] {
  return record.messages.map(({ content, trained }) => ({ text: content, trained }));
}

function chatStretches(
  source: MixedSource,
  { template, system_prompt }: MixedRowSettings,
  added: AddedTokens,
): Stretch[] {
  const { messages } = source.record;
  for (const [at, { content }] of messages.entries()) {
    const control = added.find(content).find(({ token }) => !markupInTurns.has(token));
    if (control)
      refuse(
        'control_token',
        `turn ${at + 1} holds ${control.token}, which trainers read as a control token`,
      );
  }
  if (source.usesTools && template.toolMarkup === undefined)
    refuse(
      'tools_unsupported',
      `it has tools, for which the chat template ${template.name} has no form here: set dataset.chat_template to chatml or qwen3`,
    );
  if (!template.takesSeveralTurns && messages.filter(({ role }) => role === 'user').length > 1)
    refuse('several_turns', `the chat template ${template.name} renders one turn of the user`);
  const turns = spokenTurns(source, system_prompt);
  return rendered(template, turns).map(({ text, turn }) => ({
    text,
    trained: turn !== undefined && turns[turn]!.trained,
  }));
}

function rendered(template: ChatTemplate, turns: readonly ChatMessage[]) {
  try {
    return template.renderTurns(turns.map(({ role, content }) => ({ role, content })));
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    return refuse('template_refuses', error.message);
  }
}

/** Turns for the template: tool results become user turns, as in Qwen's templates. */
function spokenTurns(
  { record, tools }: MixedSource,
  systemPrompt: string,
): (ChatMessage & { readonly trained: boolean })[] {
  const [first] = record.messages;
  const hasSystem = first?.role === 'system';
  const system = (hasSystem ? first.content : systemPrompt) + qwenTools({ tools });
  const turns: (ChatMessage & { readonly trained: boolean })[] = [];
  if (hasSystem || system !== '') turns.push({ role: 'system', content: system, trained: false });
  let isResult = false;
  for (const { role, content, trained } of record.messages.slice(hasSystem ? 1 : 0)) {
    if (role !== 'tool') turns.push({ role, content, trained });
    else if (isResult) {
      const last = turns.pop()!;
      turns.push({ ...last, content: `${last.content}\n${qwenToolResult(content)}` });
    } else turns.push({ role: 'user', content: qwenToolResult(content), trained });
    isResult = role === 'tool';
  }
  return turns;
}

function sameIds(given: readonly number[], made: Int32Array): boolean {
  return given.length === made.length && given.every((id, at) => id === made[at]);
}

function refuse(code: string, message: string): never {
  throw new RecordFailure('internal', message, { code });
}
