import type { JsonObject } from '../../base/json.ts';
import type { Origin } from '../trajectory.ts';

/** Names of dataset row layouts: see `codecTable.ts`. */
export type RowFormatName =
  | 'trajectory'
  | 'tokens'
  | 'pair'
  | 'sharegpt'
  | 'messages'
  | 'segments'
  | 'alpaca'
  | 'prompt_completion'
  | 'question';

/** Sides of a preference row, in the order in which trainers stack them. */
export const pairSides = ['chosen', 'rejected'] as const;
export type PairSide = (typeof pairSides)[number];

/** Speaker of a piece, in the terms of chat templates. */
export type RowRole = 'system' | 'user' | 'assistant' | 'tool';

/** A text of a row, unchanged, including chat markup. */
export interface RowPiece {
  readonly text: string;
  readonly role: RowRole;
  /** Origin by the row alone; masks of AFM's fork and tags inside the text are unknown here. */
  readonly origin: Origin;
  /** Loss weight; 0 if the row excludes the text from training. Default: 1, unless a flag has another number. */
  readonly weight: number;
}

/** A row in tokens; lists have one value per token. */
export interface RowTokens {
  readonly ids: readonly number[];
  readonly labels?: readonly number[] | undefined;
  readonly lossMask?: readonly number[] | undefined;
  readonly attentionMask?: readonly number[] | undefined;
  readonly lossWeights?: readonly number[] | undefined;
}

/**
 * What says which tokens are in the loss: `tokens` labels or a mask beside ids, `segments` a label of each text, `turns`
 * the role or a flag of each turn, `completion` the position (TRL trains all that follows the prompt), `texts` too (TRL
 * writes a prompt and a completion that are texts without a chat template), `answer` too (a preference trainer trains the
 * whole last turn), `fork` the token search of AFM's fork, `origin` the canonical record;
 * `nothing` in rows that hold no answer.
 */
export type MaskSource =
  | 'tokens'
  | 'segments'
  | 'turns'
  | 'completion'
  | 'texts'
  | 'answer'
  | 'fork'
  | 'origin'
  | 'nothing';

/** Trained parts by trainer for each source of a mask. */
export const lossRules: Readonly<Record<MaskSource, string>> = {
  tokens: 'the labels or the mask beside the ids',
  segments: 'segments with label: true (Axolotl)',
  turns:
    'the turns of the model (LLaMA-Factory, Axolotl, ms-swift, verl, TRL with assistant_only_loss); TRL without it trains every turn',
  completion: 'all that follows the prompt (TRL); with assistant_only_loss the turns of the model alone',
  texts: 'all that follows the prompt, as text without a chat template, and the end of the turn (TRL)',
  answer: 'the last turn (preference and KTO trainers of LLaMA-Factory)',
  fork: 'the output but for observations (AFM’s fork of LLaMA-Factory); stock LLaMA-Factory trains all of it',
  origin: 'what the model wrote; trainers read the files made of these records',
  nothing: 'nothing',
};

/**
 * Trainers that honour a turn flag, or the row's `loss_mask` list, that excludes turns from the loss; all others
 * train those turns. Read in the loaders of LLaMA-Factory, Axolotl 0.19, ms-swift 4.6, verl 0.9 and TRL 1.12.
 */
export const flagReaders = {
  loss: 'ms-swift',
  loss_scale: 'ms-swift',
  weight: 'OpenAI’s API',
  train: 'Axolotl with message_field_training',
  training: 'Axolotl with message_field_training',
  loss_weight: 'LLaMA-Factory v1',
  loss_mask: 'coa-distill (import sft, dataset.mix), and no trainer',
} as const satisfies Record<string, string>;
export type MaskFlag = keyof typeof flagReaders;

/** Content of a row, independent of its layout. */
export interface DatasetRow {
  readonly format: RowFormatName;
  readonly maskedBy: MaskSource;
  /** Flag that excludes model turns from the loss. */
  readonly maskFlag?: MaskFlag;
  /** Question in its own column; null if only the prompt contains it, see `questionOf`. */
  readonly question: string | null;
  /** System turn without chat markup. */
  readonly system: string | null;
  /** User text without chat markup; several turns are joined by line feeds. */
  readonly user: string | null;
  /** Text of the model and of tools in between, without chat markup; null in rows without an answer. */
  readonly text: string | null;
  readonly pieces: readonly RowPiece[];
  readonly profile: string | null;
  /** Final answer in the text: the content of its last `<answer>`, otherwise the last model turn. */
  readonly answer: string | null;
  /** Gold answers of a column. */
  readonly gold: readonly string[];
  /** Callable functions, as declared in the row's column `tools`. */
  readonly tools: readonly JsonObject[];
  readonly tokens?: RowTokens;
  /** True if a call's arguments are an object with nulls, which loaders with uniform keys add. */
  readonly hasNullArguments?: true;
  /** True if a turn calls tools by a field, a part or its role: its text has Qwen2.5's form of them. */
  readonly hasCalls?: true;
  /** KTO's `label: false`: a trainer should avoid this answer. */
  readonly isUndesirable?: true;
  /** Both sides of a preference pair, each with the prompt; the row's own pieces are empty then. */
  readonly pair?: { readonly chosen: DatasetRow; readonly rejected: DatasetRow };
}

/** Reason why a row is unreadable. */
export interface RowProblem {
  /** Path such as `messages[2].content`; empty for the whole row. */
  readonly path: string;
  /** The kind of problem, such as `unknown_role`, or the schema's own code. */
  readonly code: string;
  readonly problem: string;
}

export function isProblem(read: DatasetRow | RowProblem): read is RowProblem {
  return 'problem' in read;
}

/** One-line problem: its path and the expected value. */
export function problemText({ path, problem }: RowProblem): string {
  return path === '' ? problem : `${path}: ${problem}`;
}
