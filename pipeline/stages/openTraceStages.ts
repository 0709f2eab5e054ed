import type { RecordStage } from '../../contract/stage.ts';
import type { Teacher } from '../../contract/teacher.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import { asksJudgeModel, tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import type { Task } from '../../schemas/task.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createConvertStage } from '../../stages/convert/createConvertStage.ts';
import { createRolloutStage } from '../../stages/createRolloutStage.ts';
import { createJudgeStage } from '../../stages/judge/createJudgeStage.ts';
import { type StageParts, servicesOf } from './stageParts.ts';

/** Concurrent judging programs; the sandbox has its own limit. */
const JUDGE_CONCURRENCY = 4;

export function openRollout(parts: StageParts): RecordStage<Task, Trace> {
  const { openTeacher } = servicesOf(parts);
  const { config } = parts.loaded;
  const { least, most } = tasksAtOnce(config);
  let opened: Teacher | undefined;
  const teacher: Teacher = {
    solve: async (task, context) => (await openTeacher()).solve(task, context),
    freeSlots: () => opened?.freeSlots?.() ?? 0,
    slots: () => (config.teacher.concurrency === undefined ? opened?.slots?.() : undefined),
    onFreeSlots: (listener) => opened?.onFreeSlots?.(listener) ?? (() => {}),
  };
  return createRolloutStage({
    teacher,
    concurrency: least,
    mostAtOnce: most,
    rollouts: rolloutPlan(config.teacher),
    prepare: async () => {
      opened = await openTeacher();
    },
  });
}

export function openConvert({ loaded }: StageParts): RecordStage<Trace, Trajectory> {
  const { dataset, convert } = loaded.config;
  return createConvertStage({
    profileOf: loaded.profiles.profileOf,
    systemPrompt: dataset.system_prompt,
    config: convert,
  });
}

export function openJudge(parts: StageParts): RecordStage<Trajectory, Trajectory> {
  const { openJudgeModel, ownJudge, sandbox } = servicesOf(parts);
  const { config, profiles, imported } = parts.loaded;
  const openModel = asksJudgeModel(config) ? openJudgeModel : undefined;
  const { judge } = config;
  const modelCalls = openModel && judge.model ? concurrencyOf(judge.model.endpoint) : 0;
  const stage = createJudgeStage({
    config: judge,
    profileOf: profiles.profileOf,
    concurrency: Math.max(JUDGE_CONCURRENCY, modelCalls),
    openModel,
    own: ownJudge,
    sandbox,
    testStore: parts.testStore,
    allowsNoGold: imported !== undefined,
  });
  return { ...stage, prepare: async () => void (await openModel?.()) };
}
