import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createProject } from '../../cli/support/project.ts';
import { type CliResult, finished, launcher, runCli } from '../../cli/support/runCli.ts';
import { repository } from './readPage.ts';

/** How long a command that goes on has to print what its page shows. */
const GREETING_MS = 120_000;

/** Where the commands of one page run: a project with tasks, a configuration and the bundled examples. */
export interface Shell {
  readonly folder: string;
  readonly env: Record<string, string>;
  run(command: string): Promise<CliResult>;
  /** Starts a command that goes on, and waits until it has printed something that is its whole greeting. */
  start(command: string, isGreeting: (printed: string) => boolean): Promise<string>;
  close(): Promise<void>;
}

/** Opens the project of a page in a folder that is there. */
export function openShell(folder: string): Shell {
  createProject({ folder });
  symlinkSync(join(repository, 'examples'), join(folder, 'examples'));
  cpSync(join(repository, 'test/docs/support/files'), join(folder, '.test'), { recursive: true });
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  symlinkSync(launcher, join(bin, 'coa-distill'));
  writeFileSync(join(bin, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const env: Record<string, string> = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    NO_COLOR: '1',
    PS1: '',
  };
  const started: ChildProcess[] = [];
  const bash = (command: string) =>
    spawn('bash', ['--norc', '-euo', 'pipefail', '-c', command], { cwd: folder, env, detached: true });
  return {
    folder,
    env,
    run: (command) => {
      const args = argumentsOf(command);
      // The input of a process can end once only.
      const readsInput = args?.[0] === 'serve' && args[1] === 'mcp';
      if (args) return runCli(args, { cwd: folder, env, ...(readsInput && { stdin: '' }) });
      const child = bash(command);
      child.stdin.end();
      return finished(child);
    },
    start: async (command, isGreeting) => {
      const child = bash(`exec ${command}`);
      started.push(child);
      let printed = '';
      const heard = Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data')]);
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
      const ended = once(child, 'close').then(() => Promise.reject(new Error(`it ended: ${command}`)));
      await Promise.race([heard, ended]);
      const patience = AbortSignal.timeout(GREETING_MS);
      while (!isGreeting(printed) && !patience.aborted) await Promise.race([delay(10), ended]);
      ended.catch(() => {});
      return printed;
    },
    close: async () => {
      for (const child of started) {
        if (child.exitCode === null) {
          process.kill(-child.pid!, 'SIGTERM');
          await once(child, 'close');
        }
      }
    },
  };
}

/** The arguments of a plain `coa-distill` command, which needs no shell; nothing where it does. */
export function argumentsOf(command: string): string[] | undefined {
  const words = wordsOf(command);
  if (!words) return undefined;
  const [program, ...args] = words[0] === 'npx' ? words.slice(1) : words;
  return program === 'coa-distill' ? args : undefined;
}

/** The words of a command, quotes and a comment at its end taken away; nothing where a shell does more with it. */
export function wordsOf(command: string): string[] | undefined {
  const words: string[] = [];
  const word = /\s*(?:#.*$|\\\n|((?:'[^']*'|"[^"$`\\]*"|[^\s'"|<>&;$`\\(){}*?~])+))/y;
  const text = command.trim();
  while (word.lastIndex < text.length) {
    const found = word.exec(text);
    if (!found) return undefined;
    if (found[1] !== undefined) words.push(found[1].replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
  }
  return words;
}
