import type { WorkerEntry, WorkersFile } from '../../schemas/run/workersFile.ts';

/** A worker that has worked for two minutes. */
export function sampleWorker(name: string, own: Partial<WorkerEntry> = {}): WorkerEntry {
  return {
    name,
    state: 'working',
    joined_at_ms: 1_000,
    seen_at_ms: 121_000,
    tasks_in_hand: 5,
    room: 8,
    calls_in_flight: 4,
    lost_leases: 0,
    shards: 3,
    records: 24,
    calls: 120,
    calls_last_minute: 70,
    cost_usd: 1,
    tokens: 4_000,
    granted_usd: 0.25,
    granted_tokens: 0,
    blocks: 2,
    cpu_ms: 30_000,
    ...own,
  };
}

/** What the coordinator notes of a run with two workers, one of which was lost, and one of an earlier session. */
export function sampleWorkers(own: Partial<WorkersFile> = {}): WorkersFile {
  return {
    key: 'k',
    database: 'postgres://coa@db.example/coa',
    open: true,
    workers: [
      sampleWorker('node1:41'),
      sampleWorker('node2:<b>7</b>', {
        state: 'lost',
        lost_leases: 1,
        cost_usd: 2.5,
        tasks_in_hand: 0,
        room: 0,
      }),
    ],
    earlier: [sampleWorker('node1:41', { cost_usd: 0.5, calls: 30, state: 'left' })],
    rates: [
      { provider: 'http://e/v1', counts: 'requests', per_minute: 150, last_minute: 140, most_in_minute: 149 },
    ],
    caps: { cost_usd: 10, tokens: null },
    shards: { ready: 3, taken: 1, done: 6, alone: 0 },
    set_aside: 0,
    ...own,
  };
}
