import { readFileSync } from 'node:fs';

/** The kernel's clock tick in /proc, which is the same on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** CPU time of a process, of its children that have ended, and of those that run; 0 where it is gone. */
export function treeCpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    // Its own, and that of children that were waited for.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return ticks * MS_PER_TICK + children.reduce((sum, child) => sum + treeCpuMs(Number(child)), 0);
  } catch {
    return 0;
  }
}

/** The most CPU time that was seen of processes, which may end. */
export class CpuWatch {
  readonly #most = new Map<number, number>();

  look(pids: readonly number[]): void {
    for (const pid of pids) this.#most.set(pid, Math.max(this.#most.get(pid) ?? 0, treeCpuMs(pid)));
  }

  get ms(): number {
    return [...this.#most.values()].reduce((sum, ms) => sum + ms, 0);
  }
}
