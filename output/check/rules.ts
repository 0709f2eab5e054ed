import { z } from 'zod';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { MaskConfig } from '../../schemas/config/dataset.ts';
import { pairSides } from '../../schemas/rows/datasetRow.ts';
import type { TokenText } from './tokenText.ts';

/** An `error` makes `coa-distill check` exit with 1. */
export type Severity = 'error' | 'warning';

interface Rule {
  readonly severity: Severity;
  readonly finds: string;
  readonly advice: string;
}

const error = (finds: string, advice: string): Rule => ({ severity: 'error', finds, advice });
const warning = (finds: string, advice: string): Rule => ({ severity: 'warning', finds, advice });

/** Rules on the text of an answer, available to `filters.check`. */
const textRules = {
  bad_character: error('CR, NUL, BOM or half of a surrogate pair', 'Remove it at the source.'),
  not_nfc: warning('text outside Unicode NFC', 'Normalise it, as tokenizers do.'),
  control_token: error('a control token in a text', 'Escape it: `<\\|im_end\\|>` ends a turn.'),
  no_blocks: error('a text without blocks', 'Name the right profile.'),
  missing_end_tag: error('a tag that is never closed', 'Drop the row: it was cut off.'),
  unexpected_end_tag: error('an end tag without a start', 'Pair the tags.'),
  nested_tag: error('a tag inside a block', 'Escape it in outputs of tools.'),
  tag_in_text: error('a tag of another profile in a block', 'Drop the row: inference stops at such tags.'),
  unknown_tag: error('a tag that the profile lacks', 'Check the spelling and the profile.'),
  wrong_case_tag: error('a tag in the wrong case or with spaces', 'Write it exactly.'),
  text_between_tags: error('words between blocks', 'Put them inside a block.'),
  wrong_layout: warning('white space of another layout', 'One LF after a block, two after `</observation>`.'),
  bad_body: error('a block that is empty or malformed', 'See [the grammar](grammar.md).'),
  missing_think: error('an action without thinking', 'Drop the row.'),
  misplaced_think: error('thinking where none is allowed', 'Join neighbouring blocks.'),
  missing_observation: error('a call without an observation', 'Drop the row.'),
  misplaced_observation: error('an observation without a call', 'Drop the row.'),
  not_allowed_here: error('an action that may not follow here', 'See `show profile`.'),
  not_once: error('a second block of a single tag', 'Drop the row.'),
  not_finished: error('no answer at the end', 'Drop the row.'),
  duplicate_query: warning('the same tool input twice', 'Drop the row, as AFM does.'),
  duplicate_block: warning('the same thought twice', 'Drop the row: the teacher looped.'),
  look_alike_in_observation: warning(
    'an unescaped tag in an observation',
    'Import the row, which escapes it.',
  ),
  afm_fork: error('rows that AFM’s fork drops or masks otherwise than tagged', 'Use the layout above.'),
} satisfies Record<string, Rule>;

const rowRules = {
  broken_row: error('a row that is not a JSON object', 'Write the file again.'),
  unknown_row: error('a row of no known [layout](formats.md#layouts-of-rows)', 'Rename its columns.'),
  file_changed: error('a file other than in `manifest.json`', 'Restore it.'),
  wrong_counts: error('other counts than in `manifest.json`', 'Export again.'),
  missing_row: error('a row that other formats have', 'Export again.'),
  ungrounded_answer: warning(
    'an answer that no observation of its row holds, of profiles with tools that bring evidence',
    'Drop the row: it teaches to answer from memory ([grounding](filters.md#grounding)).',
  ),
  duplicate_row: error('a row twice', 'Export again.'),
  swapped_rows: error('two rows exchanged', 'Export again.'),
  row_differs: error('another row than in `trajectories.jsonl`', 'Export again.'),
  formats_differ: error('other ids or masks than another format', 'Export again.'),
} satisfies Record<string, Rule>;

