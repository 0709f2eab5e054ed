import { statSync } from 'node:fs';
import { join } from 'node:path';
import { printable } from '../base/printable.ts';
import { systemClock } from '../base/systemClock.ts';
import { findRun, runNames } from './findRun.ts';
import { formatCount, formatDuration, formatTable, formatUsd } from './format.ts';
import { runnable } from './programCommand.ts';
import { type RunStatus, readStatus, stateOf } from './statusFromCommandLine.ts';

/** A run as it is listed. */
export interface ListedRun extends Pick<RunStatus, 'run' | 'folder' | 'complete' | 'running'> {
  readonly state: string;
  /** Rows of the dataset, or records that the last stage has kept so far. */
  readonly kept: number;
  readonly cost_usd: number;
  readonly tokens: number;
  /** When something of it was last written, milliseconds since 1970. */
  readonly changed_at_ms: number;
}

/** `coa-distill runs`: every run under `runs/`, the one that changed last first. */
export async function listRuns({ json }: { readonly json?: true }): Promise<void> {
  const runs: (ListedRun | UnreadableRun)[] = [];
  for (const name of runNames()) runs.push(await listedRun(name));
  runs.sort((a, b) => changedAt(b) - changedAt(a));
  if (json) return console.log(JSON.stringify(runs));
  if (runs.length === 0)
    return console.log(runnable('no runs under runs/; begin with: coa-distill init, then coa-distill run'));
  const now = systemClock.now();
  const rows = runs.map((run) =>
    'error' in run ? [run.run, 'unreadable', '', '', '', run.error] : row(run, now),
  );
  for (const line of formatTable([['run', 'state', 'kept', 'tokens', 'cost', 'changed'], ...rows]))
    console.log(printable(line));
}

/** A run whose files are damaged: listed, so that one does not hide the others. */
interface UnreadableRun {
  readonly run: string;
  readonly error: string;
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
      cost_usd: spent.cost_usd,
      tokens: spent.tokens,
      changed_at_ms:
        statSync(join(folder, 'events.jsonl'), { throwIfNoEntry: false })?.mtimeMs ??
        statSync(folder).mtimeMs,
    };
  } catch (error) {
    return { run: name, error: (error as Error).message };
  }
}

function changedAt(run: ListedRun | UnreadableRun): number {
  return 'error' in run ? 0 : run.changed_at_ms;
}

function row({ run, state, kept, tokens, cost_usd, changed_at_ms }: ListedRun, now: number): string[] {
  const cost = cost_usd > 0 ? formatUsd(cost_usd) : '';
  return [
    run,
    state,
    formatCount(kept),
    formatCount(tokens),
    cost,
    `${formatDuration(Math.max(0, now - changed_at_ms))} ago`,
  ];
}
