import { z } from 'zod';

/** A token's text, as old files write it, or the token with its flags. */
const tokenSchema = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)])
  .nullish();

/** The files that chat templates stand in: `tokenizer_config.json`, and `chat_template.json` of processors. */
export const chatTemplateFileSchema = z.looseObject({
  /** One template, or several by name, of which `default` is the chat's. */
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .optional(),
  bos_token: tokenSchema,
  eos_token: tokenSchema,
  unk_token: tokenSchema,
  pad_token: tokenSchema,
});
export type ChatTemplateFile = z.infer<typeof chatTemplateFileSchema>;

/** The tokens that templates read by name. */
export const namedTokens = ['bos_token', 'eos_token', 'unk_token', 'pad_token'] as const;
