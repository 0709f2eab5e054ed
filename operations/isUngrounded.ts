import type { JudgedRow } from '../output/check/rowFindings.ts';
import { layOutBlocks } from '../schemas/coa/layout.ts';
import { parseBlocks } from '../schemas/coa/parse.ts';
import { groundingOf } from '../schemas/filters/grounding.ts';
import { questionOf } from '../schemas/rows/rowQuestion.ts';

/** True if no observation in a row contains its answer. */
export function isUngrounded({ profile, text, said, trajectory }: JudgedRow): boolean {
  const segments = layOutBlocks(parseBlocks(profile, text, 'first_of_each_code').blocks);
  const question = trajectory?.question ?? questionOf(said, [profile]) ?? '';
  const answers = trajectory?.answers ?? said.gold;
  const { quality } = trajectory ?? {};
  const row = { question, answers, segments, ...(quality && { quality }) };
  return groundingOf(row, profile)?.finding === 'ungrounded';
}
