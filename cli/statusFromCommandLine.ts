import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { printable } from '../base/printable.ts';
import { quoteShellWord } from '../base/shellWord.ts';
import { systemClock } from '../base/systemClock.ts';
import { UserError } from '../base/userError.ts';
import { alteredFiles } from '../operations/report/alteredFiles.ts';
import { type ListedRun, listedRuns } from '../operations/report/listedRuns.ts';
import { type RunStatus, readStatus, stateOf } from '../operations/report/readStatus.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { billedText, spendingText } from '../schemas/run/spending.ts';
import { formatCount, formatDuration, formatTable } from './format.ts';
import { coloured } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { yieldText } from './progress/progressLine.ts';
import { failingServerText } from './progress/progressView.ts';
import { stopOnSignals } from './stopOnSignals.ts';
import { funnelLines } from './summary.ts';
import { targetText } from './targetText.ts';
import { workersLines } from './workersLines.ts';

/** Polling interval of `--watch`. */
const WATCH_MS = 2_000;
/** Ratio of waiting to reading time, since reading a long run is costly. */
const WAITS_A_LOOK = 10;

/** Escape sequence: clear the terminal, cursor to the top. */
const CLEAR = '\u001b[2J\u001b[H';

/** Prints the progress of a run, repeatedly with `watch` until it ends. Returns the exit code. */
export async function statusFromCommandLine(
  name: string | undefined,
  { watch, json }: { readonly watch?: true; readonly json?: true },
): Promise<number> {
  if (name === undefined) {
    if (watch) throw new UserError('--watch: name the run to watch');
    await listRuns(json);
    return 0;
  }
  using stop = stopOnSignals();
  for (;;) {
    const lookedAt = systemClock.monotonicMs();
    const { folder, run } = await findRun(name);
    const status = await readStatus(folder, run);
    const altered = status.complete ? await alteredFiles(folder) : [];
    const text = json
      ? JSON.stringify({ ...status, ...(altered.length > 0 && { altered_files: altered }) })
      : [...statusLines(status), ...altered.map(printable)].join('\n');
    const clear = watch && !json && process.stdout.isTTY ? CLEAR : '';
    console.log(`${clear}${text}`);
    if (!watch || !status.running) return 0;
    const lookMs = systemClock.monotonicMs() - lookedAt;
    await systemClock.sleep(Math.max(WATCH_MS, WAITS_A_LOOK * lookMs), stop.signal);
  }
}

/** Formats a run's status as lines. Escapes control characters, since the folder is untrusted. */
export function statusLines(status: RunStatus): string[] {
  const running = status.running ? ' (running)' : '';
  return [
    `${printable(status.run)}: ${inColourOfState(printable(stateOf(status)))}${running}`,
    ...funnelLines(status.funnel, status.target),
    ...[
      ...(status.target ? ['', `target: ${targetText(status.target)}`] : []),
      ...(status.yield ? ['', `so far: ${yieldText(status.yield)}`] : []),
      ...(status.failing_servers ? ['', ...status.failing_servers.map(failingServerText)] : []),
      ...spentLines(status),
      ...(status.workers ? ['', ...workersLines(status.workers)] : []),
    ].map(printable),
  ];
}

/** Green for done, red for unreadable, otherwise the default colour. */
function inColourOfState(text: string): string {
  const state = text.trimEnd();
  return coloured(state === 'complete' ? 'green' : state === 'unreadable' ? 'red' : 'yellow', text);
}

function spentLines({ spent }: RunStatus): string[] {
  const text = spendingText(spent);
  return text === undefined ? [] : ['', `spent: ${text}`];
}

/** Message without runs; names those in subfolders, such as a new project's. */
function noRunsHere(): string {
  const below = globSync('*/runs/*/run.json').sort().map(dirname);
  if (below.length === 0) return 'no runs under runs/; begin with: coa-distill init, then coa-distill run';
  const commands = below.slice(0, MAX_RUNS_BELOW).map((run) => `  coa-distill status ${quoteShellWord(run)}`);
  return ['no runs under runs/; below this folder:', ...commands].join('\n');
}

const MAX_RUNS_BELOW = 20;

async function listRuns(json: boolean | undefined): Promise<void> {
  const runs = await listedRuns();
  if (json) return console.log(JSON.stringify(runs));
  if (runs.length === 0) return console.log(runnable(noRunsHere()));
  const now = systemClock.now();
  const rows = runs.map((run) =>
    'error' in run ? [run.run, 'unreadable', '', '', run.error] : row(run, now),
  );
  const table = formatTable([['run', 'state', 'kept', 'spent', 'changed'], ...rows], {
    weights: [5, 4, 3, 1, 2],
    paint: (text, column) => (column === 1 ? inColourOfState(text) : text),
  });
  console.log(table.join('\n'));
}

function row({ run, state, kept, spent, changed_at_ms }: ListedRun, now: number): string[] {
  return [
    run,
    state,
    formatCount(kept),
    billedText(spent),
    `${formatDuration(Math.max(0, now - changed_at_ms))} ago`,
  ];
}
