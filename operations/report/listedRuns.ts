import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findRun } from '../../pipeline/run/findRun.ts';
import { isSynthesis } from '../../pipeline/run/runFile.ts';
import { runNames } from '../../pipeline/run/runNames.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type RunStatus, readStatus, stateOf } from './readStatus.ts';

export interface ListedRun extends Pick<RunStatus, 'run' | 'folder' | 'complete' | 'running' | 'spent'> {
  readonly state: string;
  /** Rows of the dataset, or records that the last stage has kept so far. */
  readonly kept: number;
  readonly models: readonly string[];
  readonly share: number | null;
  readonly changed_at_ms: number;
}

export interface UnreadableRun {
  readonly run: string;
  readonly error: string;
}

/** Runs under `runs/`, latest change first. */
export async function listedRuns(): Promise<(ListedRun | UnreadableRun)[]> {
  const runs: (ListedRun | UnreadableRun)[] = [];
  for (const name of runNames()) runs.push(await listedRun(name));
  return runs.sort((a, b) => changedAt(b) - changedAt(a));
}

async function listedRun(name: string): Promise<ListedRun | UnreadableRun> {
  try {
    const { folder, run } = await findRun(name);
    const status = await readStatus(folder, run);
    const { complete, running, funnel, spent } = status;
    return {
      run: run.name,
      folder,
      complete,
      running,
      state: `${stateOf(status)}${running ? ', running' : ''}`,
      kept: funnel.at(-1)?.emitted ?? 0,
      spent,
      models: modelsOf(run),
      share: shareOf(status),
      changed_at_ms:
        statSync(join(folder, 'events.jsonl'), { throwIfNoEntry: false })?.mtimeMs ??
        statSync(folder).mtimeMs,
    };
  } catch (error) {
    return { run: name, error: (error as Error).message };
  }
}

function shareOf({ complete, funnel, yield: soFar }: RunStatus): number | null {
  if (complete) return 1;
  const entered = funnel.find(({ stage }) => stage === 'rollout')?.entered;
  return soFar && entered ? Math.min(1, soFar.finished / entered) : null;
}

function changedAt(run: ListedRun | UnreadableRun): number {
  return 'error' in run ? 0 : run.changed_at_ms;
}

/** Distinct models of a run's teacher or synthesis, judge and tools. */
export function modelsOf(run: Pick<RunFile, 'config' | 'stage_hashes'>): string[] {
  const { teacher, synthesize, judge, tools } = run.config;
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'model' && typeof inner === 'string') found.add(inner);
      else look(inner);
    }
  };
  look([isSynthesis(run) ? synthesize : teacher, judge, tools]);
  return [...found];
}
