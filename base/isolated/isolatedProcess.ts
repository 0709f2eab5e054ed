import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { compileCacheVariable } from '../moduleBeside.ts';
import { OpenQuestions } from '../openQuestions.ts';
import type { Answer } from './answerQuestions.ts';
import { type FileLimits, outOfTime, ownMemoryMb } from './fileLimits.ts';

/** 64 KiB per page of WebAssembly memory. */
const wasmPagesInMb = 16;

/**
 * A process that reads untrusted files: a decoder may loop forever, and a thread with a full heap would take its
 * process down. Its environment contains only the folder of compiled code, and it ends with this process.
 */
export class IsolatedProcess<Question extends Serializable> {
  readonly #child: ChildProcess;
  readonly #limits: FileLimits;
  readonly #questions = new OpenQuestions<Answer>();

  /** @param module calls `answerQuestions`, see `moduleBeside` */
  constructor(module: URL, limits: FileLimits) {
    this.#limits = limits;
    const heapMb = limits.memoryMb - ownMemoryMb;
    this.#child = fork(module, [JSON.stringify(limits)], {
      env: compileCacheVariable(),
      execArgv: [
        '--no-warnings',
        `--max-old-space-size=${heapMb}`,
        `--wasm-max-mem-pages=${heapMb * wasmPagesInMb}`,
      ],
      // Not JSON: rows contain dates, bytes and 64-bit integers.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => this.#answered(answer));
    this.#child.on('error', (error) => this.#end(error));
    this.#child.on('exit', (_status, signal) => this.#end(new Error(this.#whyEnded(signal))));
    this.#keepAliveWhileAsked();
  }

  /** @throws Error with the reader's own message, or that it took too much time or memory */
  async ask(question: Question): Promise<unknown> {
    const asked = this.#questions.ask((id) =>
      this.#child.send({ id, question }, (error) => error && this.#end(error)),
    );
    this.#keepAliveWhileAsked();
    const answer = await asked;
    if ('problem' in answer) throw new Error(answer.problem);
    return answer.value;
  }

  /** Ends the process, even while it works. */
  close(): void {
    this.#child.kill('SIGKILL');
  }

  #answered(answer: Answer): void {
    if (!this.#questions.answer(answer.id, answer)) {
      this.#end(new Error('its reader answered a question that it was not asked'));
      this.close();
    }
    this.#keepAliveWhileAsked();
  }

  #end(error: Error): void {
    this.#questions.end(error);
    this.#keepAliveWhileAsked();
  }

  #whyEnded(signal: NodeJS.Signals | null): string {
    // An uncaught error; a kill or lack of memory ends by a signal.
    if (signal === null) return 'it is damaged';
    const { cpuSeconds, memoryMb } = this.#limits;
    return signal === outOfTime
      ? `reading it takes more than ${cpuSeconds} s, too much for a file of its size`
      : `reading it takes more than ${memoryMb} MB of memory, too much for a file of its size`;
  }

  /** Only a pending question keeps this process alive. */
  #keepAliveWhileAsked(): void {
    const { channel } = this.#child;
    if (this.#questions.count > 0) {
      this.#child.ref();
      channel?.ref();
    } else {
      this.#child.unref();
      channel?.unref();
    }
  }
}
