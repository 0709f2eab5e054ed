import { availableParallelism } from 'node:os';
import path from 'node:path';
import PQueue from 'p-queue';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../json.ts';
import { compileCacheVariable, moduleBeside } from '../moduleBeside.ts';
import { UserError } from '../userError.ts';
import { brokenPlace } from './brokenPlace.ts';
import { ChildProgram, type ProgramStart } from './childProgram.ts';
import { plainEnvironment } from './plainEnvironment.ts';

/** Code of the user's own, and what it may take. */
export interface OwnModuleOptions {
  /** The configuration's key that names it, for messages. */
  readonly key: string;
  /** Absolute path. */
  readonly file: string;
  /** For one answer. */
  readonly timeoutMs: number;
  /** Most of one answer; default: 1 MB. */
  readonly maxBytes?: number;
}

/** What a module's code did wrong with one question; the message names file and line where they are known. */
export class OwnModuleError extends Error {
  override readonly name = 'OwnModuleError';
}

/** Endings of modules that Node runs as they are. */
export const moduleEndings: readonly string[] = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/** Until a program says that it is ready. */
const START_MS = 30_000;
const MAX_BYTES = 1_000_000;
/** Processes of one module at once; each answers one question at a time. */
const MOST_PROCESSES = Math.max(4, availableParallelism());

/**
 * A module or program of the user's own, in processes of its own that have none of our secrets in their environment.
 * A module of JavaScript or TypeScript exports a function by default. A file that ends with `.py` is run by `python3`,
 * any other one must be executable: it prints `{"ready": true}`, then for each line of JSON that it reads one line
 * `{"value": ...}` or `{"error": "..."}`. One that takes too long is killed, and started again for the next question.
 */
export class OwnModule {
  readonly #options: OwnModuleOptions;
  readonly #start: ProgramStart;
  readonly #queue = new PQueue({ concurrency: MOST_PROCESSES });
  readonly #idle: AnsweringProgram[] = [];
  readonly #running = new Set<AnsweringProgram>();

  constructor(options: OwnModuleOptions) {
    this.#options = options;
    const { file } = options;
    const plain = { ...plainEnvironment(process.env), ...compileCacheVariable() };
    this.#start = { ...commandOf(file), cwd: path.dirname(file), env: plain };
  }

  /** The configuration's key that names it. */
  get key(): string {
    return this.#options.key;
  }

  /**
   * Starts it once, so that what can't be loaded is known early.
   *
   * @throws UserError that names the file and the line
   */
  async check(): Promise<void> {
    this.#idle.push(await this.#free());
  }

  /**
   * Asks it one question.
   *
   * @throws OwnModuleError for an error of its code, an answer of another form or none in time; UserError where it can't
   *   be started; the signal's reason
   */
  async ask(question: JsonObject, signal?: AbortSignal): Promise<JsonValue> {
    return this.#queue.add(
      async () => {
        const program = await this.#free();
        const answer = await program.ask(question, this.#options.timeoutMs, signal);
        this.#idle.push(program);
        signal?.throwIfAborted();
        if (typeof answer.error === 'string') throw new OwnModuleError(answer.error);
        return answer.value ?? null;
      },
      signal ? { signal } : {},
    );
  }

  close(): void {
    for (const program of this.#running) program.kill();
  }

  async #free(): Promise<AnsweringProgram> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (!idle.hasEnded) return idle;
    const { key, file, maxBytes = MAX_BYTES } = this.#options;
    const program = new AnsweringProgram(file, maxBytes);
    this.#running.add(program);
    const problem = await program.start(this.#start);
    if (problem === undefined) return program;
    program.kill();
    throw new UserError(`${key}: ${problem}; fix it, then try again`);
  }
}

function commandOf(file: string): Pick<ProgramStart, 'command' | 'args'> {
  const ending = path.extname(file).toLowerCase();
  if (ending === '.py') return { command: 'python3', args: [file] };
  if (!moduleEndings.includes(ending)) return { command: file, args: [] };
  const host = moduleBeside(import.meta.url, 'moduleHost').pathname;
  return { command: process.execPath, args: ['--no-warnings', host, file] };
}

/** One process. It is asked one question at a time; why there is no answer stands in `error`, whoever says so. */
class AnsweringProgram {
  readonly #file: string;
  readonly #maxBytes: number;
  #program: ChildProgram | undefined;
  #read: Buffer[] = [];
  #bytes = 0;
  #settle: ((said: JsonObject) => void) | undefined;
  hasEnded = false;

  constructor(file: string, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Why it can't be asked; undefined once it is ready. */
  async start(start: ProgramStart): Promise<string | undefined> {
    try {
      this.#program = await ChildProgram.start(start);
    } catch (error) {
      this.hasEnded = true;
      return `${start.command} can't be started (${(error as NodeJS.ErrnoException).code})`;
    }
    this.#program.onOutput((chunk) => this.#take(chunk));
    this.#program.onClose(() => this.#over());
    const said = await this.#answer(START_MS);
    if (typeof said.error === 'string') return said.error;
    return said.ready === true
      ? undefined
      : `${this.#name}: expected {"ready": true} as its first line, got ${shown(said)}`;
  }

  /** `{value}` or `{error}`. */
  async ask(question: JsonObject, timeoutMs: number, signal: AbortSignal | undefined): Promise<JsonObject> {
    const stop = () => this.kill();
    signal?.addEventListener('abort', stop, { once: true });
    const answer = this.#answer(timeoutMs);
    this.#program!.write(`${JSON.stringify(question)}\n`);
    const said = await answer;
    signal?.removeEventListener('abort', stop);
    if (typeof said.error === 'string' || 'value' in said) return said;
    return { error: `${this.#name}: expected a line {"value": ...} or {"error": "..."}, got ${shown(said)}` };
  }

  kill(): void {
    this.hasEnded = true;
    this.#program?.signal('SIGKILL');
  }

  get #name(): string {
    return path.basename(this.#file);
  }

  /** The next line, or why there is none. */
  async #answer(timeoutMs: number): Promise<JsonObject> {
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    this.#settle = resolve;
    const timer = setTimeout(() => {
      resolve({ error: `${this.#name} took longer than ${timeoutMs / 1000} s and was stopped` });
      this.kill();
    }, timeoutMs);
    const said = await promise;
    clearTimeout(timer);
    return said;
  }

  #take(chunk: Buffer): void {
    const end = chunk.indexOf('\n');
    this.#bytes += end < 0 ? chunk.length : end;
    if (this.#bytes > this.#maxBytes) {
      this.#settle?.({ error: `${this.#name} answered with more than ${this.#maxBytes} bytes` });
      this.kill();
      return;
    }
    this.#read.push(end < 0 ? chunk : chunk.subarray(0, end));
    if (end < 0) return;
    const line = Buffer.concat(this.#read).toString();
    this.#read = [];
    this.#bytes = 0;
    const parsed = safeParseJson(line);
    const error = `${this.#name}: expected a line of JSON, got ${shown(line)}; print other words to standard error`;
    this.#settle?.(parsed.ok && isJsonObject(parsed.value) ? parsed.value : { error });
    if (end + 1 < chunk.length) this.#take(chunk.subarray(end + 1));
  }

  #over(): void {
    this.hasEnded = true;
    const { lastWords, ending } = this.#program!;
    const error = lastWords.trim() === '' ? `${this.#name} ${ending}` : brokenPlace(lastWords, this.#file);
    this.#settle?.({ error });
  }
}

function shown(said: unknown): string {
  return JSON.stringify(said).slice(0, 100);
}
