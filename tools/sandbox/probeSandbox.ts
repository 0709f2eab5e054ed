import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isJsonObject, safeParseJson } from '../../base/json.ts';
import type { PromiseFinding, Sandbox, SandboxProgram, SandboxPromise } from '../../contract/sandbox.ts';
import { MEMORY_PROBE_BYTES, PROBE_LIMITS, type ProbeTargets, probeText } from './probePrograms.ts';
import { unlessGone } from './tree/processTree.ts';

/** Timeout of starting Python on a busy machine, unrelated to the sandbox. */
const PROBE_TIMEOUT_MS = 20_000;
/** Timeout that ends a program which never ends by itself. */
const CUT_OFF_MS = 300;

const forever = new AbortController().signal;

/** Mechanism of each guarantee in words; that of memory depends on the machine. */
export type Means = Readonly<Record<SandboxPromise, string>>;

/** Concurrency at which probing is fastest. */
export const PROBES_AT_ONCE = 4;

/** Tries to break each guarantee of a sandbox with programs of ours. Throws `RecordFailure` if no program runs. */
export async function probeSandbox(sandbox: Sandbox, means: Means): Promise<PromiseFinding[]> {
  const [inside, memory, lingering, output] = await Promise.all([
    probeInside(sandbox),
    probeMemory(sandbox),
    probeLingering(sandbox),
    probeOutput(sandbox),
  ]);
  const broken: Partial<Record<SandboxPromise, string | null>> = { ...inside, memory, ...lingering, output };
  return (Object.keys(means) as SandboxPromise[]).map((promise) => {
    const through = broken[promise];
    if (through === null) return { promise, kept: true, found: means[promise] };
    return { promise, kept: false, found: through ?? 'the look at it failed' };
  });
}

type Looks = Partial<Record<SandboxPromise, string | null>>;

async function probeInside(sandbox: Sandbox): Promise<Looks> {
  const { stdout, stderr } = await withTargets((targets) =>
    run(sandbox, {
      code: probeText('promises'),
      stdin: JSON.stringify({ ...targets, cpuSeconds: PROBE_LIMITS.cpuSeconds }),
      limits: PROBE_LIMITS,
    }),
  );
  const parsed = safeParseJson(stdout);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value as Looks;
  const why = stderr.trim().split('\n').at(-1) || 'it said nothing';
  return { network: `the look at it failed: ${why}` };
}

/** Provides reachable targets during `use`. */
async function withTargets<T>(use: (targets: ProbeTargets) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'coa-distill-probe-'));
  const servers = [createServer(), createServer()] as const;
  for (const server of servers) server.on('connection', (socket) => socket.destroy());
  try {
    const file = path.join(folder, 'readable');
    await writeFile(file, '');
    const socketName = path.basename(folder);
    const [overTcp, overUnix] = servers;
    await listening(overTcp.listen(0, '127.0.0.1'));
    await listening(overUnix.listen(`\0${socketName}`));
    const { port } = overTcp.address() as AddressInfo;
    return await use({ port, socketName, file, pid: process.pid });
  } finally {
    for (const server of servers) server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function listening(server: Server): Promise<void> {
  await once(server, 'listening');
}

async function probeMemory(sandbox: Sandbox): Promise<string | null> {
  const limits = { memoryBytes: MEMORY_PROBE_BYTES };
  const { kind } = await run(sandbox, { code: probeText('memory'), limits });
  return kind === 'memory_limit' ? null : 'processes held more together than the limit';
}

async function probeLingering(sandbox: Sandbox): Promise<Looks> {
  const argument = `1000.${process.pid}${Math.trunc(performance.now() * 1000)}`;
  const { kind } = await run(sandbox, {
    code: probeText('lingering'),
    stdin: argument,
    timeoutMs: CUT_OFF_MS,
  });
  return {
    wall_clock: kind === 'timed_out' ? null : 'a program that never ends was not cut off',
    leftovers: (await isGone(argument)) ? null : 'a process outlived its program',
  };
}

async function probeOutput(sandbox: Sandbox): Promise<string | null> {
  const { kind } = await run(sandbox, { code: probeText('writing'), limits: { outputBytes: 100_000 } });
  return kind === 'output_limit' ? null : 'a program that never stops writing was not cut off';
}

function run(sandbox: Sandbox, program: Partial<SandboxProgram> & Pick<SandboxProgram, 'code'>) {
  return sandbox.run({ stdin: '', timeoutMs: PROBE_TIMEOUT_MS, ...program }, forever);
}

const GONE_TRIES = 20;
const LOOK_AGAIN_MS = 25;

/** True if no process has an argument; the kernel may need a moment after a kill. */
async function isGone(argument: string): Promise<boolean> {
  for (let tried = 0; tried < GONE_TRIES; tried += 1) {
    if (!argumentLists().some((list) => list.includes(argument))) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  return false;
}

function argumentLists(): string[] {
  return unlessGone(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1'), ''));
}
