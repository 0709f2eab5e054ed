import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { type ProbeConfig, probeConfigSchema } from '../../schemas/config/probe.ts';
import { runAsksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { configOfRollout, memberConfigs } from '../../schemas/config/resolved/mixture.ts';
import { roleModel, sectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import { toolModelsOf } from '../../schemas/config/resolved/toolModels.ts';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { ownEvents, roleSchema, type Trace } from '../../schemas/trace.ts';
import { AskedTime } from './askedTime.ts';
import { Moments } from './interval.ts';

/** What an earlier run took and gave, at the prices of a configuration. */
export interface SeenRun {
  readonly profiles: ReadonlyMap<string, Seen>;
  /** Undefined where no model probes tasks. */
  readonly probe: ProbeSeen | undefined;
  /** Whether its tasks were rolled out by the same rule. */
  readonly hasSameRollouts: boolean;
  /** False where a model's price is not known. */
  readonly isPriced: boolean;
}

/** What the rollouts of one profile took and gave: a task has one, or several. */
export interface Seen {
  tasks: number;
  readonly costUsd: Moments;
  readonly tokens: Moments;
  /** Of those that the cache did not answer: what it answers takes no time. */
  readonly seconds: Moments;
  kept: number;
}

/** What the probe took of a task each, and which share of the tasks it let through. */
export interface ProbeSeen extends Pick<Seen, 'costUsd' | 'tokens'> {
  readonly share: number;
}

/** What models beside the teacher's took for one task; the cost is undefined where a price is not known. */
interface ModelUse {
  readonly tokens: number;
  readonly costUsd: number | undefined;
}

type UseByTask = ReadonlyMap<string, ModelUse>;

const eventSchema = z.union([
  z.object({ type: z.literal('agent_call'), role: roleSchema, usage: usageSchema }),
  z.object({ type: z.literal('tool_call') }),
]);
const workSchema = z.object({ taken_over: z.int().optional(), events: z.array(eventSchema) });
type Work = z.infer<typeof workSchema>;
type Rolled = Pick<Trace, 'task_id' | 'rollout' | 'repairs'>;

/**
 * Reads what a run's tasks took.
 *
 * @throws UserError where it had another probe: what this one lets through is not known
 */
export async function readSeen(runFolder: string, config: Config): Promise<SeenRun> {
  const use = await readModelUse(runFolder, config);
  const beside = [use.tool, ...(runAsksJudgeModel(config) ? [use.judge] : [])];
  const run = await readRunFile(runFolder);
  const earlier = teacherConfigSchema.safeParse(run?.config.teacher).data ?? { rollouts: 1 };
  const probe = await readProbe(runFolder, config, use.probe);
  const hasPrices =
    !asksEndpoint(config.teacher) ||
    memberConfigs(config).every((member) =>
      roleSchema.options.every((role) => roleModel(member, role).endpoint.price),
    );
  const isPriced = [...beside, ...(probe ? [use.probe] : [])]
    .flatMap((of) => [...of.values()])
    .every(({ costUsd }) => costUsd !== undefined);
  return {
    profiles: await readProfiles(runFolder, config, beside),
    probe,
    hasSameRollouts: isDeepStrictEqual(rolloutPlan(earlier), rolloutPlan(config.teacher)),
    isPriced: hasPrices && isPriced,
  };
}

const callSchema = z.object({
  event: z.literal('model_call'),
  role: z.enum(['tool', 'probe', 'judge']),
  task_id: z.string(),
  model: z.string(),
  usage: usageSchema,
});

/**
 * What the models of tools, the probe and the judge took, by task. Traces don't say it; the run's events do, for every
 * call that the cache did not answer.
 */
export async function readModelUse(runFolder: string, config: Config) {
  const toolPrices = new Map(toolModelsOf(config).map((asked) => [asked.model, asked.endpoint.price]));
  const prices = {
    tool: (model: string) => toolPrices.get(model),
    probe: () => sectionModel(config, 'probe.model')?.endpoint.price,
    judge: () => sectionModel(config, 'judge.model')?.endpoint.price,
  };
  const use = {
    tool: new Map<string, ModelUse>(),
    probe: new Map<string, ModelUse>(),
    judge: new Map<string, ModelUse>(),
  };
  for await (const { role, task_id, model, usage } of readEvents(
    runFolder,
    '"event":"model_call"',
    callSchema,
  )) {
    const before = use[role].get(task_id) ?? { tokens: 0, costUsd: 0 };
    const price = prices[role](model);
    const cost = price && tokenCostUsd(usage, price);
    use[role].set(task_id, {
      tokens: before.tokens + usage.prompt_tokens + usage.completion_tokens,
      costUsd: before.costUsd === undefined || cost === undefined ? undefined : before.costUsd + cost,
    });
  }
  return use;
}

async function readProfiles(
  runFolder: string,
  config: Config,
  models: readonly UseByTask[],
): Promise<Map<string, Seen>> {
  const profileOf = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'dedup', taskSchema))
    profileOf.set(record.id, record.profile);
  const profiles = new Map<string, Seen>();
  const seenOf = (task_id: string): Seen | undefined => {
    const profile = profileOf.get(task_id);
    if (profile !== undefined && !profiles.has(profile))
      profiles.set(profile, { tasks: 0, ...noMoments(), seconds: new Moments(), kept: 0 });
    return profile === undefined ? undefined : profiles.get(profile);
  };
  // What the models of tools and of the judge took is known by task: it is added to one of the task's rollouts.
  const time = await AskedTime.read(runFolder);
  const untold = models.map((use) => new Map(use));
  const add = ({ task_id, rollout, repairs }: Rolled, work: Work): void => {
    const of = seenOf(task_id);
    if (!of) return;
    if (rollout === undefined) of.tasks++;
    const beside = untold.flatMap((use) => use.get(task_id) ?? []);
    addWork(of, work, configOfRollout(config, { task_id, rollout, repairs }), beside);
    const calls = ownEvents(work).filter(({ type }) => type === 'agent_call').length;
    const ms = time.take(task_id, calls);
    if (ms !== undefined) of.seconds.add(ms / 1000);
    for (const use of untold) use.delete(task_id);
  };
  const traces = workSchema.extend({
    task_id: z.string(),
    rollout: z.int().optional(),
    repairs: z.int().optional(),
  });
  for await (const { record } of stageRecords(runFolder, 'rollout', traces)) add(record, record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(entry, partial.data);
  }
  const addKept = (of: Seen | undefined) => of && of.kept++;
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema))
    addKept(seenOf(record.task_id));
  for await (const entry of readLedger(runFolder, 'export'))
    if (entry.kind === 'drop' && entry.reason === 'over_target') addKept(seenOf(entry.task_id));
  return profiles;
}

