import { join } from 'node:path';
import { sha256Hex } from '../base/ids.ts';
import { once } from '../base/once.ts';
import { packageVersion } from '../base/packageVersion.ts';
import type { Session } from '../contract/session.ts';
import type { CorpusStage, RecordStage, SourceStage } from '../contract/stage.ts';
import type { KindOfStage, SynthesisStageName } from '../contract/stageTable.ts';
import { startEmbeddedModel } from '../pipeline/compose/embeddedModel.ts';
import { openCachedTools } from '../pipeline/compose/openCachedTools.ts';
import {
  chosenSampling,
  createModelOpener,
  type EmbeddedEndpoint,
  embeddedModel,
  placeOf,
} from '../pipeline/compose/openModels.ts';
import type { LoadedConfig } from '../pipeline/config/loadConfig.ts';
import { toolsOf } from '../pipeline/config/toolsConfig.ts';
import { askedEndpoint, judgeNeeds, type Need, poolNeed, toolNeeds } from '../pipeline/preflight.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { registerStages, type ServicesPlace, type StageOpener } from '../pipeline/stages/capabilityStages.ts';
import { chainStages } from '../pipeline/stages/chainStages.ts';
import { type StageParts, servicesOf } from '../pipeline/stages/stageParts.ts';
import { concurrencyOf } from '../schemas/config/endpoint.ts';
import { asksJudgeModel } from '../schemas/config/resolved/endpoints.ts';
import type { Task } from '../schemas/task.ts';
import { type Fact, type SynthesisRole, synthesisRoles } from '../schemas/taskSynthesis.ts';
import { createDecontaminateStage } from '../stages/dedup/createDecontaminateStage.ts';
import { createQuestionDedupStage } from '../stages/dedup/createQuestionDedupStage.ts';
import { createGoldJudge } from '../stages/judge/createGoldJudge.ts';
import { openPages } from './corpus/openPages.ts';
import { type ReadPage, readCorpus } from './corpus/readCorpus.ts';
import { createSynthesisRoles } from './models/createSynthesisRoles.ts';
import type { Candidate } from './records/candidate.ts';
import { documentSchema, type FactRecord, factRecordSchema, type SourceDocument } from './records/fact.ts';
import type { SynthesisRoles } from './roles.ts';
import { readChecker, writeChecker } from './runFiles.ts';
import { createCheckStage } from './stages/createCheckStage.ts';
import { type ChosenCandidate, chosenSchema, createChooseStage } from './stages/createChooseStage.ts';
import { createDocumentSource } from './stages/createDocumentSource.ts';
import { createFactsStage } from './stages/createFactsStage.ts';
import { createGrowStage } from './stages/createGrowStage.ts';
import { createSeedsStage } from './stages/createSeedsStage.ts';
import { createWriteStage } from './stages/createWriteStage.ts';
import { createFactIndex } from './stages/form/factIndex.ts';
import { factProblem, type ReadCorpus } from './stages/rules/examined.ts';
import { solvesWithTools, synthesisModel } from './synthesizeConfig.ts';

function openDocuments(parts: StageParts): SourceStage<SourceDocument> {
  const readPage: ReadPage = async (...asked) => (await servicesOf(parts).openPages())(...asked);
  return createDocumentSource(
    (signal) => readCorpus(parts.loaded, readPage, signal),
    settingsOf(parts.loaded).seeds.limit,
  );
}

function openFacts(parts: StageParts): RecordStage<SourceDocument, FactRecord> {
  return createFactsStage({
    openRoles: rolesOf(parts),
    perDocument: settingsOf(parts.loaded).seeds.per_document,
    concurrency: atOnce(parts, 'propose'),
  });
}

/** Opens the stage `seeds`: each stated fact becomes a question. */
function openSeeds(parts: StageParts): CorpusStage<FactRecord, Candidate> {
  const { config } = parts.loaded;
  return createSeedsStage({
    openCorpus: () => servicesOf(parts).openCorpus(),
    seed: config.seed,
    profile: settingsOf(parts.loaded).profile,
    fromTasks: settingsOf(parts.loaded).corpus.tasks !== undefined,
    most: settingsOf(parts.loaded).seeds.candidates,
  });
}

/** Opens the stage `grow`: multi-hop questions in words. */
function openGrow(parts: StageParts): RecordStage<Candidate, Candidate> {
  return createGrowStage(askingParts(parts, 'link', 'write', 'solve'));
}

