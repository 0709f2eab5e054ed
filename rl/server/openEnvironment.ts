import { existsSync } from 'node:fs';
import PQueue from 'p-queue';
import { sha256Hex } from '../../base/ids.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { noAnswerCache } from '../../calls/sessionCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import { escapeSegment } from '../../output/rows/escapeSpecialTokens.ts';
import { loadAddedTokens } from '../../output/tokenizers/loadTokenizer.ts';
import { lazySandbox } from '../../pipeline/compose/lazySandbox.ts';
import { openCache } from '../../pipeline/compose/openCache.ts';
import { openCachedTools } from '../../pipeline/compose/openCachedTools.ts';
import { openJudgeModel } from '../../pipeline/compose/openSectionModels.ts';
import { ownJudge } from '../../pipeline/compose/ownModules.ts';
import { stopTagsOf } from '../../schemas/coa/play/readStep.ts';
import { type Profile, toolTags } from '../../schemas/coa/profile.ts';
import type { Config } from '../../schemas/config/config.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import type { Task } from '../../schemas/task.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import type { RlEnvironment } from '../records/environment.ts';
import { rewardExpression } from '../rewardsConfig.ts';
import { type RlConfig, rlConfigSchema } from '../rlConfig.ts';
import { type OpenedReward, openCustomReward } from './customReward.ts';
import type { EnvironmentSource } from './environmentSource.ts';
import type { StepParts } from './nextStep.ts';
import type { ScoreParts } from './scoreTrajectory.ts';

/** Opened tasks, tools, judges and rewards. */
export interface OpenedEnvironment extends Pick<Session, 'clock'> {
  readonly description: RlEnvironment;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly profileOf: (name: string) => Profile | undefined;
  readonly steps: StepParts;
  readonly scores: ScoreParts;
}

/**
 * Opens the tools, judges and rewards of an environment until the session ends.
 *
 * @throws UserError if a tool of a profile is not configured, a key is missing, or there are no tasks
 */
export async function openEnvironment(
  source: EnvironmentSource,
  session: Session,
): Promise<OpenedEnvironment> {
  const { config, profiles, shaping, runFolder, testStore } = source;
  const rl = rlConfigSchema.parse(config.rl ?? {});
  const tasks = await tasksById(source);
  const names = new Set([...tasks.values()].map(({ profile }) => profile));
  const used = profiles.profiles.filter(({ name }) => names.has(name));
  const wanted = new Set(used.flatMap(toolTags));
  const cache = await cacheOf(config, runFolder, session);
  const sandbox = lazySandbox(config.tools.code, session);
  const tools = await openCachedTools(
    { loaded: { config }, shaping, runFolder, sandbox, cache, wanted },
    session,
  );
  refuseMissing([...wanted].filter((tag) => !tools.has(tag)));
  const limits = limitsOf(config);
  const judgeModel = asksJudgeModel(config) ? openJudgeModel(config, cache, session) : undefined;
  const own = ownJudge(config);
  await own?.check();
  // Awaited together, since an unhandled rejection would end the process.
  const opening = Object.entries(rl.rewards.custom).map(async ([name, reward]) => {
    const opened = await openCustomReward(name, reward, session);
    const queue = new PQueue({ concurrency: CONCURRENCY_A_TOOL });
    const ask: OpenedReward = (told, signal) => queue.add(() => opened(told, signal), { signal });
    return [name, ask] as const;
  });
  const custom = new Map(await Promise.all(opening));
  return {
    clock: session.clock,
    description: descriptionOf(source, { ...rl, limits }, tasks.size, used),
    tasks,
    profileOf: profiles.profileOf,
    steps: {
      tools: new Map([...tools].map(([tag, tool]) => [tag, queued(tool, CONCURRENCY_A_TOOL)])),
      maxSteps: limits.max_steps,
      escapeSpecialTokens: await observationEscaper(config),
      now: () => session.clock.monotonicMs(),
    },
    scores: {
      judge: config.judge,
      judgeModel,
      ownJudge: own && session.resources.keep(own),
      sandbox,
      testStore,
      reward: rewardExpression(rl.rewards),
      correctness: rl.rewards.correctness,
      custom,
      maxSteps: limits.max_steps,
    },
  };
}

/** Limits the concurrency of a tool; FIFO. */
function queued(tool: Tool, concurrency: number): Tool {
  const queue = new PQueue({ concurrency });
  return {
    ...tool,
    parseInput: (input) => tool.parseInput(input),
    call: (input, signal, work, goal) => queue.add(() => tool.call(input, signal, work, goal), { signal }),
  };
}

/** Maximum concurrent calls of a tool or a user-defined reward; the others wait. */
const CONCURRENCY_A_TOOL = 128;
/** Maximum tokens of one generation. */
const MAX_STEP_TOKENS = 4_096;
/** Time limit of a trajectory in seconds, enforced by the loop. */
const MAX_SECONDS = 1_800;

/** Limits of the training job with the same configuration. */
function limitsOf({ training }: Config): RlEnvironment['limits'] {
  const { max_generations, max_prompt_tokens, max_response_tokens } = rlFigures(training);
  return {
    max_steps: max_generations,
    max_step_tokens: MAX_STEP_TOKENS,
    max_prompt_tokens,
    max_response_tokens,
    max_seconds: MAX_SECONDS,
  };
}

async function tasksById({ name, tasks }: EnvironmentSource): Promise<ReadonlyMap<string, Task>> {
  const byId = new Map<string, Task>();
  for await (const { extra: _, ...task } of tasks) byId.set(task.id, task);
  if (byId.size === 0) throw new UserError(`${name} has no tasks yet; read them with coa-distill run`);
  return byId;
}

/** Configured cache, or that of the run; a configuration that was never run has none. */
async function cacheOf(config: Config, runFolder: string, session: Session): Promise<AnswerCache> {
  const isThere = config.cache.file !== undefined || existsSync(runFolder);
  return isThere ? openCache(config, runFolder, session) : noAnswerCache;
}

function refuseMissing(tags: readonly string[]): void {
  if (tags.length === 0) return;
  throw new UserError(
    `the profiles of the tasks call ${tags.map((tag) => `<${tag}>`).join(', ')}, and the configuration has no such tool; add ${tags.map((tag) => `tools.${tag}`).join(', ')}`,
  );
}

async function observationEscaper({ dataset }: Config): Promise<StepParts['escapeSpecialTokens']> {
  const { escaper } = await loadAddedTokens(dataset.tokenizer);
  return (segment) => escapeSegment(segment, escaper).text;
}

function descriptionOf(
  { name }: EnvironmentSource,
  { limits, rewards }: Pick<RlConfig, 'rewards'> & Pick<RlEnvironment, 'limits'>,
  tasks: number,
  used: readonly Profile[],
): RlEnvironment {
  const profiles = used.map((profile) => [
    profile.name,
    {
      stop: stopTagsOf(profile).map((tag) => `</${tag}>`),
      tools: toolTags(profile),
      instruction_sha256: sha256Hex(profile.instruction),
    },
  ]);
  return {
    format_version: 1,
    coa_distill_version: packageVersion(),
    dataset: name,
    tasks,
    profiles: Object.fromEntries(profiles),
    limits,
    reward: rewardExpression(rewards),
  };
}
