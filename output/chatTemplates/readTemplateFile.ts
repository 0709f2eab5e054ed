import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { ChatTemplateName } from '../../schemas/config/dataset.ts';

/** Token text in old files, or an object with flags. */
const tokenSchema = z
  .union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)])
  .nullish();

/** Files with chat templates: `tokenizer_config.json`, and `chat_template.json` of processors. */
const chatTemplateFileSchema = z.looseObject({
  /** One template, or several by name; `default` is used for chats. */
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .optional(),
  bos_token: tokenSchema,
  eos_token: tokenSchema,
  unk_token: tokenSchema,
  pad_token: tokenSchema,
});
type ChatTemplateFile = z.infer<typeof chatTemplateFileSchema>;

/** Tokens that templates read by name. */
export const namedTokens = ['bos_token', 'eos_token', 'unk_token', 'pad_token'] as const;

interface TemplateFile {
  readonly text: string;
  /** Texts of tokens by name, such as `bos_token`. */
  readonly tokens: Readonly<Record<string, string>>;
}

/**
 * Reads the template of a `tokenizer_config.json` or `chat_template.json` (of several, the one named `default`), or of
 * a Jinja file. Missing tokens are taken from the `tokenizer_config.json` beside it.
 *
 * @throws UserError if the file is missing, invalid, or has no template
 */
export async function readTemplateFile(file: string): Promise<TemplateFile> {
  const text = await readText(file);
  if (!file.endsWith('.json')) return { text, tokens: await tokensBeside(file) };
  const config = parseConfig(file, text);
  return { text: templateOf(file, config), tokens: { ...(await tokensBeside(file)), ...tokensOf(config) } };
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      `dataset.chat_template: ${file} can't be read (${error.code}): expected chatml, qwen3, llama3, mistral, or the path of a tokenizer_config.json or .jinja file`,
    );
  });
}

function parseConfig(file: string, text: string): ChatTemplateFile {
  try {
    return chatTemplateFileSchema.parse(parseJson(text));
  } catch (cause) {
    const problem =
      cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll('\n', ' ') : String(cause);
    throw new UserError(`dataset.chat_template: ${file} is not a tokenizer_config.json: ${problem}`, {
      cause,
    });
  }
}

function templateOf(file: string, { chat_template }: ChatTemplateFile): string {
  if (typeof chat_template === 'string') return chat_template;
  const chosen = chat_template?.find(({ name }) => name === 'default');
  if (chosen) return chosen.template;
  const problem = chat_template
    ? `has the templates ${chat_template.map(({ name }) => name).join(', ')}, but none named default`
    : 'has no chat_template';
  throw new UserError(
    `dataset.chat_template: ${file} ${problem}: give a file with the one to use, for instance the model's chat_template.jinja`,
  );
}

async function tokensBeside(file: string): Promise<Record<string, string>> {
  const config = path.join(path.dirname(file), 'tokenizer_config.json');
  const text = await readFile(config, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new UserError(`dataset.chat_template: ${config} can't be read (${error.code})`);
  });
  return text === undefined ? {} : tokensOf(parseConfig(config, text));
}

function tokensOf(config: ChatTemplateFile): Record<string, string> {
  return Object.fromEntries(
    namedTokens.flatMap((name) => {
      const token = config[name];
      return token == null ? [] : [[name, token]];
    }),
  );
}

interface ChatTemplatePreset {
  readonly text: string;
  /** Control tokens that it writes; a tokenizer without one belongs to another model. */
  readonly controls: readonly string[];
  /** Markup of calls and results in the model's chats. */
  readonly toolMarkup?: 'qwen';
  /** Set if it renders one question and one answer only. */
  readonly takesOneTurn?: true;
}

const chatMl: ChatTemplatePreset = {
  text: `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`,
  controls: ['<|im_start|>', '<|im_end|>'],
  toolMarkup: 'qwen',
};

const llama3: ChatTemplatePreset = {
  text: `{{ '<|begin_of_text|>' }}{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`,
  controls: ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
};

const mistral: ChatTemplatePreset = {
  text: `{{ '<s>' }}{% for message in messages %}{% if message.role == 'system' %}{{ '[INST]' + message.content + '\\n\\n' }}{% elif message.role == 'user' %}{{ ('' if messages[0].role == 'system' else '[INST]') + message.content + '[/INST]' }}{% else %}{{ message.content + '</s>' }}{% endif %}{% endfor %}`,
  controls: ['<s>', '</s>', '[INST]', '[/INST]'],
  // Mistral's own template moves the system text to the last user turn.
  takesOneTurn: true,
};

/**
 * Prompts exactly as the models' own templates write them for one system and one user turn, and the end of turn that
 * the model writes. The assistant's text is not changed:
 * - `chatml`: Qwen2.5 and others.
 * - `qwen3`: Qwen3, thinking left to the model. Its own template removes thoughts from assistant text, or adds empty
 *   ones.
 * - `llama3`: Llama 3 and models with its format. Llama 3.1 to 3.3 write dates into the system turn: use their
 *   `tokenizer_config.json`.
 * - `mistral`: models with Mistral's Tekken tokenizer up to Nemo. The system text begins the first user turn, its place
 *   in Mistral's own template until the assistant has answered.
 */
const presets: Readonly<Record<ChatTemplateName, ChatTemplatePreset>> = {
  chatml: chatMl,
  qwen3: chatMl,
  llama3,
  mistral,
};

/** Built-in chat templates by name. */
export const chatTemplatePresets = new Map<string, ChatTemplatePreset>(Object.entries(presets));
