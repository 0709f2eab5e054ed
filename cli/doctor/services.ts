import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import {
  type AskedEndpoint,
  askedEndpoints,
  probeEndpoint,
  toolKeyChecks,
} from '../../pipeline/preflight.ts';
import { isSameMember, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { type CheckRow, type Finding, lookedAt } from './check.ts';

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
  const members = askedEndpoints(loaded)
    .flatMap((asked) => membersOf(asked.endpoint).map((endpoint) => ({ ...asked, endpoint })))
    .filter((one, place, all) => all.findIndex((other) => isSame(other, one)) === place);
  return [...own, ...(await Promise.all(members.map(lookAtEndpoint)))];
}

function isSame(one: AskedEndpoint, other: AskedEndpoint): boolean {
  return one.neededFor === other.neededFor && isSameMember(one.endpoint, other.endpoint);
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
    const problems = loaded ? toolProblems(loaded) : [];
    const found = loaded ? 'every variable that tools need is set' : 'no configuration';
    return problems.length === 0
      ? { ok: true, found }
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
