import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { checkModule } from '../../pipeline/compose/ownModules.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { type AskedEndpoint, askedEndpoints, ownModules, toolKeyChecks } from '../../pipeline/preflight.ts';
import { probeEndpoint, tryModel } from '../../pipeline/probeEndpoint.ts';
import { rewardModule } from '../../rl/server/customReward.ts';
import { isSameMember, type MemberEndpoint, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import { apiKeyOf } from '../../schemas/config/resolved/sectionModel.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import type { McpConfig, McpServerConfig } from '../../schemas/config/tools/mcp.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { openMcpServer } from '../../tools/mcp/mcpRow.ts';
import { type CheckRow, type Finding, lookedAt } from './check.ts';

/** Sends a short request to each configured model, with its key. */
export const endpointRow: CheckRow = {
  what: 'endpoint',
  neededFor: 'the teacher',
  howToGet: '',
  look: (loaded) => (loaded ? lookAtEndpoints(loaded) : notNeeded('no configuration')),
};

async function lookAtEndpoints(loaded: LoadedConfig): Promise<Finding[]> {
  const { teacher } = loaded.config;
  const own =
    loaded.synthesis || asksEndpoint(teacher)
      ? []
      : [notNeeded(`not needed: the backend ${teacher.backend} brings its own`)];
  const members = askedEndpoints(loaded)
    .flatMap((asked) => membersOf(asked.endpoint).map((member) => ({ ...asked, member })))
    .filter((one, place, all) => all.findIndex((other) => isSame(other, one)) === place);
  return [...own, ...(await Promise.all(members.map(lookAtEndpoint)))];
}

interface AskedMember extends AskedEndpoint {
  readonly member: MemberEndpoint;
}

function notListed(models: readonly string[]): string {
  const shown = models.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_CHARS));
  return `; it lists ${shown.join(', ')}`;
}

function isSame(one: AskedMember, other: AskedMember): boolean {
  const isOne = one.neededFor === other.neededFor && one.model === other.model;
  return isOne && isSameMember(one.member, other.member);
}

function notNeeded(found: string): Finding {
  return { ok: true, skipped: true, found, required: false };
}

/** Advice by cause of a failed request; other causes concern address and key. */
const cures: { readonly [Cause in FailureCause]?: (asked: AskedMember) => string } = {
  endpoint_rejected: ({ place, where }) =>
    `correct what the server names: the key, ${place}.model, ${place}.sampling, or the address (${where})`,
  endpoint_rate_limited: () => 'wait, or use a key with credit left',
  endpoint_error: ({ where }) => `look at the server, which is reached but fails, or set ${where}`,
  endpoint_timeout: ({ where }) => `look at the server, which does not answer in time, or set ${where}`,
  context_exceeded: () => 'serve the model with a longer context',
};

async function lookAtEndpoint(asked: AskedMember): Promise<Finding> {
  const { place, model, member, neededFor, where } = asked;
  return {
    what: `endpoint ${addressWithoutSecrets(member.base_url)}`,
    neededFor,
    howToGet: `start it, or set ${where}, and the key`,
    ...(await lookedAt(async (): Promise<Finding> => {
      const apiKey = apiKeyOf(place, member, process.env);
      const probe = await probeEndpoint(member, apiKey);
      if (!probe.reachable) return { ok: false, found: `can't be reached (${probe.why})` };
      const isRefused = probe.status === 401 || probe.status === 403;
      if (isRefused) return { ok: false, found: `refuses the key (${probe.status})` };
      const listed =
        probe.models === undefined || probe.models.includes(model) ? '' : notListed(probe.models);
      try {
        return { ok: true, found: `${model} ${await tryModel(asked, member, apiKey)}` };
      } catch (error) {
        const found = `${model}: ${(error as Error).message}${listed}`;
        const cause = error instanceof RecordFailure ? error.failure.cause : undefined;
        const advice = cause && cures[cause]?.(asked);
        return { ok: false, found, ...(advice !== undefined && { howToGet: advice }) };
      }
    })),
  };
}

/** Reports tools without a key or variable, which would stop a run at the start. */
export const toolKeysRow: CheckRow = {
  what: 'keys of tools',
  neededFor: 'the rollout',
  howToGet: 'put it into the environment, or into .env beside the configuration',
  look(loaded) {
    if (!loaded) return notNeeded('no configuration');
    const problems = toolProblems(loaded);
    return problems.length === 0
      ? { ok: true, found: 'every variable that tools need is set' }
      : problems.map(({ tag, problem }) => ({ what: `key of ${tag}`, ok: false, found: problem }));
  },
};

function toolProblems(loaded: LoadedConfig): { readonly tag: string; readonly problem: string }[] {
  return toolKeyChecks(loaded).flatMap(({ tag, check }) => {
    const problem = problemOf(() => check(process.env));
    return problem === undefined ? [] : [{ tag, problem }];
  });
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Starts each user module once, as a run does at the start. */
export const ownModulesRow: CheckRow = {
  what: 'own module',
  neededFor: 'runs',
  howToGet: 'docs/own-code.md says what it exports',
  look: (loaded) =>
    Promise.all(
      (loaded ? [...ownModules(loaded), ...rewardModules(loaded)] : []).map((module) =>
        lookedAt(async (): Promise<Finding> => {
          await checkModule(module);
          return { ok: true, found: `${module.key} loads` };
        }),
      ),
    ),
};

function rewardModules({ config: { rl } }: LoadedConfig) {
  return Object.entries(rl?.rewards.custom ?? {}).flatMap(([name, { module, timeout_s }]) =>
    module === undefined ? [] : [rewardModule(name, module, timeout_s * 1000)],
  );
}

/** Maximum tool names listed for a server that lacks one. */
const MAX_NAMES = 50;
/** Maximum length of a listed name. */
const MAX_NAME_CHARS = 100;

/** Starts each configured MCP server and checks that it offers the required tools. */
export const mcpServersRow: CheckRow = {
  what: 'MCP servers',
  neededFor: 'tools',
  howToGet: '',
  look(loaded) {
    const mcp = loaded?.config.tools.mcp;
    return Promise.all(
      Object.entries(mcp?.servers ?? {}).map(([name, server]) => lookAt(name, server, mcp!)),
    );
  },
};

async function lookAt(name: string, server: McpServerConfig, { tools }: McpConfig): Promise<Finding> {
  const own = Object.entries(tools).filter(([, tool]) => tool.server === name);
  const wanted = own.map(([tag, { tool = tag }]) => tool);
  return {
    what: `MCP server ${name}`,
    neededFor: own.length === 0 ? 'no tool' : `the tools ${own.map(([tag]) => tag).join(', ')}`,
    howToGet: `fix tools.mcp.servers.${name}, or install what it starts`,
    required: own.length > 0,
    ...(await lookedAt(() => lookForTools(name, server, wanted))),
  };
}

async function lookForTools(
  name: string,
  server: McpServerConfig,
  wanted: readonly string[],
): Promise<Finding> {
  const opened = await openMcpServer(name, server, process.env);
  try {
    const offered = await opened.list(new AbortController().signal);
    const names = offered.map((tool) => tool.name);
    const missing = wanted.filter((tool) => !names.includes(tool));
    if (missing.length === 0) return { ok: true, found: `offers ${wanted.join(', ') || 'tools'}` };
    const shown = names.slice(0, MAX_NAMES).map((tool) => tool.slice(0, MAX_NAME_CHARS));
    const listed = shown.join(', ') || 'none';
    return { ok: false, found: `offers no ${missing.join(', ')}; it offers ${listed}` };
  } finally {
    await opened.close();
  }
}
