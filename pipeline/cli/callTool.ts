import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ToolsConfig, toolsConfigSchema } from '../../schemas/config/tools.ts';
import { isJsonObject, type JsonObject, safeParseJson } from '../../schemas/json.ts';
import { LazySandbox } from '../compose/lazySandbox.ts';
import { Resources } from '../compose/resources.ts';
import { openSandbox } from '../compose/tools/openSandbox.ts';
import { openTools } from '../compose/tools/openTools.ts';
import { loadConfig } from '../config/loadConfig.ts';
import { loadDotEnv } from '../config/loadDotEnv.ts';
import { suggestion } from '../config/nearestName.ts';
import { RecordFailure, UserError } from '../contract/errors.ts';
import { RunError } from '../run/runError.ts';

const toolNames = ['web_search', 'crawl_page', 'wiki_search', 'code'];
const DEFAULT_CONFIG = 'coa.yaml';

/** Calls one tool as an agent would, and prints what the agent would be shown. */
export async function callTool(
  name: string,
  options: { readonly input: string; readonly config?: string; readonly json?: true },
): Promise<void> {
  const tools = await toolsConfig(options.config);
  const known = [...toolNames, ...Object.keys(tools.custom)];
  if (!known.includes(name)) throw new UserError(`unknown tool "${name}"; ${suggestion(name, known)}`);
  const input = parseInput(options.input === '-' ? await text(process.stdin) : options.input);
  const resources = new Resources();
  try {
    const { observation, raw } = await call(name, input, tools, resources);
    console.log(options.json ? JSON.stringify({ observation, raw }) : shown(observation));
  } catch (error) {
    if (error instanceof RecordFailure) throw new RunError(`${name}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await resources.closeAll();
  }
}

/** On a terminal, control characters of a hostile page are spelt out: they could move the cursor or rename the window. */
function shown(observation: string): string {
  if (!process.stdout.isTTY) return observation;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return observation.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (sign) =>
    JSON.stringify(sign).slice(1, -1),
  );
}

async function call(name: string, input: JsonObject, tools: ToolsConfig, resources: Resources) {
  const { code } = tools;
  const log = (line: string) => console.error(line);
  const opened = await openTools(
    {
      config: { tools },
      wanted: new Set([name]),
      cacheFolder: join(tmpdir(), 'coa-distill-cache'),
      env: process.env,
      sandbox: code && new LazySandbox(() => openSandbox(code, resources, log)),
      offline: false,
    },
    resources,
  );
  const tool = opened.get(name);
  if (!tool) {
    throw new UserError(
      `the tool ${name} is not configured; name a configuration that has tools.${name} with --config`,
    );
  }
  const parsed = tool.parseInput(input);
  if (!parsed.ok) throw new UserError(`--input: ${parsed.error}`);
  return tool.call(parsed.input, new AbortController().signal);
}

/** The configuration's tools; without a configuration those that need none. */
async function toolsConfig(file: string | undefined): Promise<ToolsConfig> {
  const config = file ?? (existsSync(DEFAULT_CONFIG) ? DEFAULT_CONFIG : undefined);
  if (config === undefined) return toolsConfigSchema.parse({ crawl_page: {}, code: {} });
  loadDotEnv(config);
  return (await loadConfig(config)).config.tools;
}

function parseInput(json: string): JsonObject {
  const parsed = safeParseJson(json);
  if (!parsed.ok) throw new UserError(`--input: not valid JSON (${parsed.error})`);
  if (!isJsonObject(parsed.value))
    throw new UserError('--input: expected a JSON object such as {"query": "..."}');
  return parsed.value;
}
