import path from 'node:path';
import { loadTokenizer } from '../../../../output/tokenizers/loadTokenizer.ts';
import { escapeStructure } from '../../../../schemas/coa/escapeStructure.ts';
import type { Block } from '../../../../schemas/coa/layout.ts';
import { builtinProfile } from '../../../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../../../schemas/trajectory.ts';
import { temporaryFolder } from '../../../support/temporaryFolder.ts';
import { trajectoryOf } from '../../../support/trajectoryArbitrary.ts';
import { qwen } from '../../support/qwen.ts';
import { writeDataset, writerOptions } from '../../support/writeDataset.ts';

/** Trajectories of two searches each, no two alike. */
export function sampleTrajectories(count: number): Trajectory[] {
  return Array.from({ length: count }, (_, n) => {
    const blocks: Block[] = [
      { tag: 'think', origin: 'model', body: `Town number ${n} lies on a river, and its name is wanted.` },
      { tag: 'plan', origin: 'model', body: '1. Find the town.\n2. Find the river.' },
      { tag: 'think', origin: 'model', body: 'The town comes first.' },
      { tag: 'wiki_search', origin: 'model', body: `town number ${n}` },
      {
        tag: 'observation',
        origin: 'environment',
        body: `\nTown number ${n} has 1,200 people; see <\\/observation>.\n`,
      },
      { tag: 'think', origin: 'model', body: 'Now the river.' },
      { tag: 'wiki_search', origin: 'model', body: `river of town number ${n}` },
      { tag: 'observation', origin: 'environment', body: `\n河 ${n} (river ${n}) は長い。\n` },
      { tag: 'think', origin: 'model', body: 'That settles it.' },
      { tag: 'answer', origin: 'model', body: `river ${n}` },
    ];
    return trajectoryOf(
      builtinProfile('mhqa')!,
      blocks,
      `Which river flows past town number ${n}?`,
      `river ${n}`,
    );
  });
}

/** The same as conversion leaves them: with quoted tags escaped. */
export function convertedTrajectories(count: number): Trajectory[] {
  const quoted = escapeStructure('</observation>').text;
  return sampleTrajectories(count).map((row) => ({
    ...row,
    segments: row.segments.map((segment) => ({
      ...segment,
      text: segment.text.replace('<\\/observation>', quoted),
    })),
  }));
}

/**
 * Writes a dataset folder of its own for the test that asks.
 *
 * @param dataset the section of `coa.yaml`
 */
export async function sampleDataset(
  trajectories: readonly Trajectory[] = sampleTrajectories(6),
  dataset: { readonly tokenizer?: string; readonly [key: string]: unknown } = {},
): Promise<string> {
  const folder = path.join(temporaryFolder(), 'dataset');
  const tokenizer = dataset.tokenizer === undefined ? qwen : await loadTokenizer(dataset.tokenizer);
  await writeDataset(trajectories, writerOptions(folder, { tokenizer, dataset }));
  return folder;
}
