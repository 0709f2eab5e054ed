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

/** The sides of a row that compares two answers, in the order in which trainers stack them. */
export const pairSides = ['chosen', 'rejected'] as const;
export type PairSide = (typeof pairSides)[number];

/** Who speaks a piece, in the words of chat templates. */
export type RowRole = 'system' | 'user' | 'assistant' | 'tool';

/** A text of a row, exactly as it stands there: with chat markup where the row carries it. */
export interface RowPiece {
  readonly text: string;
  readonly role: RowRole;
  /** By the row alone: what AFM's fork or a tag says of a part of the text is not known here. */
  readonly origin: Origin;
  /** Loss weight; 0 where the row says that its text is not trained. 1 unless a flag has another number. */
  readonly weight: number;
}

/** A row in tokens; lists have one value a token. */
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

/** Which trainers train what of rows whose mask comes from there. */
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
 * Trainers that read a flag of turns, or a list `loss_mask` of the row, that takes turns out of the loss; all others
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
/** A flag of turns, or a column, that takes turns out of the loss. */
export type MaskFlag = keyof typeof flagReaders;

/** What a row says, whatever its layout. */
export interface DatasetRow {
  readonly format: RowFormatName;
  readonly maskedBy: MaskSource;
  /** Leaves turns of the model out of the loss. */
  readonly maskFlag?: MaskFlag;
  /** What a column of its own asks; null where only the prompt says it, see `questionOf`. */
  readonly question: string | null;
  /** System turn without chat markup. */
  readonly system: string | null;
  /** Words of the user without chat markup; several turns are joined by line feeds. */
  readonly user: string | null;
  /** What the model wrote, and what tools wrote in between, without chat markup; null in rows without an answer. */
  readonly text: string | null;
  readonly pieces: readonly RowPiece[];
  readonly profile: string | null;
  /** The final answer in the text: what stands in its last `<answer>`, or else the model's last turn. */
  readonly answer: string | null;
  /** Gold answers, where a column has them. */
  readonly gold: readonly string[];
  /** Functions that the model may call, as the row's column `tools` declares them. */
  readonly tools: readonly JsonObject[];
  readonly tokens?: RowTokens;
  /** True if arguments of a call are an object with nulls: loaders that give all rows the same keys put them in. */
  readonly hasNullArguments?: true;
  /** True if a turn calls tools by a field, a part or its role: its text has Qwen2.5's form of them. */
  readonly hasCalls?: true;
  /** KTO's `label: false`: the answer is one that a trainer is to lead away from. */
  readonly isUndesirable?: true;
  /** Both sides of a preference pair, each with the prompt; the row's own pieces are then empty. */
  readonly pair?: { readonly chosen: DatasetRow; readonly rejected: DatasetRow };
}

/** Why a row can't be read. */
export interface RowProblem {
  /** Where, such as `messages[2].content`; empty for the row as a whole. */
  readonly path: string;
  /** The kind of problem, such as `unknown_role`, or the schema's own code. */
  readonly code: string;
  readonly problem: string;
}

export function isProblem(read: DatasetRow | RowProblem): read is RowProblem {
  return 'problem' in read;
}

/** A problem in one line: its place, and what was expected. */
export function problemText({ path, problem }: RowProblem): string {
  return path === '' ? problem : `${path}: ${problem}`;
}
