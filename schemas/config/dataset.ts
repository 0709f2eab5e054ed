import { z } from 'zod';
import { type DatasetFormatName, datasetFormatNames } from './datasetFormatNames.ts';
import { inputPathSchema, plainTextSchema, plainValuesSchema, shapes } from './keyMeaning.ts';
import { preferenceConfigSchema } from './preference.ts';

/** What is emitted when `dataset.formats` names nothing, as far as the other options allow. */
export const defaultFormatNames: readonly DatasetFormatName[] = ['afm', 'llama_factory', 'tokenized', 'verl'];

const shapesExport = shapes('export');

/** Qwen2.5's own default system prompt, which LLaMA-Factory's `template: qwen` writes too, so all formats agree. */
export const qwenSystemPrompt = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';

/** The tokenizer that comes with coa-distill, as configurations name it. */
export const BUNDLED_TOKENIZER = 'qwen2.5';

/** The chat templates that come with coa-distill. */
export const chatTemplateNames = ['chatml', 'qwen3', 'llama3', 'mistral'] as const;
/** Name of a chat template that comes with coa-distill. */
export type ChatTemplateName = (typeof chatTemplateNames)[number];

/** `dataset.mask`: which of the model's words are in the loss. What others wrote never is. */
export const maskConfigSchema = z.strictObject({
  thinking: z
    .boolean()
    .default(true)
    .meta(shapesExport('Whether thinking is trained; false leaves out <think>, its words and </think>')),
  tag_weights: z
    .record(z.string(), z.number().nonnegative())
    .default({})
    .meta(shapesExport('Loss weight of segments by tag; 1 for tags that are absent, 0 leaves them out')),
  last_steps: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .meta(
      shapesExport(
        'Number of last steps that are trained (a step ends with an observation or the answer); null: all',
      ),
    ),
  marked: z
    .enum(['train', 'skip'])
    .default('train')
    .meta(
      shapesExport(
        "Segments that a judge's verdict marks, such as a wrong first answer: train them, or skip them in the loss",
      ),
    ),
});
export type MaskConfig = z.infer<typeof maskConfigSchema>;

/** The `dataset` section. */
export const datasetConfigSchema = z.strictObject({
  system_prompt: plainTextSchema
    .default(qwenSystemPrompt)
    .meta(shapes('convert')('System turn of every row')),
  tokenizer: inputPathSchema.default(BUNDLED_TOKENIZER).meta(
    shapes('export', 'filter')('Tokenizer of the student: qwen2.5, or the path of a tokenizer.json', {
      names: [BUNDLED_TOKENIZER],
    }),
  ),
  chat_template: inputPathSchema
    .default('chatml')
    .meta(
      shapesExport(
        'How turns become text: chatml, qwen3, llama3, mistral, or the path of a tokenizer_config.json or .jinja file',
        { names: chatTemplateNames },
      ),
    ),
  template_variables: plainValuesSchema
    .default({})
    .meta(shapesExport('Values that the chat template reads beside the messages, for instance date_string')),
  mask: maskConfigSchema.prefault({}).describe("Which of the model's words are in the loss"),
  straddling: z
    .enum(['fail', 'apart'])
    .default('fail')
    .meta(shapesExport('A token across a segment border: fail, or encode every segment apart')),
  cutoff_len: z
    .int()
    .positive()
    .default(32_768)
    .meta(shapesExport('Most tokens of a row, so that no trainer truncates one')),
  too_long: z
    .enum(['drop', 'cut'])
    .default('drop')
    .meta(shapesExport('Rows of more tokens: drop them, or cut them after the last model segment that fits')),
  formats: z
    .array(z.enum(datasetFormatNames))
    .min(1)
    .nullable()
    .default(null)
    .meta(
      shapesExport(
        `What is emitted beside trajectories.jsonl; null: those of ${defaultFormatNames.join(', ')} that can hold the rows; coa-distill export adds one later`,
      ),
    ),
  preference: preferenceConfigSchema
    .optional()
    .describe('Pairs of the formats dpo and hugging_face_dpo; absent: the defaults'),
  validation_share: z
    .number()
    .min(0)
    .lt(1)
    .default(0)
    .meta(
      shapesExport(
        'Share of the tasks whose rows make the validation split; tasks that ask nearly the same go together',
      ),
    ),
  shard_mb: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .meta(
      shapesExport(
        'Size at which a format begins a new file, in MB (10^6 bytes, before compression); null: one file',
      ),
    ),
});
export type DatasetConfig = z.infer<typeof datasetConfigSchema>;
