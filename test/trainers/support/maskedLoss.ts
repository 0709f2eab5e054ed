import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DatasetRow } from '../../../output/dataset/datasetFormat.ts';
import { llamaFactory } from './llamaFactory.ts';
import { pythonScript, runPython, type TrainerEnvironment } from './runPython.ts';

/** Loss of every token of every row given those before it, by a plain forward pass over our ids. */
export async function tokenLosses(
  environment: TrainerEnvironment,
  folder: string,
  model: string,
  rows: readonly DatasetRow[],
): Promise<number[][]> {
  const input = path.join(folder, 'rows.json');
  const output = path.join(folder, 'losses.json');
  await writeFile(input, JSON.stringify(rows.map((row) => Array.from(row.inputIds))));
  const args = [pythonScript('token_losses.py'), model, input, output];
  await runPython({ ...(environment === 'llamafactory' ? llamaFactory : { environment }), args, folder });
  return JSON.parse(await readFile(output, 'utf8')) as number[][];
}

/** The mean loss over all tokens of all rows, each by its weight: that of the tokens that masks of 0 and 1 train. */
export function maskedLoss(
  losses: readonly (readonly number[])[],
  weights: readonly ArrayLike<number>[],
): number {
  let sum = 0;
  let total = 0;
  for (const [row, weightsOfRow] of weights.entries()) {
    for (let token = 0; token < weightsOfRow.length; token++) {
      sum += losses[row]![token]! * weightsOfRow[token]!;
      total += weightsOfRow[token]!;
    }
  }
  return sum / total;
}

/** The mask one place further, so that each token trains on what its right neighbour should. */
export function shiftedMask(mask: Int8Array): Int8Array {
  return Int8Array.from(mask, (_, token) => (token === 0 ? 0 : mask[token - 1]!));
}

/** The mask with the first observation trained: the first run of untrained tokens after a trained one. */
export function unmaskedObservation(mask: Int8Array): Int8Array {
  const start = mask.indexOf(0, mask.indexOf(1));
  const end = mask.indexOf(1, start);
  return mask.slice().fill(1, start, end);
}
