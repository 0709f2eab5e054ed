import { existsSync, rmSync } from 'node:fs';
import PQueue from 'p-queue';
import { waitUntil } from '../../../support/waitUntil.ts';
import type { Attack, AttackRun } from '../attacks/attack.ts';
import { neighbour } from '../attacks/neighbours.ts';
import { type Targets, withPrelude } from '../attacks/prelude.ts';
import type { DriverReply, World } from './driverMessages.ts';
import { processesWith } from './hostProcesses.ts';
import type { Driver } from './startDriver.ts';

const TIMEOUT_MS = 20_000;
/** Without a sandbox an attack has all the time that it needs, on a busy machine too. */
const BARE_TIMEOUT_MS = 60_000;
const ATTACKS_AT_ONCE = 2;
/** The neighbour's, which is ended by us. */
const LONG_MS = 600_000;
/** Processes that a sandbox ended may take this long to be gone; half of what those live that attacks leave. */
const GONE_MS = 30_000;

/** One user's programs in one world, beside the neighbour. */
export interface AttackWorld {
  /** Runs an attack; `failure` is set when the world gave no result. */
  attack(attack: Attack): Promise<AttackRun & { failure?: string }>;
  run(code: string, options?: { timeoutMs?: number }): Promise<DriverReply>;
  close(): Promise<void>;
}

let markers = 0;

/** Starts the neighbour and gives back what runs attacks beside it. */
export async function openAttackWorld(driver: Driver, world: World, targets: Targets): Promise<AttackWorld> {
  const afterSeconds = world === 'bare' ? 2 : 30;
  const stop = new AbortController();
  const beside = driver.run({ world, code: neighbour(targets), timeoutMs: LONG_MS }, stop.signal);
  await Promise.race([neighbourIsReady(targets.neighbour), beside.then(endedEarly)]);
  const runMarked = (program: string, marker: string, options: { timeoutMs?: number } = {}) =>
    driver.run({
      world,
      code: withPrelude(program, targets, { marker, afterSeconds }),
      timeoutMs: TIMEOUT_MS,
      ...options,
    });
  const queue = new PQueue({ concurrency: ATTACKS_AT_ONCE });
  const attack = async ({ before, program, timeoutMs = TIMEOUT_MS }: Attack) => {
    const marker = `61.${process.pid}${String(++markers).padStart(4, '0')}`;
    if (before !== undefined) await runMarked(before, marker);
    const limits = { timeoutMs: world === 'bare' ? BARE_TIMEOUT_MS : timeoutMs };
    return attackRun(await runMarked(program, marker, limits), await endProcesses(marker, world));
  };
  return {
    attack: (one) => queue.add(() => attack(one)),
    run: (code, options) => runMarked(code, '61.0', options),
    async close() {
      stop.abort();
      await beside;
      for (const suffix of ['', '.sock']) rmSync(`/tmp/${targets.neighbour}${suffix}`, { force: true });
    },
  };
}

async function neighbourIsReady(name: string): Promise<void> {
  const isReady = () => processesWith(name).some((pid) => existsSync(`/proc/${pid}/root/tmp/${name}`));
  await waitUntil('the neighbour', isReady);
}

function endedEarly(reply: DriverReply): never {
  throw new Error(`the neighbour ended: ${reply.failure ?? JSON.stringify(reply.result)}`);
}

function attackRun(reply: DriverReply, leftProcess: boolean): AttackRun & { failure?: string } {
  const { result, failure, victimLives } = reply;
  const { kind = 'none', exitCode = null, stdout = '', stderr = '' } = result ?? {};
  const run = { kind, exitCode, stdout, stderr, victimLives, leftProcess };
  return failure === undefined ? run : { ...run, failure };
}

/** Whether processes with the marker stay; those that do are ended. */
async function endProcesses(marker: string, world: World): Promise<boolean> {
  const areGone = () => world === 'bare' || processesWith(marker).length === 0;
  // Those that stay are the finding.
  await waitUntil('their end', areGone, { limitMs: GONE_MS }).catch(() => {});
  const left = processesWith(marker);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  return left.length > 0;
}
