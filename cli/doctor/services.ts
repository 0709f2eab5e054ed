import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { toolsOf } from '../../pipeline/config/toolsOf.ts';
import { probeEndpoint } from '../../pipeline/preflight.ts';
import {
  apiKeyOf,
  asksJudgeModel,
  embeddingEndpointOf,
  embeddingKeyOf,
  endpointsInUse,
  judgeEndpointOf,
  judgeKeyOf,
  membersOf,
  type ResolvedEndpoint,
} from '../../schemas/config/resolved/endpoints.ts';
import { askedToolModels, toolModelKeyOf } from '../../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { wantedRows } from '../../tools/toolTable.ts';
import { type CheckRow, type Finding, lookedAt } from './check.ts';

/** An endpoint that a run of a configuration asks. */
interface AskedEndpoint {
  readonly endpoint: ResolvedEndpoint;
  readonly keyOf: (endpoint: ResolvedEndpoint, env: NodeJS.ProcessEnv) => string | undefined;
  readonly neededFor: string;
  /** What sets its address. */
  readonly where: string;
}

function askedEndpoints({ config }: LoadedConfig): AskedEndpoint[] {
  const where = 'teacher.endpoint.base_url, --base-url or OPENAI_BASE_URL';
  const judge = asksJudgeModel(config) ? judgeEndpointOf(config) : undefined;
  const asked: AskedEndpoint[] = [
    ...(asksEndpoint(config.teacher) ? endpointsInUse(config) : []).map((endpoint) => ({
      endpoint,
      keyOf: apiKeyOf,
      neededFor: 'the teacher',
      where,
    })),
    ...(judge
      ? [
          {
            endpoint: judge,
            keyOf: judgeKeyOf,
            neededFor: 'the judge',
            where: 'judge.model.endpoint.base_url',
          },
        ]
      : []),
    ...askedToolModels(config).map(({ part, tool, endpoint }) => ({
      endpoint,
      keyOf: (member: ResolvedEndpoint, env: NodeJS.ProcessEnv) => toolModelKeyOf(part, member, env),
      neededFor: `the tool ${tool}`,
      where: `tools.${part}.endpoint.base_url`,
    })),
    ...(['questions', 'trajectories'] as const).flatMap((section) => {
      const endpoint = embeddingEndpointOf(config, section);
      const keyOf = (member: ResolvedEndpoint, env: NodeJS.ProcessEnv) =>
        embeddingKeyOf(section, member, env);
      const part = `dedup.${section}.semantic`;
      return endpoint ? [{ endpoint, keyOf, neededFor: part, where: `${part}.endpoint.base_url` }] : [];
    }),
  ];
  return asked.flatMap((one) => membersOf(one.endpoint).map((endpoint) => ({ ...one, endpoint })));
}

/** Asks each endpoint of the configuration whether it is there, with its key. */
export const endpointRow: CheckRow = {
  what: 'endpoint',
  neededFor: 'the teacher',
  howToGet: '',
  look: (loaded) => (loaded ? lookAtEndpoints(loaded) : notNeeded('no configuration')),
};

async function lookAtEndpoints(loaded: LoadedConfig): Promise<Finding[]> {
  const { teacher } = loaded.config;
  const own = asksEndpoint(teacher)
    ? []
    : [notNeeded(`not needed: the backend ${teacher.backend} brings its own`)];
  return [...own, ...(await Promise.all(askedEndpoints(loaded).map(lookAtEndpoint)))];
}

function notNeeded(found: string): Finding {
  return { ok: true, found, required: false };
}

async function lookAtEndpoint({ endpoint, keyOf, neededFor, where }: AskedEndpoint): Promise<Finding> {
  return {
    what: `endpoint ${addressWithoutSecrets(endpoint.base_url)}`,
    neededFor,
    howToGet: `start it, or set ${where}, and the key`,
    ...(await lookedAt(async (): Promise<Finding> => {
      const probe = await probeEndpoint(endpoint, keyOf(endpoint, process.env));
      if (!probe.reachable) return { ok: false, found: `can't be reached (${probe.why})` };
      const isRefused = probe.status === 401 || probe.status === 403;
      const found = isRefused ? `refuses the key (${probe.status})` : 'reachable, key present';
      return { ok: !isRefused, found };
    })),
  };
}

/** Tells which tools lack a key or another variable: a run stops on that before it begins. */
export const toolKeysRow: CheckRow = {
  what: 'keys of tools',
  neededFor: 'the rollout',
  howToGet: 'put it into the environment, or into .env beside the configuration',
  look(loaded) {
    const problems = loaded ? toolProblems(loaded, process.env) : [];
    const found = loaded ? 'every variable that tools need is set' : 'no configuration';
    return problems.length === 0
      ? { ok: true, found }
      : problems.map(({ tag, problem }) => ({ what: `key of ${tag}`, ok: false, found: problem }));
  },
};

function toolProblems(
  loaded: LoadedConfig,
  env: NodeJS.ProcessEnv,
): { readonly tag: string; readonly problem: string }[] {
  const { tools } = loaded.config;
  return wantedRows(tools, toolsOf(loaded)).flatMap(({ row, tags }) =>
    tags.flatMap((tag) => {
      const problem = problemOf(() => row.checkEnvironment(tools, tag, env));
      return problem === undefined ? [] : [{ tag, problem }];
    }),
  );
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
