import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bubblewrapCommand, PROGRAM_FD } from '../../tools/sandbox/bubblewrapCommand.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import { watchProgram } from '../../tools/sandbox/watchProgram.ts';
import { attacks, type Targets } from './support/attacks.ts';
import { runBarePython } from './support/runBarePython.ts';

const sandbox = createBubblewrapSandbox({ memoryMb: 512, timeoutMs: 20_000, concurrency: 2 });
const forever = new AbortController().signal;
const run = (code: string, options: { stdin?: string; timeoutMs?: number; signal?: AbortSignal } = {}) => {
  const { stdin = '', signal = forever, ...limits } = options;
  return sandbox.run({ code, stdin, ...limits }, signal);
};

describe('a program', () => {
  test('reads stdin, writes both streams and ends with its status', async () => {
    const code = 'import sys\nprint(input()[::-1])\nprint("err", file=sys.stderr)\nsys.exit(7)';
    expect(await run(code, { stdin: 'abc\n' })).toMatchObject({
      kind: 'exited',
      exitCode: 7,
      stdout: 'cba\n',
      stderr: 'err\n',
    });
  });

  test('that a signal ends has the status 128 + its number', async () => {
    expect(await run('import os\nos.kill(os.getpid(), 9)')).toMatchObject({ kind: 'exited', exitCode: 137 });
  });

  test('may leave its input unread', async () => {
    expect(await run('print("done")', { stdin: 'x'.repeat(5_000_000) })).toMatchObject({ stdout: 'done\n' });
  });

  test('prints a set in the same order every time', async () => {
    const code = 'print({str(n) for n in range(50)})';
    expect((await run(code)).stdout).toBe((await run(code)).stdout);
  });

  test('that never ends is cut off', async () => {
    const code = 'print("begun", flush=True)\nwhile True: pass';
    expect(await run(code, { timeoutMs: 1500 })).toMatchObject({
      kind: 'timed_out',
      exitCode: null,
      stdout: 'begun\n',
    });
  });

  test('that never stops writing is cut off, on either stream', async () => {
    for (const stream of ['stdout', 'stderr']) {
      const result = await run(`import sys\nwhile True: sys.${stream}.write("x" * 1000)`);
      expect(result).toMatchObject({ kind: 'output_limit', exitCode: null });
    }
  });

  test('is ended when the run is stopped', async () => {
    const stop = new AbortController();
    const ended = run('import time\ntime.sleep(15)', { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
  });

  test('is not begun when the run was stopped before', async () => {
    await expect(run('print(1)', { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    );
  });

  test('leaves nothing for the next one', async () => {
    await run('open("/tmp/left", "w").close()');
    expect((await run('import os\nprint(os.listdir("/tmp"))')).stdout).toBe("['main.py']\n");
  });

  test('leaves no process behind', async () => {
    const marker = `31.${process.pid}`;
    const code = (more: string) => `import subprocess\nsubprocess.Popen(['sleep', '${marker}']${more})`;
    await runBarePython(code(', stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL'), process.env);
    const bare = processesWith(marker);
    expect(bare).toHaveLength(1);
    for (const pid of bare) process.kill(pid);
    expect(await run(code(', start_new_session=True'))).toMatchObject({ kind: 'exited', exitCode: 0 });
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });
});

describe('an attack succeeds in bare Python and fails in the sandbox', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'coa-attacks-'));
  const socketName = `coa-attack-${process.pid}`;
  const connections = { count: 0 };
  const servers: Server[] = [];
  let targets: Targets;

  beforeAll(async () => {
    // The folder itself is open to all, so that only the sandbox keeps a stranger out.
    chmodSync(folder, 0o777);
    writeFileSync(path.join(folder, 'secret'), 'secret', { mode: 0o644 });
    process.env.COA_ATTACK_SECRET = 'in-our-environment';
    const tcp = await listen(servers, connections, { port: 0, host: '127.0.0.1' });
    await listen(servers, connections, { path: `\0${socketName}` });
    targets = {
      secretFile: path.join(folder, 'secret'),
      openFolder: folder,
      secretVariable: 'in-our-environment',
      port: (tcp.address() as AddressInfo).port,
      socketName,
      pid: process.pid,
    };
  });

  afterAll(async () => {
    delete process.env.COA_ATTACK_SECRET;
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(attacks)('$name', async ({ program, timeoutMs = 20_000 }) => {
    const code = program(targets);
    expect(await runBarePython(code, process.env)).toContain('SUCCEEDED');
    connections.count = 0;
    for (const name of readdirSync(folder)) if (name !== 'secret') rmSync(path.join(folder, name));
    const { stdout } = await run(`print('begun', flush=True)\n${code}`, { timeoutMs });
    expect(stdout).toContain('begun');
    expect(stdout).not.toContain('SUCCEEDED');
    expect(connections.count).toBe(0);
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  test('reads a descriptor that we were started with', async () => {
    const file = openSync(targets.secretFile, 'r');
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'support/leakDescriptor.ts')], {
      // Node closes the lowest descriptors that it is started with itself.
      stdio: ['ignore', 'pipe', 'inherit', ...Array(37).fill('ignore'), file],
    });
    expect(JSON.parse(await text(child.stdout!))).toEqual({ bare: 'secret\n', sealed: '\n' });
  });
});

test('the same limits hold for an ordinary user, however many processes they have', async () => {
  const command = bubblewrapCommand({ memoryMb: 512, backstopSeconds: 20 });
  const asRoot = process.geteuid?.() === 0;
  const [file, ...args] = asRoot
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...command]
    : command;
  const child = spawn(file!, args, { cwd: '/', env: { PATH: '/usr/bin' }, stdio: Array(5).fill('pipe') });
  const forks = attacks.find(({ name }) => name === 'starts 60 processes')!.program({} as Targets);
  (child.stdio[PROGRAM_FD] as Writable).end(`print('begun', flush=True)\n${forks}`);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout as Readable),
    text(child.stderr as Readable),
  ]);
  expect(stdout).toBe('begun\n');
  expect(stderr).toContain('BlockingIOError');
});

test('root is given up before anything else is started', () => {
  const command = bubblewrapCommand({ uid: 30_001, memoryMb: 512, backstopSeconds: 9 });
  expect(command.slice(0, 5)).toEqual(['timeout', '--signal=KILL', '9', 'setpriv', '--reuid=30001']);
  expect(bubblewrapCommand({ memoryMb: 512, backstopSeconds: 9 })).not.toContain('setpriv');
});

test('a machine without the programs that this needs is no crash', async () => {
  const child = spawn('/no/such/program', [], { stdio: 'pipe' });
  const watched = watchProgram(child, { stdin: 'x', timeoutMs: 20_000, signal: forever, kill: () => {} });
  await expect(watched).rejects.toMatchObject({ failure: { cause: 'sandbox_unavailable' } });
});

function listen(servers: Server[], connections: { count: number }, where: object): Promise<Server> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      connections.count += 1;
      socket.destroy();
    });
    servers.push(server);
    server.listen(where, () => resolve(server));
  });
}

/** Processes of this machine with a text among their arguments. */
function processesWith(argument: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && argumentsOf(name).includes(argument))
    .map(Number);
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
