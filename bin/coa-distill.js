#!/usr/bin/env node
/**
 * The entry of the command line. This file is plain JavaScript and keeps to what Node 18 knows, because its
 * first duty is to find Node 24: the sources use type stripping and `node:sqlite`.
 *
 * - On Node 24 or newer it runs the command in this process.
 * - On an older Node it runs itself again with the Node that the npm package `node` carries: a checkout has it, and
 *   whoever installs it beside this package.
 * - Where that package is missing too, it says what to do and exits 1.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import nodeModule, { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';

const REQUIRED_MAJOR = 24;

/** Set for the child, so that a wrong `node` package can't start itself for ever. */
const REEXEC_MARK = 'COA_DISTILL_PARENT_PID';

const here = path.dirname(fileURLToPath(import.meta.url));

if (nodeMajor() >= REQUIRED_MAJOR) {
  followParent();
  hideKnownWarnings();
  keepCompiledCode();
  // The viewer reads many lines and keeps nothing of them: V8 would let ever more of that pile up before it collects, and give
  // none back. Of 100,000 records that is 40 MB; collecting sooner takes no longer.
  if (process.argv[2] === 'view') setFlagsFromString('--optimize-for-size');
  // Of a synthesis 60 to 90 MB live, and each request that solves with tools holds all pages that it has seen: V8 would let
  // four times as much pile up. Collecting at half as much again, and not letting the space of new objects grow, takes
  // 10% more time, and 300 MB less (310 pages).
  if (process.argv[2] === 'synthesize')
    setFlagsFromString('--heap-growing-percent=50 --semi-space-growth-factor=1');
  process.on('beforeExit', endWithoutResult);
  process.exitCode = await runCommand();
  process.off('beforeExit', endWithoutResult);
} else {
  runAgainWithCarriedNode();
}

/** @returns {number} the major version of the Node that runs this file */
function nodeMajor() {
  return Number(process.versions.node.split('.')[0]);
}

/**
 * Runs the command line: from the sources in a checkout, else from `dist/`.
 *
 * @returns {Promise<number>} the exit code
 */
async function runCommand() {
  const source = path.join(here, '../cli/main.ts');
  const built = path.join(here, '../dist/cli/main.js');
  const isCheckout = existsSync(source);
  const { main } = await import(pathToFileURL(isCheckout ? source : built).href).catch((error) => {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND' || !/^Cannot find package/.test(error.message)) throw error;
    const advice = isCheckout ? '`npm ci` or `make quickstart`' : '`npm install`';
    console.error(
      `coa-distill: ${error.message.split(' imported')[0]}; run ${advice} in ${path.dirname(here)}`,
    );
    process.exit(1);
  });
  return main(process.argv.slice(2));
}

/** Nothing is left to wait for, and the command has not come to an end: Node alone would exit with 13 and no word of ours. */
function endWithoutResult() {
  console.error(
    'internal error: the command ended without a result, since it waited for something that nothing does any more; run it again, and report it if that happens twice',
  );
  process.exit(1);
}

/**
 * Lets Node keep what it compiled, which halves the time until a command begins. The folder is the user's own: one
 * that others can write to, as in /tmp, would let them run code here. Without a home nothing is kept.
 */
function keepCompiledCode() {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  if (path.isAbsolute(cache)) nodeModule.enableCompileCache?.(path.join(cache, 'coa-distill/compiled'));
}

/** Hides the two experimental features that this program uses knowingly; all other warnings still print. */
function hideKnownWarnings() {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const known =
      warning.name === 'ExperimentalWarning' && /SQLite|Type Stripping|type stripping/.test(warning.message);
    if (!known) for (const print of printers) print.call(process, warning);
  });
}

/** Stops a re-executed command whose parent was killed outright: a run without an owner must not go on. */
function followParent() {
  const parent = Number(process.env[REEXEC_MARK]);
  delete process.env[REEXEC_MARK];
  if (!parent || parent !== process.ppid) return;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}

/** Hands this command over to the Node of the npm package `node`, as nearly to `exec` as Node 18 can. */
function runAgainWithCarriedNode() {
  const node = process.env[REEXEC_MARK] ? undefined : carriedNode();
  if (!node) {
    console.error(
      `coa-distill needs Node ${REQUIRED_MAJOR} or newer, and this is Node ${process.versions.node}: ` +
        `install Node ${REQUIRED_MAJOR} (https://nodejs.org), or run \`npm install node@${REQUIRED_MAJOR}\` next to coa-distill`,
    );
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [REEXEC_MARK]: String(process.pid) },
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // Ctrl-C in a terminal reaches the child too; a second SIGINT would mean "stop at once".
  process.on('SIGINT', () => {});
  child.on('error', (error) => {
    console.error(`coa-distill could not start ${node}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** @returns {string | undefined} the path of the executable in the npm package `node`, if it is there */
function carriedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    const executable = path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin.node);
    return existsSync(executable) ? executable : undefined;
  } catch {
    // Not installed beside this package, or not for this platform.
    return undefined;
  }
}
