import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePorts } from '../../support/freePorts.ts';

/** A Slurm cluster of this machine alone, without accounting. */
export interface SlurmCluster {
  /** What its commands and jobs need in their environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs one of Slurm's commands; returns what it printed. */
  run(program: string, ...args: string[]): Promise<string>;
  /** Ends jobs and daemons. */
  stop(): Promise<void>;
}

/** Where Debian has the daemons, which is not on every user's PATH. */
const daemonPath = `${process.env.PATH}:/usr/sbin:/sbin`;

/** Starts a cluster with daemons, key and ports of its own, as the user who runs the tests. */
export async function startSlurmCluster(): Promise<SlurmCluster> {
  // Slurm's names of sockets and spool files are short of room.
  const folder = mkdtempSync(path.join(tmpdir(), 'slurm-'));
  for (const name of ['log', 'state', 'spool', 'munge']) mkdirSync(path.join(folder, name));
  chmodSync(path.join(folder, 'munge'), 0o755);
  const [controllerPort, nodePort] = await freePorts(2);
  const conf = path.join(folder, 'slurm.conf');
  writeFileSync(conf, configuration(folder, controllerPort!, nodePort!));
  const env = { SLURM_CONF: conf };
  const run = async (program: string, ...args: string[]): Promise<string> => {
    const options = { env: { ...process.env, ...env, PATH: daemonPath } };
    return (await promisify(execFile)(program, args, options)).stdout;
  };
  const munge = startMunge(folder);
  const stop = async (): Promise<void> => {
    await run('scancel', '--user', userInfo().username).catch(() => '');
    await run('scontrol', 'shutdown').catch(() => '');
    munge.kill();
    await delay(500);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    await until(() => run('munge', '--no-input', '--socket', mungeSocket(folder)));
    await run('slurmctld');
    await run('slurmd');
    await until(async () => {
      const state = await run('sinfo', '--noheader', '--format=%T');
      if (state.trim() !== 'idle') throw new Error(`Slurm's node is ${state}`);
    });
    return { env, run, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function startMunge(folder: string) {
  const file = (name: string): string => path.join(folder, 'munge', name);
  writeFileSync(file('key'), Buffer.alloc(64, 7), { mode: 0o600 });
  const args = ['--foreground', '--force', '--key-file', file('key'), '--socket', mungeSocket(folder)];
  const files = ['--pid-file', file('pid'), '--seed-file', file('seed'), '--log-file', file('log')];
  const child = spawn('munged', [...args, ...files], {
    stdio: 'ignore',
    env: { ...process.env, PATH: daemonPath },
  });
  child.on('error', () => {});
  return child;
}

function mungeSocket(folder: string): string {
  return path.join(folder, 'munge/socket');
}

/** A requeued job waits two minutes in Slurm's own hands, or until `scontrol update` brings it forward. */
function configuration(folder: string, controllerPort: number, nodePort: number): string {
  const user = userInfo().username;
  const host = hostname().split('.')[0]!;
  const settings = {
    ClusterName: 'tiny',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: user,
    SlurmdUser: user,
    SlurmctldPort: controllerPort,
    SlurmdPort: nodePort,
    AuthType: 'auth/munge',
    AuthInfo: `socket=${mungeSocket(folder)}`,
    CredType: 'cred/munge',
    ProctrackType: 'proctrack/linuxproc',
    TaskPlugin: 'task/none',
    JobAcctGatherType: 'jobacct_gather/none',
    AccountingStorageType: 'accounting_storage/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core',
    StateSaveLocation: path.join(folder, 'state'),
    SlurmdSpoolDir: path.join(folder, 'spool'),
    SlurmctldLogFile: path.join(folder, 'log/slurmctld.log'),
    SlurmdLogFile: path.join(folder, 'log/slurmd.log'),
    SlurmctldPidFile: path.join(folder, 'slurmctld.pid'),
    SlurmdPidFile: path.join(folder, 'slurmd.pid'),
    ReturnToService: 2,
    KillWait: 5,
    MailProg: '/bin/true',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  return [
    ...lines,
    `NodeName=${host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN`,
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
    '',
  ].join('\n');
}

/** Daemons come up within seconds; a machine that is busy with other tests needs longer. */
async function until(ask: () => Promise<unknown>): Promise<void> {
  for (let left = 240; ; left--) {
    try {
      await ask();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await delay(500);
    }
  }
}
