/** Signals processes, of which some may have ended meanwhile. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Kills processes outright, as the kernel or an impatient administrator does. */
export function killAll(pids: readonly number[]): void {
  signalAll(pids, 'SIGKILL');
}
