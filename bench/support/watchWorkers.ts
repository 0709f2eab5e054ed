import { readFileSync } from 'node:fs';
import type { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';

/** The processes of a run with workers; the database's is the one that started all others of the server. */
export interface RunProcesses {
  readonly workers: readonly number[];
  readonly coordinator: readonly number[];
  readonly database: readonly number[];
}

const parts = ['workers', 'coordinator', 'database'] as const;
type ByPart = Readonly<Record<(typeof parts)[number], number>>;

/** What was seen at one time. */
export interface WorkersSample extends DatabaseFigures {
  readonly atMs: number;
  /** Calls that came to the endpoint. */
  readonly calls: number;
  readonly cpuMs: ByPart;
  /** Of the database: what its processes have, each one's part of what they share. */
  readonly memoryMb: ByPart;
}

interface DatabaseFigures {
  /** Outcomes that the coordinator fetched: a task counts at its rollout, and when it is judged. */
  readonly records: number;
  readonly size_mb: number;
  readonly commits: number;
  readonly wal_mb: number;
  readonly syncs: number;
}

const FIGURES = `
  SELECT (SELECT coalesce(sum(records), 0)::float8 FROM share) AS records,
    (pg_database_size(current_database()) / 1e6)::float8 AS size_mb, xact_commit::float8 AS commits,
    (SELECT (wal_bytes / 1e6)::float8 FROM pg_stat_wal) AS wal_mb, (SELECT wal_sync::float8 FROM pg_stat_wal) AS syncs
  FROM pg_stat_database WHERE datname = current_database()
`;

/** Looks at all processes of a run, and at its database. */
export class WorkersWatch {
  readonly #database: SharedDatabase;
  readonly #processes: RunProcesses;
  readonly #cpu = { workers: new CpuWatch(), coordinator: new CpuWatch(), database: new CpuWatch() };

  constructor(database: SharedDatabase, processes: RunProcesses) {
    this.#database = database;
    this.#processes = processes;
  }

  async look(calls: number): Promise<WorkersSample> {
    const [figures] = await this.#database.query<DatabaseFigures>(FIGURES);
    for (const part of parts) this.#cpu[part].look(this.#processes[part]);
    const each = (of: (part: (typeof parts)[number]) => number) =>
      Object.fromEntries(parts.map((part) => [part, of(part)])) as ByPart;
    const cpuMs = each((part) => this.#cpu[part].ms);
    const memoryMb = each((part) => this.#processes[part].reduce((sum, pid) => sum + treeMb(pid), 0));
    return { ...figures!, calls, atMs: performance.now(), cpuMs, memoryMb };
  }
}

/** What a call took between two looks, in words. */
export function perCall(first: WorkersSample, last: WorkersSample): string {
  const calls = last.calls - first.calls;
  const seconds = (last.atMs - first.atMs) / 1000;
  const each = (of: (sample: WorkersSample) => number) => (of(last) - of(first)) / calls;
  const cpu = parts.map((part) => `${part} ${each(({ cpuMs }) => cpuMs[part]).toFixed(2)}`);
  return (
    `${(calls / seconds).toFixed(0)} calls/s over ${calls} calls, CPU ms a call: ${cpu.join(', ')}; ` +
    `a call ${each(({ commits }) => commits).toFixed(2)} transactions, ${each(({ syncs }) => syncs).toFixed(2)} syncs, ` +
    `${(1000 * each(({ wal_mb }) => wal_mb)).toFixed(1)} KB of log`
  );
}

/** What was seen at one time, in words. */
export function inWords(
  { memoryMb, cpuMs, size_mb, calls, records, atMs }: WorkersSample,
  beganMs: number,
): string {
  const each = (of: (part: (typeof parts)[number]) => number) =>
    parts.map((part) => `${part} ${of(part).toFixed(0)}`).join(', ');
  return (
    `${((atMs - beganMs) / 1000).toFixed(0)} s, ${calls} calls, ${records} records: database ${size_mb.toFixed(0)} MB; ` +
    `memory in MB: ${each((part) => memoryMb[part])}; CPU s: ${each((part) => cpuMs[part] / 1000)}`
  );
}

/** Memory of a process and of its children, each one's part of what they share. */
function treeMb(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    const own = Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) / 1024;
    return children.reduce((sum, child) => sum + treeMb(Number(child)), own);
  } catch {
    return 0;
  }
}

/** The kernel's clock tick in /proc, which is the same on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** CPU time of a process, of its children that have ended, and of those that run; 0 where it is gone. */
function treeCpuMs(pid: number): number {
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
class CpuWatch {
  readonly #most = new Map<number, number>();

  look(pids: readonly number[]): void {
    for (const pid of pids) this.#most.set(pid, Math.max(this.#most.get(pid) ?? 0, treeCpuMs(pid)));
  }

  get ms(): number {
    return [...this.#most.values()].reduce((sum, ms) => sum + ms, 0);
  }
}
