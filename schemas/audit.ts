import { z } from 'zod';

/** What an audit can find, and what each kind means. */
export const auditFindingKinds = {
  bad_row: 'the row can not be read, or has none of the known layouts',
  wrong_lengths: 'labels, loss mask or attention mask are not as long as the ids',
  attention_masked: 'the attention mask hides a token of the row from the model',
  label_not_id: 'a label is neither -100 nor the id at its place',
  foreign_ids: "the ids are not what the tokenizer makes of the row's text",
  wrong_start: 'BOS is doubled or missing, or something stands before a turn that belongs to none',
  empty_answer: 'a turn of the model has no words',
  no_model_turn: 'the row has no turn of the model',
  control_token_in_text: 'a control token stands inside a text, where it opens or closes turns',
  broken_structure: 'the tags of the answer do not pair up, so that nobody can say who wrote what',
  wrong_turn_order: 'the turns do not alternate: the trainer would drop the row, or train the wrong party',
  boundary_token: 'a token lies across the border between two parties',
  empty_mask: 'no token of the row is in the loss',
  shifted_mask: 'the mask is the right one, moved by one place',
  prompt_trained: 'tokens of the prompt are in the loss',
  observation_trained: 'tokens that a tool wrote are in the loss',
  unknown_tag: 'words in the loss stand in a tag of no known profile: nobody can say who wrote them',
  no_observation: 'a call of a tool is in the loss, and what follows it, but no observation is found',
  left_out_trained: 'model tokens that the mask options leave out are in the loss',
  model_untrained: "the model's own tokens are not in the loss",
  wrong_weight: 'the loss weight of a token is not what the mask options say',
  missing_end_of_turn:
    'the answer is complete, but no end of turn follows it: the model never learns to stop',
  truncated_row: 'the row ends in the middle of the answer',
  too_long: 'the row is longer than the cutoff: the trainer would truncate it',
  dropped_by_fork: "AFM's fork of LLaMA-Factory would drop the row without a word",
  row_differs: 'the row is another one than in the other formats',
  missing_row: 'a row of the other formats is not there',
  duplicate_row: 'the row stands there twice, once in the other formats',
  swapped_rows: 'two rows stand in each others place',
  formats_differ: 'two formats have other ids or another mask for the same row',
  file_changed: 'the file is not the one that manifest.json describes',
  wrong_counts: 'rows or tokens are not as many as manifest.json says',
  trainer_differs: "the trainer's own preprocessing gives another row",
} as const;
export type AuditFindingKind = keyof typeof auditFindingKinds;

/** The sides of a row that compares two trajectories, in the order in which trainers stack them. */
export const pairSides = ['chosen', 'rejected'] as const;
export type PairSide = (typeof pairSides)[number];

/** A token with what stands around it, decoded. */
export const tokenContextSchema = z.strictObject({
  before: z.string(),
  token: z.string(),
  after: z.string(),
});
export type TokenContext = z.infer<typeof tokenContextSchema>;

/** Something that is not as it should be: a line of `coa-distill audit --json`. */
export const auditFindingSchema = z.strictObject({
  kind: z.enum(Object.keys(auditFindingKinds) as [AuditFindingKind, ...AuditFindingKind[]]),
  /** As the user wrote it, or the dataset folder's path and the file's place in it. */
  file: z.string(),
  /** Row of that file, from 1; null for what concerns the whole file. */
  row: z.int().positive().nullable(),
  /** Side of the row, where it is a pair. */
  side: z.enum(pairSides).optional(),
  /** Place of the first token concerned in the row, from 0; null where no token is. */
  token: z.int().nonnegative().nullable(),
  /** How many tokens are concerned; 0 where no token is. */
  tokens: z.int().nonnegative(),
  message: z.string(),
  context: tokenContextSchema.nullable(),
});
export type AuditFinding = z.infer<typeof auditFindingSchema>;

const count = z.int().nonnegative();

/** Tokens of one tag, and how many of them are in the loss. */
export const tagShareSchema = z.strictObject({ tokens: count, trained: count });
export type TagShare = z.infer<typeof tagShareSchema>;

/** One stock of rows: the files of one format and split, or one file of anyone's. */
export const auditedPartSchema = z.strictObject({
  path: z.string(),
  /** What the rows look like. */
  layout: z.string(),
  rows: count,
  /** Rows whose tokens were looked at: fewer with `--sample`. */
  checked: count,
  tokens: count,
  trained_tokens: count,
  rows_with_findings: count,
  /** By tag of the answer; `prompt` and `end_of_turn` for what stands around it. */
  by_tag: z.record(z.string(), tagShareSchema),
});
export type AuditedPart = z.infer<typeof auditedPartSchema>;

/** What a trainer's own preprocessing was found to do. */
export const trainerResultSchema = z.strictObject({
  trainer: z.string(),
  version: z.string(),
  path: z.string(),
  rows: count,
  rows_that_differ: count,
});
export type TrainerResult = z.infer<typeof trainerResultSchema>;

/** The sums of an audit: the last line of `coa-distill audit --json`, under `totals`. */
export const auditTotalsSchema = z.strictObject({
  tokenizer: z.string(),
  findings: count,
  /** Findings by kind. */
  by_kind: z.record(z.string(), count),
  parts: z.array(auditedPartSchema),
  trainers: z.array(trainerResultSchema),
});
export type AuditTotals = z.infer<typeof auditTotalsSchema>;