function noMoments() {
  return { costUsd: new Moments(), tokens: new Moments() };
}

function addWork(seen: Seen, work: Work, config: Config, beside: readonly ModelUse[]): void {
  let [costUsd, tokens] = [0, 0];
  for (const use of beside) {
    costUsd += use.costUsd ?? 0;
    tokens += use.tokens;
  }
  for (const event of ownEvents(work)) {
    if (event.type === 'tool_call') continue;
    tokens += event.usage.prompt_tokens + event.usage.completion_tokens;
    costUsd += tokenCostUsd(event.usage, roleModel(config, event.role).endpoint.price);
  }
  seen.costUsd.add(costUsd);
  seen.tokens.add(tokens);
}

const idSchema = z.object({ id: z.string() });

async function readProbe(runFolder: string, config: Config, use: UseByTask): Promise<ProbeSeen | undefined> {
  if (config.probe?.model === undefined) return undefined;
  const earlier = probeConfigSchema.safeParse((await readRunFile(runFolder))?.config.probe).data;
  const file = await readStageFile(runFolder, 'probe');
  if (!earlier || !file?.entered || !isDeepStrictEqual(whatItAsks(earlier), whatItAsks(config.probe)))
    throw new UserError(
      'probe: which share of tasks it lets through can be told from a run with the same probe alone; try some tasks first with --limit 20',
    );
  const seen = noMoments();
  // Nothing where the cache or a file answered.
  const add = (taskId: string): void => {
    const { tokens = 0, costUsd = 0 } = use.get(taskId) ?? {};
    seen.tokens.add(tokens);
    seen.costUsd.add(costUsd);
  };
  for await (const { record } of stageRecords(runFolder, 'probe', idSchema)) add(record.id);
  for await (const { task_id } of readLedger(runFolder, 'probe')) add(task_id);
  return { share: file.emitted_inputs / file.entered, ...seen };
}

function whatItAsks({ model, tries, pass_rate: { min, max } }: ProbeConfig) {
  return { model, tries, min, max };
}
