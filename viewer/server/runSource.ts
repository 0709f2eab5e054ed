import { z } from 'zod';
import { isFolderHeld } from '../../base/files/lockFolder.ts';
import { once } from '../../base/once.ts';
import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { RunStatus } from '../../operations/report/readStatus.ts';
import { resumeCommandOf } from '../../operations/resumeCommandOf.ts';
import { segmentWeights } from '../../output/rows/segmentWeights.ts';
import { findRun } from '../../pipeline/run/findRun.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { datasetConfigSchema, type MaskConfig, maskConfigSchema } from '../../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { type FailureCause, failureCauses } from '../../schemas/failureCauses.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type WorkersView, workersView } from '../../schemas/run/workersView.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { LiveIndex } from '../index/liveIndex.ts';
import { createRunFeed, type RunFeed } from '../index/runFeed.ts';
import { describeRun, readPart, reportAnswer, SpendSeries } from './describeRun.ts';
import { rowAnswers } from './listedRows.ts';
import { recordsOf, rowSteps, stepAt } from './rowSteps.ts';
import type { RowTokens } from './rowTokens.ts';

const MAX_SIBLINGS = 100;

/** Sections with their names, for error messages. */
const sectionSchemas = z.object({ dataset: datasetConfigSchema, training: trainingConfigSchema });

export type RecordAnswer = Awaited<ReturnType<RunSource['record']>>;

export class RunSource {
  readonly kind = 'run';
  readonly name: string;
  readonly live: LiveIndex;
  readonly runFolder: string;
  readonly #feed: RunFeed;
  readonly #spend: SpendSeries;
  readonly #tokens: () => Promise<RowTokens>;