function openCheck(parts: StageParts): RecordStage<Candidate, Candidate> {
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

/** Opens the stage `choose`: removes duplicates and benchmark questions, and applies the quotas. */
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

function openWrite({ loaded, runFolder, configHash }: StageParts): CorpusStage<ChosenCandidate, Task> {
  const { config, name } = loaded;
  const { choose, profile } = settingsOf(loaded);
  return createWriteStage({
    seed: config.seed,
    heldOutShare: choose.held_out_share,
    openWriter: async () => {
      const { createTasksetWriter } = await import('./taskset/createTasksetWriter.ts');
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
  return servicesOf(parts).openRoles;
}

function atOnce({ loaded }: StageParts, role: SynthesisRole): number {
  return settingsOf(loaded).concurrency ?? concurrencyOf(synthesisModel(loaded.config, role).endpoint);
}

/** Models of some roles; embedded ones need no check. */
function roleNeeds({ config }: LoadedConfig, ...roles: readonly SynthesisRole[]): Need[] {
  if (config.synthesize!.backend !== 'openai') return [];
  return roles.map((role) => poolNeed(askedEndpoint(synthesisModel(config, role), `the role ${role}`)));
}

/** Services of stages that solve questions: roles, tools of the solver, the judge. */
function solvingNeeds(loaded: LoadedConfig, ...roles: readonly SynthesisRole[]): Need[] {
  const tools = solvesWithTools(loaded.config.synthesize!) ? toolNeeds(loaded) : [];
  return [...roleNeeds(loaded, ...roles, 'solve'), ...tools, ...judgeNeeds(loaded)];
}

/** Growing uses the solver if it continues until that fails. */
function growingNeeds(loaded: LoadedConfig): Need[] {
  const roles = ['link', 'write'] as const;
  const { until } = loaded.config.synthesize!.grow;
  return until === 'solver_fails' ? solvingNeeds(loaded, ...roles) : roleNeeds(loaded, ...roles);
}

const openers: { readonly [Name in SynthesisStageName]: StageOpener<KindOfStage<Name>> } = {
  documents: { open: openDocuments },
  facts: { open: openFacts, needs: (loaded) => roleNeeds(loaded, 'propose') },
  seeds: { open: openSeeds },
  grow: { open: openGrow, needs: growingNeeds },
  check: {
    open: openCheck,
    needs: (loaded) => solvingNeeds(loaded, 'check'),
    // The run's own process measures the role `check`.
    asksFirst: ({ config }) => config.synthesize!.check.read_back,
  },
  choose: { open: openChoose },
  write: { open: openWrite },
};

interface SynthesisServices {
  /** Reader of web pages as documents. */
  openPages(): Promise<ReadPage>;
  /** Models that make and check tasks. */
  openRoles(): Promise<SynthesisRoles>;
  /** The run's documents and facts, available after both stages. */
  openCorpus(): Promise<ReadCorpus>;
}

declare module '../pipeline/stages/stageParts.ts' {
  interface CapabilityServices extends SynthesisServices {}
}

function openServices(place: ServicesPlace, session: Session): SynthesisServices {
  return {
    openPages: once(async () => openPages({ ...place, cache: await place.openAnswers() }, session)),
    openRoles: once(() => openSynthesisRoles(place, session)),
    openCorpus: once(async () => {
      await place.refresh?.();
      return readCorpusOf(place.runFolder);
    }),
  };
}

/** Reads the documents and the facts that they state, after both stages. */
async function readCorpusOf(runFolder: string): Promise<ReadCorpus> {
  const documents = new Map<string, SourceDocument>();
  for await (const { record } of stageRecords(runFolder, 'documents', documentSchema))
    documents.set(record.address, record);
  const facts: Fact[] = [];
  for await (const { record } of stageRecords(runFolder, 'facts', factRecordSchema))
    if (factProblem(record.fact, documents) === undefined) facts.push(record.fact);
  const hashes = [...documents.values()].map(({ sha256 }) => sha256);
  return { documents, facts, index: createFactIndex(facts), sha256: sha256Hex(hashes.join('\n')) };
}

/** Opens the models and tools that make and check tasks behind the cache, with a server for embedded ones. */
async function openSynthesisRoles(place: ServicesPlace, session: Session): Promise<SynthesisRoles> {
  const { loaded } = place;
  const cache = await place.openAnswers();
  const settings = loaded.config.synthesize!;
  const embedded = settings.backend === 'embedded' ? await openEmbedded(place, session) : undefined;
  const open = createModelOpener(session, cache);
  const wanted = solvesWithTools(settings) ? toolsOf(loaded) : new Set<string>();
  const tools = await openCachedTools({ ...place, cache, wanted }, session);
  const models = new Map(
    synthesisRoles.map((role) => {
      const configured = synthesisModel(loaded.config, role);
      const { sampling, ...asked } = embedded ? embeddedModel(configured, embedded) : configured;
      const chat = open({ ...placeOf(asked, session), plays: embedded?.plays });
      // The seed distinguishes several tries of an embedded model.
      const own = embedded && { seed: loaded.config.seed };
      return [role, { chat, sampling: { ...own, ...chosenSampling(sampling) } }];
    }),
  );
  return createSynthesisRoles({ models: (role) => models.get(role)!, tools: [...tools.values()] });
}

async function openEmbedded(
  { loaded, runFolder }: ServicesPlace,
  { resources }: Session,
): Promise<EmbeddedEndpoint> {
  const { createSynthesisPlayer } = await import('./player/createSynthesisPlayer.ts');
  const { seed } = loaded.config;
  const script = createSynthesisPlayer(seed);
  const baseUrl = await startEmbeddedModel(runFolder, { script }, resources);
  return { baseUrl, plays: { seed, version: packageVersion() } };
}

registerStages({ openers, openServices });
