import { z } from 'zod';
import { domainSchema } from './task.ts';

/** A line of a calibration file: an answer and whether people take it for right. Other columns are passed over. */
export const calibrationRowSchema = z.object({
  question: z.string(),
  /** Gold answers, any of which is right. */
  answers: z.union([z.array(z.string()).min(1), z.string().transform((answer) => [answer])]),
  prediction: z.string(),
  /** What people say of the prediction. */
  correct: z.boolean(),
  /** Programs have tests instead of labels. */
  domain: domainSchema.exclude(['code']).default('qa'),
});
export type CalibrationRow = z.infer<typeof calibrationRowSchema>;

/** Who judges in a calibration: the rules of the domain, the model, or the model where the rules find no match. */
export const calibratedJudgeSchema = z.enum(['rule', 'model', 'rule_then_model']);
export type CalibratedJudge = z.infer<typeof calibratedJudgeSchema>;

const ratio = z.number().min(0).max(1).nullable();

/** How one judge agrees with the labels. `correct` is the positive class; what is unscored is in none of the ratios. */
export const judgeAgreementSchema = z.object({
  judge: calibratedJudgeSchema,
  true_correct: z.int().nonnegative(),
  false_correct: z.int().nonnegative(),
  true_incorrect: z.int().nonnegative(),
  false_incorrect: z.int().nonnegative(),
  unscored: z.int().nonnegative(),
  /** Precision: share of the answers called correct that are correct; null when none is called so. */
  precision: ratio,
  /** Recall: share of the correct answers that are called correct; null when there is none. */
  recall: ratio,
  f1: ratio,
  /** Cohen's kappa: agreement beyond chance, from -1 to 1; null where chance alone would agree on everything. */
  kappa: z.number().min(-1).max(1).nullable(),
  /** US dollars, by the price of the endpoint, as if nothing had been in the cache. */
  cost_usd: z.number().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
});
export type JudgeAgreement = z.infer<typeof judgeAgreementSchema>;

/** A line of `coa-distill evaluate judge --json`: an answer on which judge and label differ, or at the end the totals. */
export const calibrationLineSchema = z.union([
  z.object({
    disagreement: z.object({
      /** Line of the file, or number of the reviewed record, from 1. */
      line: z.int().positive(),
      judge: calibratedJudgeSchema,
      label: z.enum(['correct', 'incorrect']),
      judged: z.enum(['correct', 'incorrect', 'unscored']),
      question: z.string(),
      prediction: z.string(),
      answers: z.array(z.string()),
      /** The first rationale of the model, or why it came to no verdict; the method of the rule. */
      why: z.string(),
    }),
  }),
  z.object({
    totals: z.object({
      rows: z.int().nonnegative(),
      correct: z.int().nonnegative(),
      judges: z.array(judgeAgreementSchema),
    }),
  }),
]);
export type CalibrationLine = z.infer<typeof calibrationLineSchema>;