  constructor(name: string, folder: string) {
    this.name = name;
    this.runFolder = folder;
    this.#feed = createRunFeed(folder);
    this.live = new LiveIndex(this.#feed);
    this.#spend = new SpendSeries(folder);
    this.#tokens = once(async () => {
      // Loaded on demand, since tokenizers and formats take 30 MB and most pages show no tokens.
      const { RowTokens } = await import('./rowTokens.ts');
      return new RowTokens(sectionSchemas.pick({ dataset: true }).parse((await this.#run()).config).dataset);
    });
  }

  isRunning(): Promise<boolean> {
    return isFolderHeld(this.runFolder);
  }

  async workers(): Promise<WorkersView | undefined> {
    const file = await readWorkersFile(this.runFolder);
    return file ? workersView(file) : undefined;
  }

  async describe() {
    const followed = { spend: this.#spend, ends: (stage: StageName) => this.#feed.ends(stage) };
    const run = await this.#run();
    const described = await describeRun(this.name, this.runFolder, run, followed);
    return {
      ...described,
      progress: this.live.progress,
      failures: await this.#failures(run, described.status),
    };
  }

  /** The question of a task; undefined if the run lacks it. */
  questionOf(taskId: string): string | undefined {
    const { index } = this.live;
    const row = index.rowOfKey(taskId);
    return row === undefined ? undefined : (index.rowsAt([row])[0]!.question ?? undefined);
  }

  async report() {
    const { gatherReport } = await import('../../operations/report/gatherReport.ts');
    // The records are linked.
    return { ...reportAnswer(await gatherReport(this.runFolder, await this.#run())), samples: [] };
  }

  async record(row: number) {
    const { index } = this.live;
    const [own] = rowAnswers(index, [row]);
    const [stored] = index.rowsAt([row]);
    const problems: string[] = [];
    const steps = await rowSteps(this.runFolder, index, row, problems);
    const records = recordsOf(steps);
    const run = await this.#run();
    const profile = await readPart(
      problems,
      () => records.trajectory && profileOf(run.config, records.trajectory.profile),
      undefined,
    );
    const manifest = await readPart(problems, () => readManifest(this.runFolder), null);
    const { trajectory } = records;
    const weights: readonly number[] | null =
      trajectory && profile ? segmentWeights(trajectory, profile, maskOf(run.config, manifest)) : null;
    const siblings = index.siblingsOf(row).filter((other) => other !== row);
    return {
      ...own!,
      recordId: stored!.recordId,
      steps,
      problems,
      /** Text of a file's row that is not a trajectory; otherwise null. */
      foreign: null as string | null,
      ...records,
      weights,
      siblings: rowAnswers(index, siblings.slice(0, MAX_SIBLINGS)),
      formats: (manifest?.formats ?? []) as readonly string[],
    };
  }

  /** Record with its trajectory; waits for the index if only the task has been read. */
  async recordWithTrajectory(row: number): Promise<RecordAnswer> {
    const record = await this.record(row);
    if (record.trajectory) return record;
    await this.live.grow();
    return this.record(row);
  }

  async tokens(row: number) {
    const { trajectory, profile } = await this.#trained(row);
    return (await this.#tokens()).tokens(trajectory, profile);
  }

  async inFormat(row: number, format: string): Promise<string> {
    const { trajectory, profile } = await this.#trained(row);
    const { training } = sectionSchemas.pick({ training: true }).parse((await this.#run()).config);
    return (await this.#tokens()).inFormat(trajectory, profile, format, training);
  }

  async close(): Promise<void> {
    await this.live.close();
  }

  async #run() {
    return (await findRun(this.runFolder)).run;
  }

  async #trained(row: number): Promise<{ trajectory: Trajectory; profile: Profile }> {
    const { trajectory } = await this.recordWithTrajectory(row);
    if (!trajectory) throw new UserError('the record has no trajectory: it did not reach that stage');
    const profile = await profileOf((await this.#run()).config, trajectory.profile);
    if (!profile) throw new UserError(`the profile ${trajectory.profile} is not known here`);
    return { trajectory, profile };
  }

  /** Failures by stage and cause, most frequent first. */
  async #failures(run: RunFile, status: RunStatus | null) {
    const groups = [];
    const again = run.imported || run.variant_of ? null : resumeCommandOf(run, this.runFolder);
    for (const { stage, failed } of status?.funnel ?? [])
      for (const [name, records] of Object.entries(failed)) {
        const cause = name as FailureCause;
        const { advice, retryable } = failureCauses[cause] ?? unknownCause;
        // Only causes that a retry may fix.
        const retry = retryable && again ? `${again} --retry failed:${cause}` : null;
        const example = await this.#exampleOf(stage, cause);
        groups.push({ stage, cause, records, example, advice, retry });
      }
    return groups.sort((a, b) => b.records - a.records);
  }

  /** Example of a failure with its message; null if none is indexed yet. */
  async #exampleOf(stage: string, cause: string) {
    const facets = { state: ['failed'], stage: [stage], reason: [cause] };
    const { rows } = this.live.query({
      facets,
      ranges: {},
      search: '',
      sort: { by: 'row', isDescending: true },
    });
    const [row] = rows;
    if (row === undefined) return null;
    const place = this.live.index.placesOf(row).findLast((one) => one.isLedger);
    const step = place && (await stepAt(this.runFolder, place).catch(() => undefined));
    const entry = step && 'entry' in step ? step.entry : undefined;
    return {
      key: rowAnswers(this.live.index, [row])[0]!.key,
      message: entry?.kind === 'fail' ? entry.failure.message : '',
    };
  }
}

/** The dataset's mask, or the configuration's before there is a dataset. */
export function maskOf(config: RunFile['config'], manifest: Manifest | null): MaskConfig {
  const configured = datasetConfigSchema.safeParse(config.dataset).data?.mask;
  return manifest?.mask ?? configured ?? maskConfigSchema.parse({});
}

async function profileOf(config: RunFile['config'], name: string): Promise<Profile | undefined> {
  const { profilesOfRun } = await import('../../pipeline/config/declaredProfiles.ts');
  return profilesOfRun(config).profileOf(name);
}

/** Advice for a cause of another version. */
const unknownCause = { advice: 'this version does not know the cause: update coa-distill', retryable: false };
