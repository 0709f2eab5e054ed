import { z } from 'zod';
import { keyOf, share } from './keyMeaning.ts';
import { passRateSchema } from './passRate.ts';

const selectKey = keyOf('select');

/** Criteria for comparing trajectories of one task, in the order of `select.best_of.by`. */
const selectRuleNames = [
  'correct',
  'score',
  'double_check',
  'fewest_tools',
  'fewest_tokens',
  'judge',
  'most_diverse',
  'shortest',
] as const;
export type SelectRule = (typeof selectRuleNames)[number];

export const bestOfConfigSchema = z.strictObject({
  per_task: selectKey(z.int().min(1).default(1), 'Most trajectories of one task'),
  by: selectKey(
    z
      .union([z.enum(['shortest', 'most_diverse']), z.array(z.enum(selectRuleNames)).min(1)])
      .default('shortest'),
    'shortest: the highest score first, then the shortest; most_diverse: that one, then whatever has least in common with those chosen; or a list of rules, of which each decides where those before it find two equal: correct (judged right), score (of the verdicts on the answer), double_check (the highest score of the last one), fewest_tools (tool calls), fewest_tokens (by dataset.tokenizer), judge (the one that judge.model prefers, asked in both orders), most_diverse (has least in common with the nearest of those chosen), shortest (characters)',
  ),
  max_likeness: selectKey(
    share.optional(),
    'Share of words in groups of three that a trajectory has in common with a better one of its task, from which on it is dropped as a duplicate; 1: the same words; absent: not compared',
  ),
});
/** True if a judge is asked for the best of several trajectories. */
export function prefersByJudge(select: SelectConfig | undefined): boolean {
  const by = select?.best_of.by;
  return typeof by === 'object' && by.includes('judge');
}

export type BestOfConfig = z.infer<typeof bestOfConfigSchema>;

export const selectConfigSchema = z.strictObject({
  pass_rate: passRateSchema('select')
    .optional()
    .describe("Pass rate of the run's own rollouts of a task; tasks without a rate are kept; absent: any"),
  best_of: bestOfConfigSchema.prefault({}).describe('The best of several trajectories of one task'),
});
export type SelectConfig = z.infer<typeof selectConfigSchema>;
