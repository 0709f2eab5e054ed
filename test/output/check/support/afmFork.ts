import type { Tokenizer } from '../../../../contract/tokenizer.ts';
import type { AfmMaskPatterns } from '../../../../schemas/trainers/afmMask.ts';
import { testRows } from '../../../support/testData.ts';

/** The patterns of the Qwen2.5 tokenizer, for which AFM released its models. */
export const qwenMaskPatterns: AfmMaskPatterns = { start: [27, 77960], end: [77960, 1339] };

/** A row with what AFM's fork does with it. */
export interface ForkRow {
  readonly instruction: string;
  readonly input: string;
  readonly output: string;
  readonly kept: boolean;
  readonly why?: string;
  readonly response_tokens?: number;
  readonly trained_runs?: readonly (readonly [number, number])[];
}

/** The rows that the fork itself was run on. */
export function readForkRows(): ForkRow[] {
  return testRows<ForkRow>('afm_fork_masks.jsonl.gz');
}

/** Ids of an answer as the fork's `qwen` template lays it out: the text, the end of the turn, a line feed. */
export async function answerIds(tokenizer: Tokenizer, output: string): Promise<number[]> {
  const names = tokenizer.addedTokens.map((token) => token.replaceAll('|', '\\|')).join('|');
  const pieces = `${output.normalize('NFC')}<|im_end|>\n`.split(new RegExp(`(${names})`));
  const ids: number[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) ids.push(tokenizer.controlId(piece));
    else ids.push(...(await tokenizer.encode(piece)));
  }
  return ids;
}
