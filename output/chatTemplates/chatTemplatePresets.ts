import type { ChatTemplateName } from '../../schemas/config/dataset.ts';

/** A chat template that comes with coa-distill. */
export interface ChatTemplatePreset {
  readonly text: string;
  /** The control tokens that it writes; a tokenizer that lacks one is not its model's. */
  readonly controls: readonly string[];
}

const chatMl: ChatTemplatePreset = {
  text: `{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`,
  controls: ['<|im_start|>', '<|im_end|>'],
};

const llama3: ChatTemplatePreset = {
  text: `{{ '<|begin_of_text|>' }}{% for message in messages %}{{ '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' + message.content | trim + '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}`,
  controls: ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'],
};

const mistral: ChatTemplatePreset = {
  text: `{{ '<s>' }}{% for message in messages %}{% if message.role == 'system' %}{{ '[INST]' + message.content + '\\n\\n' }}{% elif message.role == 'user' %}{{ ('' if messages[0].role == 'system' else '[INST]') + message.content + '[/INST]' }}{% else %}{{ message.content + '</s>' }}{% endif %}{% endfor %}`,
  controls: ['<s>', '</s>', '[INST]', '[/INST]'],
};

/**
 * Prompts as the models' own templates write them for one system and one user turn, and the end of turn that the
 * model writes. The assistant's text stands as it is:
 *
 * - `chatml`: Qwen2.5 and others.
 * - `qwen3`: Qwen3, thinking left to the model. Its own template takes thoughts out of what the assistant said, or
 *   puts empty ones in.
 * - `llama3`: Llama 3 and models that kept its format. Llama 3.1 to 3.3 write dates into the system turn: give their
 *   `tokenizer_config.json`.
 * - `mistral`: models with Mistral's Tekken tokenizer up to Nemo. The system text begins the first user turn, where
 *   Mistral's own template puts it while the assistant has not answered.
 */
const presets: Readonly<Record<ChatTemplateName, ChatTemplatePreset>> = {
  chatml: chatMl,
  qwen3: chatMl,
  llama3,
  mistral,
};

/** The chat templates that come with coa-distill, by name. */
export const chatTemplatePresets = new Map<string, ChatTemplatePreset>(Object.entries(presets));
