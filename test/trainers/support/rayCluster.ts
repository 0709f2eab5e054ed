import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../support/freePorts.ts';
import { isRunning } from '../../support/isRunning.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { sealedEnvironment } from './runPython.ts';

/** A Ray cluster of this machine alone. */
export interface RayCluster {
  /** Of its dashboard, which serves the job API. */
  readonly address: string;
  /** Ends it with all its processes, and those of its jobs. */
  stop(): Promise<void>;
}

const bin = fileURLToPath(new URL('../../../.venv-trainers/bin', import.meta.url));

/** Starts a cluster of its own with `ray start --head`, beside whatever other clusters run on this machine. */
export async function startRayCluster(env: Readonly<Record<string, string>>): Promise<RayCluster> {
  // Ray's names of sockets are short of room.
  const folder = mkdtempSync(path.join(tmpdir(), 'ray-'));
  const [port, clientPort] = await freePorts(2);
  const address = `http://127.0.0.1:${port}`;
  const args = ['start', '--head', '--block', '--port=0', '--num-cpus=2', '--disable-usage-stats']
    .concat(['--dashboard-host=127.0.0.1', `--dashboard-port=${port}`, '--include-dashboard=true'])
    .concat(['--dashboard-agent-listen-port=0', `--ray-client-server-port=${clientPort}`])
    .concat(['--min-worker-port=0', '--max-worker-port=0', `--temp-dir=${folder}`])
    .concat(['--object-store-memory=80000000']);
  const child = spawn(path.join(bin, 'ray'), args, {
    env: { ...sealedEnvironment(bin, folder), ...env },
    stdio: 'ignore',
  });
  const stop = async (): Promise<void> => {
    await end(child);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    await answers(`${address}/api/jobs/`, child);
    return { address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `ray start --block` ends the daemons when it is told to end. */
async function end(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Waits until the dashboard serves; it takes ten seconds on a quiet machine. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  const isServed = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntil('the dashboard of Ray', isServed, { everyMs: 250, limitMs: 500_000, child });
}
