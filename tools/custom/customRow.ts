import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Tool } from '../../contract/tool.ts';
import { customToolKeyOf } from '../../schemas/config/resolved/endpoints.ts';
import type { CustomToolConfig } from '../../schemas/config/tools.ts';
import type { ToolContext, ToolRow } from '../toolRow.ts';

/** The user's own tools, each behind a URL. */
export const customRow: ToolRow = {
  tagsOf: ({ custom }) => Object.keys(custom),
  providerOf: ({ custom }, tag) => addressWithoutSecrets(custom[tag]!.url),
  seesSite: false,
  checkEnvironment: ({ custom }, tag, env) => void customToolKeyOf(tag, custom[tag]!, env),
  tokenizerOf: () => undefined,
  open: (tags, context) => Promise.all(tags.map((tag) => openTool(tag, context.tools.custom[tag]!, context))),
};

async function openTool(name: string, tool: CustomToolConfig, { env, offline }: ToolContext): Promise<Tool> {
  const { createCustomTool } = await import('./createCustomTool.ts');
  const apiKey = offline ? undefined : customToolKeyOf(name, tool, env);
  return createCustomTool({
    name,
    url: tool.url,
    description: tool.description,
    timeoutMs: tool.timeout_s * 1000,
    maxBytes: tool.max_bytes,
    maxChars: tool.max_chars,
    ...(tool.input_schema && { inputSchema: tool.input_schema as JsonObject }),
    ...(apiKey && { apiKey }),
  });
}
