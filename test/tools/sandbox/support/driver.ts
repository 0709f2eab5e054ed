/**
 * Runs programs as the user that it was started as: reads a {@link DriverRequest} a line from its input, writes a
 * {@link DriverReply} a line. A process of its own, so that the tests can run sandboxes as another user than theirs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { RecordFailure } from '../../../../contract/errors.ts';
import type { Sandbox } from '../../../../contract/sandbox.ts';
import type { DriverReply, DriverRequest, World } from './driverMessages.ts';
import { openWorld } from './openWorld.ts';

const running = new Map<number, AbortController>();
const worlds = new Map<World, Sandbox>();

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as DriverRequest;
  if (request.stop) running.get(request.id)?.abort(new Error('stopped'));
  else void answer(request);
}
for (const run of running.values()) run.abort(new Error('the driver ends'));
for (const world of worlds.values()) await world.close();

async function answer(request: Extract<DriverRequest, { stop?: false }>): Promise<void> {
  const abort = new AbortController();
  running.set(request.id, abort);
  const victim = startVictim();
  const reply = await run(request, victim.pid!, abort.signal);
  const victimLives = isAlive(victim.pid!);
  victim.kill('SIGKILL');
  running.delete(request.id);
  send({ ...reply, id: request.id, victimLives, peakBytes: process.resourceUsage().maxRSS * 1024 });
}

async function run(
  request: Extract<DriverRequest, { stop?: false }>,
  victim: number,
  signal: AbortSignal,
): Promise<Pick<DriverReply, 'result' | 'failure'>> {
  const code = `VICTIM, DRIVER = ${victim}, ${process.pid}\n${request.code}`;
  try {
    const world = worlds.get(request.world) ?? openWorld(request.world);
    worlds.set(request.world, world);
    return { result: await world.run({ code, stdin: '', timeoutMs: request.timeoutMs }, signal) };
  } catch (error) {
    if (error instanceof RecordFailure) return { failure: `${error.failure.cause}: ${error.message}` };
    return { failure: String(error) };
  }
}

/** A process of the host for the program to attack. */
function startVictim(): ChildProcess {
  return spawn('/usr/bin/sleep', ['60'], { argv0: 'coa-victim', stdio: 'ignore' });
}

/** False for a process that has ended too, or that is killed as soon as it gets a processor. */
function isAlive(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    // Bit 8 of pending signals is SIGKILL.
    return !/^State:\s*[ZX]|^S.{1,2}Pnd:\s*[0-9a-f]*[13579bdf]..$/m.test(status);
  } catch {
    return false;
  }
}

function send(reply: DriverReply): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
