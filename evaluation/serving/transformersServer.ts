import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFileFrom } from '../../base/files/readFileFrom.ts';
import { startBoundProcess } from '../../base/processes/boundProcess.ts';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { RunHalted } from '../../contract/errors.ts';
import { makeServedFolder } from './servedFolder.ts';

export interface ServedModel {
  /** Name for clients. */
  readonly name: string;
  readonly folder: string;
  readonly python: string;
  /** Device in torch's notation; `auto` takes the GPUs. */
  readonly device: string;
}

interface RunningServer {
  /** Aborted with a `RunHalted` if it ends by itself, including its last words. */
  readonly ended: AbortSignal;
  /** Waits for that end, which distinguishes a dying server from a closed connection. */
  diedSince(): Promise<RunHalted | undefined>;
  stop(): Promise<void>;
}

const HEALTH_POLL_MS = 250;
/** Time between the last closed connection and the end of a dying server. */
const DYING_MS = 1_000;

/** Error of `transformers serve` about missing packages. */
const MISSING = /Missing dependencies for serving|No module named/;

/** Replacement for `transformers serve`, several times faster. */
const SERVER = fileURLToPath(new URL('serve_model.py', import.meta.url));

/**
 * Starts `transformers serve` on a loopback port and waits until it answers. It ends with this process, even if killed.
 *
 * @param workFolder holds a folder of links to the model, and the server's output
 * @throws UserError with its last words if it ends before it answers
 * @throws the abort reason of `signal`
 */
export async function startTransformersServer(
  { name, folder, python, device }: ServedModel,
  {
    workFolder,
    port,
    signal,
  }: { readonly workFolder: string; readonly port: number; readonly signal: AbortSignal },
): Promise<RunningServer> {
  await mkdir(workFolder, { recursive: true });
  await makeServedFolder(folder, join(workFolder, name));
  const logFile = join(workFolder, 'server.log');
  await rm(logFile, { force: true });
  const server = await startBoundProcess(
    [python, SERVER, 'serve', name, '--device', device, '--host', '127.0.0.1', '--port', String(port)],
    // The model's name is its folder relative to the working directory.
    { cwd: workFolder, env: { ...process.env, HF_HUB_OFFLINE: '1', PYTHONUNBUFFERED: '1' }, logFile },
  );
  const ended = new AbortController();
  let isStopped = false;
  void server.ended.then(async (code) => {
    if (isStopped) return;
    const how = code === null ? 'a signal ended it' : `exit code ${code}`;
    const words = await lastWords(logFile);
    const advice = MISSING.test(words)
      ? `; install its parts with: ${python} -m pip install 'transformers[serving]'`
      : '';
    ended.abort(
      new RunHalted(
        `the server of ${folder} ended (${how})${advice}; its last words, of ${logFile}:\n${words}`,
      ),
    );
  });
  const stop = async () => {
    isStopped = true;
    await server.stop();
  };
  try {
    await untilHealthy(`http://127.0.0.1:${port}/health`, AbortSignal.any([signal, ended.signal]));
  } catch (error) {
    await stop();
    throw error === ended.signal.reason ? new UserError((error as Error).message) : error;
  }
  const diedSince = async () => {
    await Promise.race([once(ended.signal, 'abort'), systemClock.sleep(DYING_MS)]);
    return ended.signal.reason as RunHalted | undefined;
  };
  return { ended: ended.signal, diedSince, stop };
}

async function untilHealthy(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (answer?.ok) return;
    await systemClock.sleep(HEALTH_POLL_MS, signal);
  }
}

const LAST_WORDS_BYTES = 2_000;

async function lastWords(path: string): Promise<string> {
  const { bytes } = await readFileFrom(path, 0, LAST_WORDS_BYTES);
  return bytes.toString('utf8').split('\n').slice(-12).join('\n').trim();
}

const [FIRST_PORT, PORTS] = [20_000, 12_000];

/**
 * Free loopback port, derived from the name if possible, so that a resumed evaluation uses the address of its cached
 * answers.
 */
export async function portFor(name: string): Promise<number> {
  const start = [...name].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % PORTS, 7);
  for (let at = 0; at < PORTS; at++) {
    const port = FIRST_PORT + ((start + at) % PORTS);
    if (await isFree(port)) return port;
  }
  throw new UserError('no port of 127.0.0.1 is free for the server');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
