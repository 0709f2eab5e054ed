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

/** A model of this machine that is to be served. */
export interface ServedModel {
  /** Its name for whoever asks. */
  readonly name: string;
  /** Folder of its files. */
  readonly folder: string;
  readonly python: string;
  /** As torch names it; `auto` takes the GPUs. */
  readonly device: string;
}

/** A server that answers. */
interface RunningServer {
  /** Aborted with a `RunHalted` when it ends by itself, which says its last words. */
  readonly ended: AbortSignal;
  /** The same, told apart from an endpoint that only closed a connection: a dying server does so first. */
  diedSince(): Promise<RunHalted | undefined>;
  /** Ends it; nothing of it is left. */
  stop(): Promise<void>;
}

const HEALTH_POLL_MS = 250;
/** From the last connection that a dying server closes to its end. */
const DYING_MS = 1_000;

/** What `transformers serve` needs beside transformers itself, as its own message says it. */
const MISSING = /Missing dependencies for serving|No module named/;

/** Serves as `transformers serve` does, a few times faster. */
const SERVER = fileURLToPath(new URL('serve_model.py', import.meta.url));

/**
 * Starts `transformers serve` at a port of the loopback, and waits until it answers. It ends with this process, however
 * that ends.
 *
 * @param workFolder holds a folder of links to the model, and what the server prints
 * @throws UserError with its last words where it ends before it answers
 * @throws what `signal` was aborted with
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
    // The model's name is the folder's, as the server sees it from where it runs.
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
 * A free port of the loopback: the same for the same name where nothing else has it, so that a resumed evaluation asks
 * at the address that its cached answers came from.
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
