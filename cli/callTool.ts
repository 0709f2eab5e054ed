import { text } from 'node:stream/consumers';
import { isJsonObject, type JsonObject, safeParseJson } from '../base/json.ts';
import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { RecordFailure } from '../contract/errors.ts';
import type { Session } from '../contract/session.ts';
import { openToolsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { loadToolsConfig } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { RunError } from '../pipeline/run/runError.ts';
import type { ToolModelsConfig } from '../schemas/config/resolved/toolModels.ts';
import { teacherConfigSchema } from '../schemas/config/teacher.ts';
import { toolFactsOf, toolNames } from '../schemas/config/tools/toolFacts.ts';
import { type ToolsConfig, toolsConfigSchema } from '../schemas/config/tools.ts';
import { configuredTags } from '../tools/toolTable.ts';

/** Calls a tool as an agent would, and prints the observation. */
export async function callTool(
  name: string,
  options: { readonly input: string; readonly config?: string; readonly json?: true },
): Promise<void> {
  const config = await toolsConfig(options.config);
  checkName(name, config.tools);
  const input = parseInput(options.input === '-' ? await text(process.stdin) : options.input);
  await using session = createSession({ log: (line) => console.error(line) });
  try {
    const { observation, raw } = await call(name, input, config, session);
    console.log(options.json ? JSON.stringify({ observation, raw }) : shown(observation));
  } catch (error) {
    if (error instanceof RecordFailure) throw new RunError(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Throws `UserError` for an unknown or unconfigured tool. */
function checkName(name: string, tools: ToolsConfig): void {
  const configured = configuredTags(tools);
  if (configured.includes(name)) return;
  const known = [...new Set([...toolNames, ...configured])];
  if (!known.includes(name)) throw new UserError(`unknown tool "${name}"; ${suggestion(name, known)}`);
  const least = toolNames
    .filter((known) => known === name)
    .map((known) => toolFactsOf(known).leastSettings)[0];
  const example = least === undefined ? '' : `, such as "tools: { ${name}: ${least} }"`;
  throw new UserError(
    `the tool ${name} needs a configuration that has tools.${name}${example}; name it with --config (configured are ${configured.join(', ') || 'none'})`,
  );
}

/** Escapes control characters for a terminal, since a hostile page could move the cursor or rename the window. */
function shown(observation: string): string {
  if (!process.stdout.isTTY) return observation;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return observation.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (sign) =>
    JSON.stringify(sign).slice(1, -1),
  );
}

async function call(name: string, input: JsonObject, config: ToolModelsConfig, session: Session) {
  const wanted = new Set([name]);
  const opened = await openToolsWithoutRun({ config, wanted }, session);
  const tool = opened.get(name)!;
  const parsed = tool.parseInput(input);
  if (!parsed.ok) throw new UserError(`--input: ${parsed.error}`);
  return tool.call(parsed.input, new AbortController().signal);
}

/** Configured tools; without a configuration, those that need none. */
async function toolsConfig(file: string | undefined): Promise<ToolModelsConfig> {
  const loaded = await loadToolsConfig(file);
  if (loaded) return loaded.config;
  const defaults = toolNames.filter((name) => toolFactsOf(name).needsNoSettings).map((name) => [name, {}]);
  const tools = toolsConfigSchema.parse(Object.fromEntries(defaults));
  return { tools, teacher: teacherConfigSchema.parse({}) };
}

function parseInput(json: string): JsonObject {
  const parsed = safeParseJson(json);
  if (!parsed.ok) throw new UserError(`--input: not valid JSON (${parsed.error})`);
  if (!isJsonObject(parsed.value))
    throw new UserError('--input: expected a JSON object such as {"query": "..."}');
  return parsed.value;
}