const lossRules = {
  wrong_lengths: error('lists that are not as long as the ids', 'Tokenise the row again.'),
  attention_masked: error('a token hidden by the attention mask', 'Remove padding.'),
  label_not_id: error('a label that is neither -100 nor its id', 'Leave shifting to the trainer.'),
  foreign_ids: error('ids of another tokenizer', 'Name it with `--tokenizer`.'),
  wrong_start: error('BOS doubled or missing, or text before the first turn', 'Apply the template once.'),
  empty_answer: error('a turn of the model without words', 'Drop the row.'),
  no_model_turn: error('no turn of the model', 'Use ChatML, Llama 3 or Mistral markup.'),
  broken_structure: error('tags that do not tell who wrote what', 'Pair the tags.'),
  wrong_turn_order: error('turns that do not alternate', 'Order them: trainers drop such rows.'),
  boundary_token: error('a token across two parties', 'Move white space, or encode parts apart.'),
  empty_mask: error('nothing in the loss', 'Correct the mask.'),
  shifted_mask: error('the right mask, moved by one token', 'Move it back.'),
  prompt_trained: error('words of the prompt in the loss', 'Mask them.'),
  observation_trained: error('words of a tool in the loss', 'Mask them.'),
  unclear_tag: error('an unknown tag in the loss', 'Mask outputs of tools; use `--observation-tag`.'),
  no_observation: error('text after a call in the loss', 'Mask outputs of tools.'),
  null_arguments: warning(
    'nulls in the arguments of a call, as `datasets` puts them in for those of other calls',
    'Write arguments as JSON text, or import the row, which leaves them out.',
  ),
  whole_completion: warning(
    'turns of tools or users in a completion, which TRL trains whole',
    'In SFT, set TRL’s `assistant_only_loss`.',
  ),
  left_out_trained: error('words in the loss that mask options leave out', 'Export again.'),
  model_untrained: error('words of the model outside the loss', 'Correct the mask.'),
  wrong_weight: error('another weight than mask options say', 'Export again.'),
  missing_end_of_turn: error('no end of turn after the answer', 'Add it: the model must learn to stop.'),
  truncated_row: error('an answer that is cut off', 'Drop the row.'),
  too_long: error('more tokens than the cutoff', 'Drop the row.'),
} satisfies Record<string, Rule>;

export const ruleTable = { ...textRules, ...rowRules, ...lossRules } satisfies Record<string, Rule>;
export type RuleName = keyof typeof ruleTable;
export const ruleNames = Object.keys(ruleTable) as [RuleName, ...RuleName[]];

export const ruleGroups = {
  'Files and rows': rowRules,
  'Text and tags': textRules,
  'Tokens and loss': lossRules,
} as const satisfies Record<string, Partial<Record<RuleName, Rule>>>;

export type TextRuleName = keyof typeof textRules;
export const textRuleNames = Object.keys(textRules) as TextRuleName[];

const count = z.int().nonnegative();
const place = z.int().positive().nullable();

/** Line of `coa-distill check --json`. */
export const findingSchema = z.strictObject({
  rule: z.enum(ruleNames),
  severity: z.enum(['error', 'warning']),
  /** Path as given by the user, or the dataset folder's path and the file inside it. */
  file: z.string(),
  /** Row number from 1; null for a finding about the whole file. */
  row: place,
  side: z.enum(pairSides).optional(),
  /** First line of the row in the file; null if the format has no lines. */
  file_line: place,
  /** Line in the answer's text, from 1, in UTF-16 code units; null for a finding about tokens. */
  line: place,
  column: place,
  /** First affected token, from 0; null without one. */
  token: count.nullable(),
  tokens: count,
  message: z.string(),
  context: z.strictObject({ before: z.string(), token: z.string(), after: z.string() }).nullable(),
});
export type Finding = z.infer<typeof findingSchema>;

/** Rows checked together: the files of one format and split, or one file. */
export const checkedPartSchema = z.strictObject({
  path: z.string(),
  layout: z.string(),
  tokenizer: z.string(),
  rows: count,
  /** Rows with checked tokens; fewer with `--sample`. */
  checked: count,
  tokens: count,
  trained_tokens: count,
  /** Training behaviour for such rows; null for coa-distill's datasets, whose manifest describes it. */
  loss_rule: z.string().nullable(),
  rows_with_findings: count,
  /** Counts by tag of the answer; `prompt` and `end_of_turn` for the rest. */
  by_tag: z.record(z.string(), z.strictObject({ tokens: count, trained: count })),
  /** Rows by checked profile; rows without one are ordinary chats. */
  profiles: z.record(z.string(), count),
  /** Rows whose profile was guessed from their tags. */
  guessed: count,
});
export type CheckedPart = z.infer<typeof checkedPartSchema>;

export const checkTotalsSchema = z.strictObject({
  findings: count,
  errors: count,
  by_rule: z.record(z.string(), count),
  parts: z.array(checkedPartSchema),
});
export type CheckTotals = z.infer<typeof checkTotalsSchema>;

export interface Fault {
  readonly rule: RuleName;
  readonly message: string;
  readonly token: number | null;
  readonly tokens: number;
}

export function fault(
  rule: RuleName,
  message: string,
  token: number | null = null,
  tokens = token === null ? 0 : 1,
): Fault {
  return { rule, message, token, tokens };
}

export interface MaskSettings {
  readonly tokenText: TokenText;
  readonly mask: MaskConfig;
  readonly cutoffLen: number | null;
  /** True if rows may be cut off to fit, so that they lack an end of turn. */
  readonly mayBeCut: boolean;
  /** True if stretches of equal loss weight were encoded separately. */
  readonly encodedApart: boolean;
  /** True for rows of coa-distill, whose layout is known to the byte. */
  readonly own: boolean;
  /** True if the trainer trains whole answers; default: false. */
  readonly trainsWholeAnswers?: boolean;
  /** User-given tag of tool outputs in rows of other tools. */
  readonly observationTag?: string | undefined;
  readonly profileOf: (name: string) => Profile | undefined;
}
