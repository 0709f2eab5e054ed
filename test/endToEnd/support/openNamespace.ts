import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A machine of its own for a worker, as far as the network goes: a way to this one that can swallow all packets. */
export interface WorkerNamespace {
  /** What a process is started with to be there. */
  readonly through: readonly string[];
  /** This machine's address as it is seen from there, and from here. */
  readonly host: string;
  /** Nothing passes for so long, in either direction: packets vanish, and nobody is told. */
  swallow(durationMs: number): void;
  close(): void;
}

/**
 * Makes two network namespaces: the worker's, and a router between it and this machine. A router that forwards nothing
 * drops what comes without a word, as a cable that was cut.
 *
 * @throws where none can be made: without `ip`, or without the right to
 */
export async function openNamespace(): Promise<WorkerNamespace> {
  const [router, worker, cable] = ['r', 'w', 'c'].map((end) => `coa-${process.pid}-${end}`) as [
    string,
    string,
    string,
  ];
  // Of the addresses that are set aside for tests of networks.
  const at = (nth: number) => `198.${18 + (process.pid % 2)}.${(process.pid >> 1) % 256}.${nth}`;
  const ip = (...args: string[]) =>
    execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  const forward = (isOn: boolean) =>
    ip('netns', 'exec', router, 'sysctl', '-qw', `net.ipv4.ip_forward=${isOn ? 1 : 0}`);
  let again: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(again);
    // A cable goes with its namespace.
    for (const name of [worker, router]) {
      try {
        ip('netns', 'del', name);
      } catch {}
    }
  };
  try {
    ip('netns', 'add', router);
    ip('netns', 'add', worker);
    ip('link', 'add', 'name', cable, 'type', 'veth', 'peer', 'name', 'up', 'netns', router);
    ip('-n', router, 'link', 'add', 'name', 'down', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', worker);
    for (const [place, device, nth] of [
      [[], cable, 1],
      [['-n', router], 'up', 2],
      [['-n', router], 'down', 5],
      [['-n', worker], 'eth0', 6],
    ] as const) {
      ip(...place, 'addr', 'add', `${at(nth)}/30`, 'dev', device);
      ip(...place, 'link', 'set', 'dev', device, 'up');
    }
    ip('-n', worker, 'link', 'set', 'dev', 'lo', 'up');
    ip('-n', worker, 'route', 'add', 'default', 'via', at(5));
    ip('route', 'add', `${at(4)}/30`, 'via', at(2));
    forward(true);
    await reach(worker, at(1));
  } catch (error) {
    close();
    throw error;
  }
  return {
    through: ['ip', 'netns', 'exec', worker],
    host: at(1),
    swallow(durationMs) {
      forward(false);
      again = setTimeout(() => forward(true), durationMs);
    },
    close,
  };
}

/** Throws where a firewall of this machine is in the way. */
async function reach(worker: string, host: string): Promise<void> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  try {
    const asked = ['netns', 'exec', worker, 'timeout', '5', 'bash', '-c', `exec 3<>/dev/tcp/${host}/${port}`];
    execFileSync('ip', asked, { stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    server.close();
  }
}
