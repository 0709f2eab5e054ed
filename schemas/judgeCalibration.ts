import { z } from 'zod';
import { domainSchema } from './task.ts';

/** A line of a calibration file: an answer with its human label. Other columns are ignored. */
export const calibrationRowSchema = z.object({
  question: z.string(),
  /** Gold answers, any of which is right. */
  answers: z.union([z.array(z.string()).min(1), z.string().transform((answer) => [answer])]),
  prediction: z.string(),
  /** Human label of the prediction. */
  correct: z.boolean(),
  /** Code is excluded: programs have tests instead of labels. */
  domain: domainSchema.exclude(['code']).default('qa'),
});
export type CalibrationRow = z.infer<typeof calibrationRowSchema>;

/** Judge in a calibration: the domain's rules, the model, or the model if the rules find no match. */
export const calibratedJudgeSchema = z.enum(['rule', 'model', 'rule_then_model']);
export type CalibratedJudge = z.infer<typeof calibratedJudgeSchema>;

const ratio = z.number().min(0).max(1).nullable();

/**
 * Agreement of a judge with labels. `correct` is the positive class; unscored answers are excluded from all ratios.
 */
export const judgeAgreementSchema = z.object({
  judge: calibratedJudgeSchema,
  true_correct: z.int().nonnegative(),
  false_correct: z.int().nonnegative(),
  true_incorrect: z.int().nonnegative(),
  false_incorrect: z.int().nonnegative(),
  unscored: z.int().nonnegative(),
  /** Precision: share of the answers called correct that are correct; null without any. */
  precision: ratio,
  /** Recall: share of the correct answers that are called correct; null without any. */
  recall: ratio,
  f1: ratio,
  /** Cohen's kappa: agreement beyond chance, from -1 to 1; null if chance alone would agree on everything. */
  kappa: z.number().min(-1).max(1).nullable(),
  /** US dollars at the endpoint's price, as if nothing had been cached. */
  cost_usd: z.number().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
});
export type JudgeAgreement = z.infer<typeof judgeAgreementSchema>;

/**
 * A line of `coa-distill evaluate judge --json`: an answer on which judge and label differ, or finally the totals.
 */
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
      /** First rationale of the model, or its reason for no verdict; the method of the rule. */
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
