import { z } from 'zod';
import { type DatasetFormatName, datasetFormatNames } from './datasetFormatNames.ts';
import { inputPath, keyOf, plainText, plainValues, positive, positiveInt } from './keyMeaning.ts';
import { mixConfigSchema } from './mix.ts';
import { preferenceConfigSchema } from './preference.ts';

/** Default of `dataset.formats`, as far as the other options allow. */
export const defaultFormatNames: readonly DatasetFormatName[] = ['afm', 'llama_factory', 'tokenized', 'verl'];

const exportKey = keyOf('export');

/** Default system prompt of Qwen2.5, which LLaMA-Factory's `template: qwen` writes too, so all formats agree. */
export const qwenSystemPrompt = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';

/** Configuration name of the bundled tokenizer. */
export const BUNDLED_TOKENIZER = 'qwen2.5';

/** Bundled chat templates. */
const chatTemplateNames = ['chatml', 'qwen3', 'llama3', 'mistral'] as const;
/** Name of a bundled chat template. */
export type ChatTemplateName = (typeof chatTemplateNames)[number];

/** `dataset.mask`: trained parts of the model's text. Text of others is never trained. */
export const maskConfigSchema = z.strictObject({
  thinking: exportKey(
    z.boolean().default(true),
    'Whether thinking is trained; false leaves out <think>, its words and </think>',
  ),
  tag_weights: exportKey(
    z.record(z.string(), z.number().nonnegative()).default({}),
    'Loss weight of segments by tag; 1 for tags that are absent, 0 leaves them out',
  ),
  last_steps: exportKey(
    positiveInt.nullable().default(null),
    'Number of last steps that are trained (a step ends with an observation or the answer); null: all',
  ),
  marked: exportKey(
    z.enum(['train', 'skip']).default('train'),
    "Segments that a judge's verdict marks, such as a wrong first answer: train them, or skip them in the loss",
  ),
});
export type MaskConfig = z.infer<typeof maskConfigSchema>;

/** The `dataset` section. */
export const datasetConfigSchema = z.strictObject({
  system_prompt: keyOf('convert')(plainText.default(qwenSystemPrompt), 'System turn of every row'),
  tokenizer: keyOf('export', 'filter')(
    inputPath.default(BUNDLED_TOKENIZER),
    'Tokenizer of the student: qwen2.5, or the path of a tokenizer.json',
    {
      names: [BUNDLED_TOKENIZER],
    },
  ),
  chat_template: exportKey(
    inputPath.default('chatml'),
    'How turns become text: chatml, qwen3, llama3, mistral, or the path of a tokenizer_config.json or .jinja file',
    { names: chatTemplateNames },
  ),
  template_variables: exportKey(
    plainValues.default({}),
    'Values that the chat template reads beside the messages, for instance date_string',
  ),
  mask: maskConfigSchema.prefault({}).describe("Which of the model's words are in the loss"),
  boundary_tokens: exportKey(
    z.enum(['fail', 'apart']).default('fail'),
    'A token across a segment border: fail, or encode every segment apart',
  ),
  cutoff_len: exportKey(positiveInt.default(32_768), 'Most tokens of a row; no trainer truncates one then'),
  too_long: exportKey(
    z.enum(['drop', 'cut']).default('drop'),
    'Rows of more tokens: drop them, or cut them after the last model segment that fits',
  ),
  formats: exportKey(
    z.array(z.enum(datasetFormatNames)).min(1).nullable().default(null),
    `What is emitted beside trajectories.jsonl; null: those of ${defaultFormatNames.join(', ')} that can hold the rows; coa-distill export adds one later`,
  ),
  preference: preferenceConfigSchema
    .optional()
    .describe('Pairs of the formats dpo and hugging_face_dpo; absent: the defaults'),
  mix: mixConfigSchema
    .optional()
    .describe('Rows of your own that are mixed into every format for fine-tuning; absent: none'),
  validation_share: exportKey(
    z.number().min(0).lt(1).default(0),
    'Share of the tasks whose rows make the validation split; tasks that ask nearly the same go together',
  ),
  shard_mb: exportKey(
    positive.nullable().default(null),
    'Size at which a format begins a new file, in MB (10^6 bytes, before compression); null: one file',
  ),
});
export type DatasetConfig = z.infer<typeof datasetConfigSchema>;
