import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';

/** A program that runs exactly as long as this process. */
export interface BoundProcess {
  /** Resolves with its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /**
   * Ends the program and its children: SIGTERM, then SIGKILL after five seconds. Resolves when the program and its
   * watcher are gone.
   */
  stop(): Promise<void>;
}

/**
 * Waits for the program. A second process waits for the end of the pipe held by this process, which comes when the
 * pipe is closed and when this process ends in any way, SIGKILL included; it then ends the program's group. Only
 * processes of this script hold the pipe at 4, so that its end marks the exit of the last one.
 */
const keeper = `trap : TERM
exec 3<&0 </dev/null
"$@" 3<&- 4>&- &
program=$!
(
  trap '' TERM
  cat <&3 >/dev/null
  kill -s TERM -- "-$$"
  left=50
  while kill -0 "$program" 2>/dev/null && [ "$left" -gt 0 ]; do left=$((left - 1)); sleep 0.1; done
  kill -s KILL -- "-$$"
) 2>/dev/null &
exec 3<&-
wait "$program"
code=$?
while kill -0 "$program" 2>/dev/null; do wait "$program"; code=$?; done
exit "$code"`;

/**
 * Starts a program in its own process group, so that Ctrl-C in a terminal does not reach it. Its output is appended
 * to a file.
 * @throws the system's error where no shell can be started, or the file can't be opened
 */
export async function startBoundProcess(
  argv: readonly string[],
  { cwd, env, logFile }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly logFile: string },
): Promise<BoundProcess> {
  const output = openSync(logFile, 'a');
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', keeper, 'coa-distill', ...argv], {
      cwd,
      env,
      stdio: ['pipe', output, output, 'ignore', 'pipe'],
      detached: true,
    });
    await once(child, 'spawn');
  } finally {
    closeSync(output);
  }
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const watched = child.stdio[4] as Readable;
  const gone = once(watched.resume(), 'close');
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    child.stdin!.destroy();
    await ended;
    endGroup(child.pid!);
    await gone;
  };
  return { ended, stop: () => (stopping ??= stop()) };
}

/** The script's second process polls the program ten times a second; it need not poll again. */
function endGroup(id: number): void {
  try {
    process.kill(-id, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
