import { join } from 'node:path';
import { packageVersion } from '../../base/packageVersion.ts';
import type { CorpusStage, RecordStage, SourceStage } from '../../contract/stage.ts';
import { concurrencyOf } from '../../schemas/config/endpoint.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { synthesisModel } from '../../schemas/config/resolved/sectionModel.ts';
import { type SynthesisRole, synthesisRoles } from '../../schemas/config/synthesize.ts';
import type { Candidate } from '../../schemas/synthesis/candidate.ts';
import type { SourceDocument } from '../../schemas/synthesis/fact.ts';
import type { FactRecord } from '../../schemas/synthesis/factRecord.ts';
import type { Task } from '../../schemas/task.ts';
import { createDecontaminateStage } from '../../stages/dedup/createDecontaminateStage.ts';
import { createQuestionDedupStage } from '../../stages/dedup/createQuestionDedupStage.ts';
import { createGoldJudge } from '../../stages/judge/createGoldJudge.ts';
import { createCheckStage } from '../../stages/synthesis/createCheckStage.ts';
import {
  type ChosenCandidate,
  chosenSchema,
  createChooseStage,
} from '../../stages/synthesis/createChooseStage.ts';
import { createDocumentSource } from '../../stages/synthesis/createDocumentSource.ts';
import { createFactsStage } from '../../stages/synthesis/createFactsStage.ts';
import { createGrowStage } from '../../stages/synthesis/createGrowStage.ts';
import { createSeedsStage } from '../../stages/synthesis/createSeedsStage.ts';
import { createWriteStage } from '../../stages/synthesis/createWriteStage.ts';
import { readChecker, writeChecker } from '../run/wholeFiles.ts';
import { chainStages } from '../stages/chainStages.ts';
import { type StageParts, servicesOf } from '../stages/stageParts.ts';
import { type ReadPage, readCorpus } from './readCorpus.ts';

/** The stage `documents`: what `synthesize.corpus` names. */
export function openDocuments(parts: StageParts): SourceStage<SourceDocument> {
  const readPage: ReadPage = async (...asked) => (await servicesOf(parts).openPages())(...asked);
  return createDocumentSource(
    (signal) => readCorpus(parts.loaded, readPage, signal),
    settingsOf(parts.loaded).seeds.limit,
  );
}

/** The stage `facts`: a model reads the documents. */
export function openFacts(parts: StageParts): RecordStage<SourceDocument, FactRecord> {
  return createFactsStage({
    openRoles: rolesOf(parts),
    perDocument: settingsOf(parts.loaded).seeds.per_document,
    concurrency: atOnce(parts, 'propose'),
  });
}

/** The stage `seeds`: each fact that its document states becomes a question. */
export function openSeeds(parts: StageParts): CorpusStage<FactRecord, Candidate> {
  const { config } = parts.loaded;
  return createSeedsStage({
    openCorpus: () => servicesOf(parts).openCorpus(),
    seed: config.seed,
    profile: settingsOf(parts.loaded).profile,
    fromTasks: settingsOf(parts.loaded).corpus.tasks !== undefined,
    most: settingsOf(parts.loaded).seeds.candidates,
  });
}

/** The stage `grow`: questions of several hops, in words. */
export function openGrow(parts: StageParts): RecordStage<Candidate, Candidate> {
  return createGrowStage(askingParts(parts, 'link', 'write', 'solve'));
}

/** The stage `check`: what a candidate must pass to become a task. */
export function openCheck(parts: StageParts): RecordStage<Candidate, Candidate> {
  return createCheckStage({
    ...askingParts(parts, 'check', 'solve'),
    onMeasured: (measure) => writeChecker(parts.runFolder, measure),
  });
}

function askingParts(parts: StageParts, ...roles: readonly SynthesisRole[]) {
  const { config } = parts.loaded;
  return {
    openRoles: rolesOf(parts),
    openCorpus: () => servicesOf(parts).openCorpus(),
    judge: judgeOf(parts),
    config: settingsOf(parts.loaded),
    seed: config.seed,
    concurrency: Math.max(...roles.map((role) => atOnce(parts, role))),
  };
}

/** Compares answers as the judge of a run does. */
function judgeOf(parts: StageParts) {
  const { openJudgeModel } = servicesOf(parts);
  const { config } = parts.loaded;
  const open = asksJudgeModel(config) ? openJudgeModel : undefined;
  return async (
    task: Pick<Task, 'question' | 'answers'>,
    answer: string,
    { taskId, signal }: { readonly taskId: string; readonly signal: AbortSignal },
  ): Promise<boolean> => {
    const work = { task_id: taskId };
    const settings = { config: config.judge, model: await open?.(), work, signal };
    return (await createGoldJudge({ ...task, domain: 'qa' }, settings)(answer)).correct;
  };
}

/** The stage `choose`: no question twice, none of a benchmark, no more than the quotas allow. */
export function openChoose({
  loaded,
  spillFolder,
}: StageParts): CorpusStage<ChosenCandidate, ChosenCandidate> {
  const { filters, decontaminate, seed } = loaded.config;
  const asked = { name: 'choose', input: chosenSchema, output: chosenSchema } as const;
  const distinct = {
    ...createQuestionDedupStage(filters.duplicate_questions, spillFolder('choose')),
    ...asked,
  };
  const quotas = createChooseStage(settingsOf(loaded), seed);
  if (!decontaminate?.benchmarks.length) return chainStages(distinct, quotas);
  const clean = { ...createDecontaminateStage(decontaminate), ...asked };
  return chainStages(distinct, chainStages(clean, quotas));
}

/** The stage `write`: the files that a run reads. */
export function openWrite({ loaded, runFolder, configHash }: StageParts): CorpusStage<ChosenCandidate, Task> {
  const { config, name } = loaded;
  const { choose, profile } = settingsOf(loaded);
  return createWriteStage({
    seed: config.seed,
    heldOutShare: choose.held_out_share,
    openWriter: async () => {
      const { createTasksetWriter } = await import('../../output/taskset/createTasksetWriter.ts');
      return createTasksetWriter({
        folder: join(runFolder, 'taskset'),
        name,
        profile,
        coa_distill_version: packageVersion(),
        config_hash: configHash,
        checker: await readChecker(runFolder),
        models: Object.fromEntries(synthesisRoles.map((role) => [role, synthesisModel(config, role).model])),
      });
    },
  });
}

function settingsOf({ config }: StageParts['loaded']) {
  return config.synthesize!;
}

function rolesOf(parts: StageParts) {
  return servicesOf(parts).openRoles!;
}

function atOnce({ loaded }: StageParts, role: SynthesisRole): number {
  return settingsOf(loaded).concurrency ?? concurrencyOf(synthesisModel(loaded.config, role).endpoint);
}
