import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnswerKeyOptions } from '../../support/answerKey/answerKeyOf.ts';

const program = fileURLToPath(new URL('teacherProcess.ts', import.meta.url));

/** A teacher in a process of its own, with its list of what it was asked. */
export interface TeacherProcess {
  readonly baseUrl: string;
  /** SHA-256 of every chat request that came, in order. */
  asked(): string[];
  /** When each came, in milliseconds. */
  times(): number[];
  /** Requests of the minute that held most of them. */
  mostInMinute(): number;
  /** Tokens of every answer that was sent, whether or not somebody was there to read it. */
  billed(): number[];
  /** Empties both. */
  forget(): void;
  /** Waits until it has written down every request that was sent before. */
  settled(): Promise<void>;
  /** From now on it answers at once. */
  hurry(): void;
  stop(): Promise<void>;
}

/**
 * Starts a teacher that plays the answer key of a project's `coa.yaml`.
 *
 * @param options flaws, and the maximum steps of a conversation; default: none, and all
 */
export async function startTeacherProcess(
  project: string,
  latencyMs: number,
  options: Pick<AnswerKeyOptions, 'planted' | 'steps'> = {},
): Promise<TeacherProcess> {
  const requestLog = join(project, 'asked.log');
  const args = [join(project, 'coa.yaml'), requestLog, String(latencyMs), JSON.stringify(options)];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const baseUrl = `http://127.0.0.1:${String(port).trim()}/v1`;
  const times = () => linesOf(requestLog).map((line) => Number(line.split(' ')[1]));
  return {
    baseUrl,
    asked: () => linesOf(requestLog).map((line) => line.split(' ')[0]!),
    times,
    mostInMinute: () => mostInMinute(times()),
    billed: () => linesOf(`${requestLog}.billed`).map(Number),
    forget() {
      for (const file of [requestLog, `${requestLog}.billed`]) rmSync(file, { force: true });
    },
    async settled() {
      await (await fetch(`${baseUrl}/models`)).text();
    },
    hurry: () => void child.kill('SIGUSR2'),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

/** @param times in order, in milliseconds */
function mostInMinute(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! >= 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
