import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { DriverProgram, DriverReply } from './driverMessages.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

/** How a driver is started. */
export interface DriverSettings {
  /** A folder that everybody may read and write, with a file `secret`, and empty folders to mount on. */
  readonly folder: string;
  readonly secretVariable: string;
  readonly uid: number;
}

/** A process that runs programs as a certain user. */
export interface Driver {
  /** Runs a program; it is ended when `signal` is aborted. */
  run(program: DriverProgram, signal?: AbortSignal): Promise<DriverReply>;
  close(): Promise<void>;
}

/** Starts a driver; see `launchDriver.py`. */
export function startDriver({ folder, secretVariable, uid }: DriverSettings): Driver {
  // This tree may be below a folder that is closed to others: they see it through a mount.
  const isOther = uid !== process.getuid!();
  const tree = isOther ? path.join(folder, 'tree') : ROOT;
  const binds = isOther ? [[ROOT, tree]] : [];
  const script = path.join(tree, 'test/tools/sandbox/support/driver.ts');
  const home = path.join(folder, `home-${uid}`);
  mkdirSync(home);
  chmodSync(home, 0o777);
  const child = spawn(
    '/usr/bin/python3',
    [
      path.join(import.meta.dirname, 'launchDriver.py'),
      ...[folder, String(uid), JSON.stringify(binds)],
      ...[nodeSeenFrom(tree), '--no-warnings', script],
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: '/usr/bin:/bin', HOME: home, COA_ATTACK_SECRET: secretVariable },
    },
  );
  const exited = once(child, 'exit');
  const waiting = new Map<number, (reply: DriverReply) => void>();
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const reply = JSON.parse(line) as DriverReply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  const send = (request: object) => child.stdin!.write(`${JSON.stringify(request)}\n`);
  let requests = 0;
  return {
    run(program, signal) {
      const id = ++requests;
      send({ id, ...program });
      signal?.addEventListener('abort', () => send({ id, stop: true }));
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        exited.then(([status]) => reject(new Error(`the driver ended with status ${status}`)));
      });
    },
    async close() {
      child.stdin!.end();
      await exited;
    },
  };
}

/** The Node that runs us, which npm may have put into the tree, as a path that the driver's user can follow. */
function nodeSeenFrom(tree: string): string {
  const inTree = path.relative(ROOT, process.execPath);
  return inTree.startsWith('..') ? process.execPath : path.join(tree, inTree);
}
