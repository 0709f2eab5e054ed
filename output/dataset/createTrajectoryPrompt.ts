import { z } from 'zod';
import type { TrajectoryBeginning, TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import type { Piece } from '../rows/rowPieces.ts';
import { tokeniseRow } from '../rows/tokeniseRow.ts';
import { loadTokenizer } from '../tokenizers/loadTokenizer.ts';
import { readTokenizerFile } from '../tokenizers/tokenizerFile.ts';
import { type RowSettings, rowBeginning } from './renderRow.ts';

/** Prompts of a student, and what frees its tokenizer. */
export interface OpenedTrajectoryPrompt extends TrajectoryPrompt {
  close(): void;
}

/**
 * Opens the tokenizer and the chat template of a configuration for prompts: a beginning has the ids with which the
 * dataset's row of the same trajectory begins.
 *
 * @throws UserError when either can't be used
 */
export async function createTrajectoryPrompt(dataset: DatasetConfig): Promise<OpenedTrajectoryPrompt> {
  const tokenizer = await loadTokenizer(dataset.tokenizer);
  const template = await loadChatTemplate(dataset, tokenizer);
  const put = putBeforeText((await readTokenizerFile(dataset.tokenizer)).json.post_processor);
  const { mask, straddling } = dataset;
  return {
    async render(beginning, profile) {
      const { pieces, inputIds } = await renderPromptOf(beginning, profile, {
        tokenizer,
        template,
        mask,
        straddling,
      });
      const whole = pieces.map(({ text }) => text).join('');
      const text = whole.startsWith(put) ? whole.slice(put.length) : whole;
      return { text, ids: [...inputIds] };
    },
    close: () => tokenizer.close(),
  };
}

/**
 * Renders the beginning of a trajectory: its texts and ids are those with which its row begins, for players and for
 * rows of tasks alike.
 *
 * @throws RecordFailure for texts of which no row could be made
 */
export async function renderPromptOf(
  beginning: TrajectoryBeginning,
  profile: Profile,
  settings: RowSettings,
) {
  const { tokenizer, straddling } = settings;
  const unjudged = { ...beginning, segments: [...beginning.segments], quality: { verdicts: [] } };
  const { pieces, rendered } = rowBeginning(unjudged, profile, settings, { ended: false });
  const joined = straddling === 'apart' ? pieces : asOneText(pieces);
  const { inputIds } = await tokeniseRow(joined, tokenizer, straddling);
  return { pieces, rendered, inputIds };
}

/** What a tokenizer's post-processor puts before any text: the beginning of text of Llama 3; mostly nothing. */
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

/** Text up to the next control token as one: a border inside a token is the row's fault, and no prompt's. */
function asOneText(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') {
      joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    } else joined.push({ ...piece, weight: 0 });
  }
  return joined;
}
