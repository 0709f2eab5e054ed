import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';
import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { probeEndpoint } from '../../pipeline/preflight.ts';
import {
  apiKeyOf,
  asksJudgeModel,
  endpointsInUse,
  judgeEndpointOf,
  judgeKeyOf,
  membersOf,
  type ResolvedEndpoint,
} from '../../schemas/config/resolved/endpoints.ts';
import { askedToolModels, toolModelKeyOf } from '../../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { formatBytes } from '../format.ts';

/** What a look at the machine found. */
export interface Check {
  readonly what: string;
  readonly ok: boolean;
  /** What is there, or what is wrong. */
  readonly found: string;
  readonly neededFor: string;
  /** How to get it; shown when it is missing. */
  readonly howToGet: string;
  /** True when the configuration can't run without it. */
  readonly required: boolean;
}

const run = promisify(execFile);

/** Below this the disk is called short: a thousand rows with their traces take about 200 MB. */
const LEAST_FREE_BYTES = 1e9;
const OLDEST_NODE = 24;

/** Looks at the Node that runs this. */
export function checkNode(): Check {
  return {
    what: 'node',
    ok: Number(process.versions.node.split('.')[0]) >= OLDEST_NODE,
    found: process.version,
    neededFor: 'everything',
    howToGet: 'npm install coa-distill brings Node 24 along; or install Node 24 or newer',
    required: true,
  };
}

/** Asks Python for its version. */
export async function checkPython(required: boolean): Promise<Check> {
  const about = {
    what: 'python3',
    neededFor: 'programs in the sandbox',
    howToGet: 'apt-get install python3',
    required,
  };
  try {
    const { stdout } = await run('/usr/bin/python3', ['--version'], { env: {} });
    return { ...about, ok: true, found: stdout.trim() };
  } catch {
    return { ...about, ok: false, found: '/usr/bin/python3 does not run' };
  }
}

/** Asks each endpoint of the configuration whether it is there, with its key. */
export async function checkEndpoint(loaded: LoadedConfig | undefined): Promise<Check[]> {
  const judge = loaded && asksJudgeModel(loaded.config) ? judgeEndpointOf(loaded.config) : undefined;
  const judges = (judge ? membersOf(judge) : []).map((member) =>
    checkMember(member, judgeKeyOf, endpointCheck(member, 'the judge', 'judge.model.endpoint.base_url')),
  );
  const others = [...judges, ...(loaded ? checkToolModels(loaded) : [])];
  if (!loaded || !asksEndpoint(loaded.config.teacher)) {
    const found = loaded
      ? `not needed: the backend ${loaded.config.teacher.backend} brings its own`
      : 'no configuration';
    const about = { what: 'endpoint', neededFor: 'the teacher', howToGet: '', required: false };
    return [{ ...about, ok: true, found }, ...(await Promise.all(others))];
  }
  const where = 'teacher.endpoint.base_url, --base-url or OPENAI_BASE_URL';
  const teachers = endpointsInUse(loaded.config).map((endpoint) =>
    checkMember(endpoint, apiKeyOf, endpointCheck(endpoint, 'the teacher', where)),
  );
  return Promise.all([...teachers, ...others]);
}

function checkToolModels({ config }: LoadedConfig): Promise<Check>[] {
  return askedToolModels(config).flatMap(({ part, tool, endpoint }) =>
    membersOf(endpoint).map((member) =>
      checkMember(
        member,
        (asked, env) => toolModelKeyOf(part, asked, env),
        endpointCheck(member, `the tool ${tool}`, `tools.${part}.endpoint.base_url`),
      ),
    ),
  );
}

async function checkMember(
  endpoint: ResolvedEndpoint,
  keyOf: (endpoint: ResolvedEndpoint, env: NodeJS.ProcessEnv) => string | undefined,
  about: Omit<Check, 'ok' | 'found'>,
): Promise<Check> {
  try {
    const probe = await probeEndpoint(endpoint, keyOf(endpoint, process.env));
    if (!probe.reachable) return { ...about, ok: false, found: `can't be reached (${probe.why})` };
    const refused = probe.status === 401 || probe.status === 403;
    const found = refused ? `refuses the key (${probe.status})` : 'reachable, key present';
    return { ...about, ok: !refused, found };
  } catch (error) {
    return { ...about, ok: false, found: (error as Error).message };
  }
}

function endpointCheck(
  { base_url }: ResolvedEndpoint,
  neededFor: string,
  where: string,
): Omit<Check, 'ok' | 'found'> {
  return {
    what: `endpoint ${addressWithoutSecrets(base_url)}`,
    neededFor,
    howToGet: `start it, or set ${where}, and the key`,
    required: true,
  };
}

/** Loads the tokenizer of the dataset. */
export async function checkTokenizer(loaded: LoadedConfig | undefined): Promise<Check> {
  const name = loaded?.config.dataset.tokenizer ?? 'qwen2.5';
  const about = {
    what: 'tokenizer',
    neededFor: 'token counts, masks and the tokenized formats',
    howToGet: 'the default comes with the package; set dataset.tokenizer to qwen2.5 or to a tokenizer.json',
    required: true,
  };
  try {
    const { loadTokenizer } = await import('../../output/tokenizers/loadTokenizer.ts');
    const tokenizer = await loadTokenizer(name);
    const found = `${tokenizer.name}, encoded by ${tokenizer.encoder}`;
    tokenizer.close();
    return { ...about, ok: true, found };
  } catch (error) {
    return { ...about, ok: false, found: (error as Error).message };
  }
}

/** Looks at the room on the disk of the working directory, where run folders go. */
export async function checkDisk(): Promise<Check> {
  const { bavail, bsize } = await statfs(process.cwd());
  const free = bavail * bsize;
  return {
    what: 'disk',
    ok: free >= LEAST_FREE_BYTES,
    found: `${formatBytes(free)} free`,
    neededFor: 'run folders: traces and datasets',
    howToGet: 'free space, or set runs_dir to another disk',
    required: true,
  };
}
