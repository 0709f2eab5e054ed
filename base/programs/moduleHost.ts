import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { linesOf } from '../journal/readLines.ts';

/* Host program for a JavaScript user module of `OwnModule`; answers on file descriptor 3. */

const LOOK_EVERY_MS = 500;

if (isMainThread) await serve(process.argv[2]!);
// A module that never returns cannot notice that its parent is gone; this thread can.
else
  setInterval(() => {
    if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
  }, LOOK_EVERY_MS);

type OwnFunction = (question: unknown) => unknown;

async function serve(file: string): Promise<void> {
  new Worker(new URL(import.meta.url), { workerData: process.ppid }).unref();
  const channel = new Socket({ fd: 3 });
  const say = (said: object) => channel.write(`${JSON.stringify(said, refuseOtherThanJson)}\n`);
  const { default: own } = (await import(pathToFileURL(file).href)) as { default?: unknown };
  say(typeof own === 'function' ? { ready: true } : { error: notAFunction(file, own) });
  for await (const { bytes } of linesOf(channel)) {
    const { id, question } = JSON.parse(bytes.toString()) as {
      readonly id: string;
      readonly question: unknown;
    };
    let value: unknown;
    try {
      value = (await (own as OwnFunction)(question)) ?? null;
    } catch (error) {
      say({ id, error: `${placeOf(error, file)}${error instanceof Error ? error.message : String(error)}` });
      continue;
    }
    try {
      say({ id, value });
    } catch (error) {
      const why = (error as Error).message.split('\n')[0];
      say({ id, error: `${path.basename(file)}: answered with what JSON cannot hold: ${why}` });
    }
  }
  process.exit();
}

/**
 * Rejects values that `JSON.stringify` would change: `NaN` becomes null and functions vanish, giving a label that the
 * module did not return.
 */
function refuseOtherThanJson(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(String(value));
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`a ${typeof value}`);
  return value;
}

function notAFunction(file: string, got: unknown): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = Math.max(
    0,
    lines.findIndex((line) => /\bexport\b.*\bdefault\b/.test(line)),
  );
  return `${path.basename(file)}:${at + 1}: expected \`export default\` of a function, got ${typeof got}`;
}

/** Innermost place of an error outside Node: `rule.ts:3: `; paths are relative to the module's folder. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, at, line] =
    /\((?:file:\/\/)?(\/[^()\n]+):(\d+):\d+\)|at (?:async )?(?:file:\/\/)?(\/\S+):(\d+):\d+/
      .exec(stack)
      ?.filter((part) => part !== undefined) ?? [];
  return at === undefined ? '' : `${path.relative(path.dirname(file), at)}:${line}: `;
}
