import { z } from 'zod';
import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { loadTokenizer } from '../tokenizers/loadTokenizer.ts';
import { readTokenizerFile } from '../tokenizers/tokenizerFile.ts';
import { renderPromptOf } from './renderRow.ts';

/** Prompts of a student, with a function that frees the tokenizer. */
export interface OpenedTrajectoryPrompt extends TrajectoryPrompt {
  close(): void;
}

/**
 * Opens the configured tokenizer and chat template for prompts. The ids of a prompt are a prefix of the dataset row of
 * the same trajectory.
 *
 * @throws UserError if either is unusable
 */
export async function createTrajectoryPrompt(dataset: DatasetConfig): Promise<OpenedTrajectoryPrompt> {
  const tokenizer = await loadTokenizer(dataset.tokenizer);
  const template = await loadChatTemplate(dataset, tokenizer);
  const put = putBeforeText((await readTokenizerFile(dataset.tokenizer)).json.post_processor);
  const settings = { tokenizer, template, mask: dataset.mask, boundaryTokens: dataset.boundary_tokens };
  return {
    async render(beginning, profile) {
      const { pieces, inputIds } = await renderPromptOf(beginning, profile, settings);
      const whole = pieces.map(({ text }) => text).join('');
      const text = whole.startsWith(put) ? whole.slice(put.length) : whole;
      return { text, ids: [...inputIds] };
    },
    async textWithin(text, tokens) {
      const ids = await tokenizer.encode(text);
      if (ids.length <= tokens) return { text, tokens: ids.length };
      return { text: await tokenizer.decode(ids.subarray(0, tokens)), tokens };
    },
    close: () => tokenizer.close(),
  };
}

/** Text that a post-processor prepends: `<|begin_of_text|>` for Llama 3, mostly empty. */
function putBeforeText(processor: unknown): string {
  const { success, data } = postProcessorSchema.safeParse(processor);
  if (!success) return '';
  if ('processors' in data) return data.processors.map(putBeforeText).join('');
  const first = data.single.findIndex((part) => !('SpecialToken' in part));
  const before = data.single.slice(0, first < 0 ? undefined : first);
  return before.map((part) => ('SpecialToken' in part ? part.SpecialToken.id : '')).join('');
}

const postProcessorSchema = z.union([
  z.object({ type: z.literal('Sequence'), processors: z.array(z.unknown()) }),
  z.object({
    type: z.literal('TemplateProcessing'),
    single: z.array(
      z.union([
        z.object({ SpecialToken: z.object({ id: z.string() }) }),
        z.object({ Sequence: z.unknown() }),
      ]),
    ),
  }),
]);
