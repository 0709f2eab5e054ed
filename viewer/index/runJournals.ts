import type { Stats } from 'node:fs';
import { ifThere } from '../../base/files/diskError.ts';
import { openPlain } from '../../base/files/plainFile.ts';
import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { importingStage, stagesOfRun } from '../../pipeline/run/runFile.ts';
import { readStageFile, stagePaths } from '../../pipeline/run/stageFiles.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';

export interface Journal {
  readonly stage: StageName;
  /** True if its records begin rows. */
  readonly isSource: boolean;
  /** True if record ids distinguish rows of a task, since imported rollouts have no numbers. */
  readonly isImported: boolean;
  readonly isLedger: boolean;
  readonly path: string;
  readonly identity: string;
  readonly size: number;
}

export interface RunJournals {
  readonly runFolder: string;
  readonly stages: Readonly<Record<string, string>>;
  readonly journals: readonly Journal[];
  /** Reason for an unreadable stage file; this stage and later ones are not shown. */
  readonly problem?: string | undefined;
}

/**
 * Finds the readable parts of a run's journals. Later stages are measured first, so that earlier ones contain
 * everything they refer to. Excludes stale stages.
 */
export async function findJournals(folder: string, run: RunFile): Promise<RunJournals> {
  const stages: Record<string, string> = {};
  const found: Journal[] = [];
  const problems: string[] = [];
  const source = run.imported ? importingStage(run.imported) : 'tasks';
  const { current, problem } = await currentStages(folder, run);
  for (const [stage, made] of current.toReversed()) {
    stages[stage] = made;
    const { records, ledger } = stagePaths(folder, stage);
    for (const [path, isLedger] of [
      [records, false],
      [ledger, true],
    ] as const) {
      const status = await ifThere(statusOf(folder, path)).catch(asProblem);
      if (status instanceof UserError) problems.push(status.message);
      else if (status)
        found.push({
          stage,
          isSource: stage === source,
          isImported: run.imported !== undefined,
          isLedger,
          path,
          identity: `${status.dev}/${status.ino}`,
          size: status.size,
        });
    }
  }
  if (problem !== undefined) problems.push(problem);
  return {
    runFolder: folder,
    stages,
    journals: found.toReversed(),
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
}

async function statusOf(folder: string, path: string): Promise<Stats> {
  const file = await openPlain(path, { within: folder });
  try {
    return await file.stat();
  } finally {
    await file.close();
  }
}

/** Stages that have begun, up to the first stale or unreadable one. */
async function currentStages(folder: string, run: RunFile) {
  const current: [StageName, string][] = [];
  for (const stage of stagesOfRun(run)) {
    const file = await readStageFile(folder, stage).catch(asProblem);
    if (file instanceof UserError) return { current, problem: file.message };
    if (!file) continue;
    if (file.stale !== undefined || file.config_hash !== run.stage_hashes[stage]) break;
    current.push([stage, `${file.version} ${file.config_hash}`]);
  }
  return { current };
}

function asProblem(error: unknown): UserError {
  if (error instanceof UserError) return error;
  throw error;
}

/** Reads part of a file, less at its end. `within`: folder that must contain the file itself. */
export async function readAt(path: string, offset: number, length: number, within?: string): Promise<Buffer> {
  const file = await openPlain(path, { within });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
