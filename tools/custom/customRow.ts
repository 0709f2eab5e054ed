import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { JsonObject } from '../../base/json.ts';
import { OwnModule } from '../../base/programs/ownModule.ts';
import type { Tool } from '../../contract/tool.ts';
import { keyIn } from '../../schemas/config/resolved/endpoints.ts';
import type { CustomToolConfig } from '../../schemas/config/tools.ts';
import type { ToolContext, ToolRow } from '../toolRow.ts';

/** Maximum bytes of an answer. */
const MAX_BYTES = 1_000_000;

/** User tools, each behind a URL or a module. */
export const customRow: ToolRow = {
  tagsOf: ({ custom }) => Object.keys(custom),
  providerOf: ({ custom }, tag) => {
    const { url } = custom[tag]!;
    return url === undefined ? 'local' : addressWithoutSecrets(url);
  },
  seesSite: false,
  checkEnvironment: ({ custom }, tag, env) => void keyOf(tag, custom[tag]!, env),
  tokenizerOf: () => undefined,
  modulesOf: ({ custom }, tags) =>
    tags.flatMap((tag) => (custom[tag]!.module === undefined ? [] : [toolModule(tag, custom[tag]!)])),
  open: (tags, context) => Promise.all(tags.map((tag) => openTool(tag, context.tools.custom[tag]!, context))),
};

async function openTool(name: string, tool: CustomToolConfig, context: ToolContext): Promise<Tool> {
  const { env, offline, resources } = context;
  const { createCustomTool, createModuleTool } = await import('./createCustomTool.ts');
  const about = {
    name,
    description: tool.description,
    timeoutMs: tool.timeout_s * 1000,
    maxBytes: MAX_BYTES,
    maxChars: tool.max_chars,
    ...(tool.input_schema && { inputSchema: tool.input_schema as JsonObject }),
  };
  if (tool.module !== undefined) return createModuleTool(about, resources.keep(toolModule(name, tool)));
  const apiKey = offline ? undefined : keyOf(name, tool, env);
  return createCustomTool({ ...about, url: tool.url!, ...(apiKey && { apiKey }) });
}

function keyOf(name: string, { api_key_env = '' }: CustomToolConfig, env: NodeJS.ProcessEnv) {
  return keyIn(env, api_key_env, `tools.custom.${name}`);
}

function toolModule(name: string, { module, timeout_s }: CustomToolConfig): OwnModule {
  const key = `tools.custom.${name}.module`;
  return new OwnModule({ key, file: module!, timeoutMs: timeout_s * 1000, maxBytes: MAX_BYTES });
}
