import { join } from 'node:path';
import { packageVersion } from '../../base/packageVersion.ts';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { createBalanceStage } from '../../stages/balance/createBalanceStage.ts';
import { createConvertStage } from '../../stages/convert/createConvertStage.ts';
import { createExportStage, type FindClusters } from '../../stages/createExportStage.ts';
import { createRolloutStage } from '../../stages/createRolloutStage.ts';
import { clusterTasks } from '../../stages/dedup/clusterTasks.ts';
import { createJudgeStage } from '../../stages/judge/createJudgeStage.ts';
import type { JudgeModel } from '../../stages/judge/model/judgeModel.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { tasksAtOnce } from '../config/tasksAtOnce.ts';
import { readBalanceTable, writeBalanceTable } from '../run/balanceFile.ts';
import { openTestStore } from '../run/openTestStore.ts';
import type { PlannedStage } from '../run/plannedStage.ts';
import { stagePaths } from '../run/stagePaths.ts';
import { composeDecidingStages } from './composeDecidingStages.ts';
import { composeTaskStages } from './composeTaskStages.ts';
import type { LazySandbox } from './lazySandbox.ts';
import type { LazyTeacher } from './lazyTeacher.ts';
import type { OpenEmbeddings } from './openEmbeddings.ts';
import type { Resources } from './resources.ts';

/** What {@link composeStages} works with. */
export interface StageParts {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  readonly teacher: LazyTeacher;
  readonly sandbox: LazySandbox | undefined;
  /** Opens the judge's model, once and for all; undefined where the configuration has the judge ask none. */
  readonly openJudgeModel: (() => Promise<JudgeModel>) | undefined;
  /** Opens what `dedup` compares meanings with. */
  readonly openEmbeddings: OpenEmbeddings;
  /** Content id of the configuration, known only once the stages' versions are. */
  readonly configHash: () => string;
}

/** Programs that judge answers run at once; the sandbox has a limit of its own. */
const JUDGE_CONCURRENCY = 4;

/** All stages of a run, in order, ready for the runner. Nothing is opened before a stage has work. */
export function composeStages(parts: StageParts, resources: Resources): PlannedStage[] {
  const { config } = parts.loaded;
  const { convert, judge, dataset } = config;
  const { profileOf } = parts.loaded.profiles;
  const openJudge = parts.openJudgeModel;
  const testStore = openTestStore(parts.runFolder, { writes: true });
  const { source, choosing } = composeTaskStages(
    parts.loaded,
    { spillFolder: stagePaths(parts.runFolder, 'dedup').folder, testStore },
    parts.openEmbeddings,
  );
  const rollout = createRolloutStage({ teacher: parts.teacher, concurrency: tasksAtOnce(config) });
  const converting = createConvertStage({
    profileOf,
    systemPrompt: dataset.system_prompt,
    config: convert,
  });
  const judging = createJudgeStage({
    config: judge,
    profileOf,
    concurrency: Math.max(JUDGE_CONCURRENCY, openJudge && judge.model ? judge.model.endpoint.concurrency : 0),
    ...(openJudge && { openModel: openJudge }),
    ...(parts.sandbox && { sandbox: parts.sandbox }),
    testStore,
    allowsNoGold: parts.loaded.imported !== undefined,
  });
  const deciding = composeDecidingStages(parts.loaded, parts.runFolder, resources, parts.openEmbeddings);
  return [
    { kind: 'source', stage: source },
    ...choosing.map((stage) => ({ kind: 'corpus' as const, stage })),
    { kind: 'record', stage: rollout, prepare: () => parts.teacher.open() },
    { kind: 'record', stage: converting },
    { kind: 'record', stage: judging, ...(openJudge && { prepare: async () => void (await openJudge()) }) },
    { kind: 'record', stage: deciding.filter },
    ...deciding.corpus.map((stage) => ({ kind: 'corpus' as const, stage })),
    ...balancing(parts),
    { kind: 'corpus', stage: exporting(parts, resources) },
  ];
}

/** Writing the dataset; where it has two splits, tasks that ask nearly the same go together. */
function exporting(parts: StageParts, resources: Resources) {
  const findClusters: FindClusters = (records, signal) => clusterTasks(records, parts.runFolder, signal);
  return createExportStage({
    openWriter: () => openWriter(parts, resources),
    ...(parts.loaded.config.dataset.validation_share > 0 && { findClusters }),
  });
}

/** Balancing, where the configuration asks for it; the counts before and after stay in the run folder. */
function balancing({ loaded, runFolder }: StageParts): PlannedStage[] {
  const { balance, seed } = loaded.config;
  if (!balance) return [];
  const onCounts = (table: BalanceTable) => writeBalanceTable(runFolder, table);
  return [{ kind: 'corpus', stage: createBalanceStage({ config: balance, seed, onCounts }) }];
}

async function openWriter({ loaded, runFolder, configHash }: StageParts, resources: Resources) {
  const { dataset, training } = loaded.config;
  const tokenizer = resources.keep(await loadTokenizer(dataset.tokenizer));
  const balance = loaded.config.balance && (await readBalanceTable(runFolder));
  return createDatasetWriter({
    folder: join(runFolder, 'dataset'),
    name: loaded.name,
    tokenizer,
    dataset,
    training,
    profileOf: loaded.profiles.profileOf,
    configHash: configHash(),
    version: packageVersion(),
    ...(balance && { balance }),
  });
}
