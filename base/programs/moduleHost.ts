import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/*
 * The program that runs a user's module for `OwnModule`: it says {"ready": true}, then answers each line with
 * {"value": ...} or {"error": ...}.
 */

const LOOK_EVERY_MS = 500;

if (isMainThread) await serve(process.argv[2]!);
// A module that never returns does not notice that nobody waits for it any more; this thread does.
else
  setInterval(() => {
    if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
  }, LOOK_EVERY_MS);

type OwnFunction = (question: unknown) => unknown;

async function serve(file: string): Promise<void> {
  new Worker(new URL(import.meta.url), { workerData: process.ppid, stdout: true }).unref();
  const print = process.stdout.write.bind(process.stdout);
  // What a module prints is not an answer.
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;
  const say = (answer: object) => print(`${JSON.stringify(answer)}\n`);
  const { default: own } = (await import(pathToFileURL(file).href)) as { default?: unknown };
  say(typeof own === 'function' ? { ready: true } : { error: notAFunction(file, own) });
  for await (const line of createInterface({ input: process.stdin })) {
    try {
      say({ value: (await (own as OwnFunction)(JSON.parse(line))) ?? null });
    } catch (error) {
      say({ error: `${placeOf(error, file)}${error instanceof Error ? error.message : String(error)}` });
    }
  }
  process.exit();
}

function notAFunction(file: string, got: unknown): string {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = Math.max(
    0,
    lines.findIndex((line) => /\bexport\b.*\bdefault\b/.test(line)),
  );
  return `${path.basename(file)}:${at + 1}: expected \`export default\` of a function, got ${typeof got}`;
}

/** `rule.ts:3: `, the innermost place of an error outside of Node; paths start at the module's folder. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, at, line] =
    /\((?:file:\/\/)?(\/[^()\n]+):(\d+):\d+\)|at (?:async )?(?:file:\/\/)?(\/\S+):(\d+):\d+/
      .exec(stack)
      ?.filter((part) => part !== undefined) ?? [];
  return at === undefined ? '' : `${path.relative(path.dirname(file), at)}:${line}: `;
}
