import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import { loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import type { Piece } from '../rows/rowPieces.ts';
import { tokeniseRow } from '../rows/tokeniseRow.ts';
import { loadTokenizer } from '../tokenizers/loadTokenizer.ts';
import { rowBeginning } from './renderRow.ts';

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
  const { mask, straddling } = dataset;
  return {
    async render(beginning, profile) {
      const segments = [...beginning.segments];
      const unjudged = { ...beginning, segments, quality: { verdicts: [] } };
      const { pieces } = rowBeginning(unjudged, profile, { tokenizer, template, mask }, { ended: false });
      const { inputIds } = await tokeniseRow(
        straddling === 'apart' ? pieces : asOneText(pieces),
        tokenizer,
        straddling,
      );
      return { text: pieces.map(({ text }) => text).join(''), ids: [...inputIds] };
    },
    close: () => tokenizer.close(),
  };
}

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
