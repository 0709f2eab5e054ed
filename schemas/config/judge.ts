import { z } from 'zod';
import {
  inputPath,
  key,
  keyOf,
  plainText,
  positive,
  positiveInt,
  share,
  timerSeconds,
} from './keyMeaning.ts';
import { modelKey } from './models.ts';

const judgeKey = keyOf('judge');

/** `judge.instructions`: asks the model whether a trajectory follows its instructions. */
const instructionsConfigSchema = z.strictObject({
  profiles: judgeKey(z.array(plainText).optional(), 'Profiles whose trajectories are checked; absent: all'),
  rubric: judgeKey(
    z.array(plainText.min(1).max(2_000)).min(1).max(30).optional(),
    'What is checked, one sentence each; absent: the built-in rubric',
  ),
});

/** The `judge` section: comparison of answers with the gold ones. */
export const judgeConfigSchema = z
  .strictObject({
    min_f1: judgeKey(share.default(1), 'Lowest F1 of a right text answer; 1: the same words'),
    number_tolerance: judgeKey(z.number().nonnegative().default(1e-9), 'Relative tolerance of numbers'),
    test_timeout_s: judgeKey(positive.default(10), 'Wall-clock seconds that one test of a program may take'),
    text: judgeKey(
      z.enum(['rule', 'model', 'rule_then_model']).default('rule'),
      'Who judges text answers; rule_then_model asks the model where the rule finds no match',
    ),
    module: judgeKey(
      inputPath.optional(),
      'Code of your own that judges all answers, in place of rules, tests and the model: docs/own-code.md',
    ),
    module_timeout_s: key(
      timerSeconds.positive().default(60),
      'Seconds for an answer of module; then it is unscored',
    ),
    model: modelKey(
      'chat',
      'judge',
    )('Model that answers and instructions are put to; absent: rules alone judge').optional(),
    votes: judgeKey(
      z.int().min(1).max(25).default(1),
      'Times that the model is asked; more than half must agree, and asking ends once they do',
    ),
    max_chars: judgeKey(
      positiveInt.default(60_000),
      'Most characters of a question to the model; what is longer gets no verdict',
    ),
    instructions: instructionsConfigSchema
      .optional()
      .describe('Whether trajectories follow their instructions, asked of the model; absent: not asked'),
  })
  .superRefine((value, { addIssue }) => {
    if (value.module !== undefined && value.text !== 'rule')
      addIssue({ code: 'custom', path: ['text'], message: 'rule, since judge.module judges all answers' });
    if (value.model) return;
    const asks = value.text !== 'rule' ? 'text' : value.instructions ? 'instructions' : undefined;
    if (asks === undefined) return;
    const message = 'judge.model, the model that is asked';
    addIssue({ code: 'custom', path: [asks], message });
  });
export type JudgeConfig = z.infer<typeof judgeConfigSchema>;
