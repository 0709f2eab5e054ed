import type { Tokenizer } from '../../../contract/tokenizer.ts';
import { loadChatTemplate } from '../../../output/chatTemplates/chatTemplate.ts';
import type { RowSettings } from '../../../output/dataset/renderRow.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';

/** What rows are rendered with when the configuration says nothing; `changed` as `coa.yaml` has it. */
export async function rowSettings(
  tokenizer: Tokenizer,
  changed: Parameters<typeof datasetConfigSchema.parse>[0] = {},
): Promise<RowSettings> {
  const config = datasetConfigSchema.parse(changed);
  const template = await loadChatTemplate(config, tokenizer);
  return { tokenizer, template, mask: config.mask, boundaryTokens: config.boundary_tokens };
}
