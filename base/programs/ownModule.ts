import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import PQueue from 'p-queue';
import { linesOf } from '../journal/readLines.ts';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../json.ts';
import { compileCacheVariable, moduleBeside } from '../moduleBeside.ts';
import { UserError } from '../userError.ts';
import { brokenPlace } from './brokenPlace.ts';
import { ChildProgram, type ProgramStart } from './childProgram.ts';
import { plainEnvironment } from './plainEnvironment.ts';

/** User module and its limits. */
export interface OwnModuleOptions {
  /** Configuration key of the module, for messages. */
  readonly key: string;
  readonly file: string;
  readonly timeoutMs: number;
  /** Maximum bytes of one answer; default: 1 MB. */
  readonly maxBytes?: number;
}

/** Error of a module's code for one question; the message names file and line if known. */
export class OwnModuleError extends Error {
  override readonly name = 'OwnModuleError';
}

/** Extensions of modules that Node runs directly. */
export const moduleEndings: readonly string[] = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs'];

/** Maximum time until a program reports that it is ready. */
const START_MS = 30_000;
const MAX_BYTES = 1_000_000;
/** Maximum processes of one module; each answers one question at a time. */
const MOST_PROCESSES = Math.max(4, availableParallelism());

/**
 * A module or program of the user's own, in processes of its own that have none of our secrets in their environment.
 *
 * A module of JavaScript or TypeScript exports a function by default, one of Python defines `answer`; any other file must
 * be executable. All speak on file descriptor 3, so that what they print elsewhere is no answer: `{"ready": true}` first,
 * then for each line `{"id", "question"}` one line with the same id, `{"id", "value"}` or `{"id", "error"}`. A process
 * that takes too long, or writes anything else, is killed: its question fails, and the next one has a new process.
 */
export class OwnModule {
  readonly #options: OwnModuleOptions;
  readonly #queue = new PQueue({ concurrency: MOST_PROCESSES });
  readonly #idle: AnsweringProgram[] = [];
  readonly #running = new Set<AnsweringProgram>();

  constructor(options: OwnModuleOptions) {
    this.#options = options;
  }

  get key(): string {
    return this.#options.key;
  }

  /**
   * Starts the module once, to report load errors early.
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
        if ('error' in answer) throw new OwnModuleError(answer.error);
        return answer.value;
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
    const problem = await program.start(() => this.#running.delete(program));
    if (problem === undefined) return program;
    program.kill();
    throw new UserError(`${key}: ${problem}; fix it, then try again`);
  }
}

function startOf(file: string): ProgramStart {
  const env = { ...plainEnvironment(process.env), ...compileCacheVariable() };
  return { ...commandOf(file), cwd: path.dirname(file), env, usesChannel: true };
}

function commandOf(file: string): Pick<ProgramStart, 'command' | 'args'> {
  const ending = path.extname(file).toLowerCase();
  if (ending === '.py') {
    const [command = 'python3', ...args] = interpreterOf(file);
    return { command, args: [...args, fileURLToPath(new URL('module_host.py', import.meta.url)), file] };
  }
  if (!moduleEndings.includes(ending)) return { command: file, args: [] };
  const host = moduleBeside(import.meta.url, 'moduleHost').pathname;
  return { command: process.execPath, args: ['--no-warnings', host, file] };
}

/** Python interpreter from the shebang of a file: `#!/opt/venv/bin/python`. */
function interpreterOf(file: string): string[] {
  const [, named] = /^#!(.*python.*)/.exec(readFileSync(file, 'utf8')) ?? [];
  return named?.trim().split(/\s+/) ?? [];
}

type Said = { readonly value: JsonValue } | { readonly error: string };

/** A process that answers one question at a time. */
class AnsweringProgram {
  readonly #file: string;
  readonly #maxBytes: number;
  #program: ChildProgram | undefined;
  /** The pending question; `id` is undefined until the program is ready. */
  #open: { readonly id: string | undefined; readonly settle: (said: Said) => void } | undefined;
  /** True once it is to end. */
  hasEnded = false;
  /** Reason why it cannot answer any more, set after all its output was read. */
  #over: { readonly error: string } | undefined;

  constructor(file: string, maxBytes: number) {
    this.#file = file;
    this.#maxBytes = maxBytes;
  }

  /** Returns the reason why it cannot be asked; undefined once it is ready. */
  async start(onEnd: () => void): Promise<string | undefined> {
    try {
      this.#program = await ChildProgram.start(startOf(this.#file));
    } catch (error) {
      this.hasEnded = true;
      onEnd();
      return `${this.#name} can't be started (${(error as NodeJS.ErrnoException).code})`;
    }
    // Closed during the start.
    if (this.hasEnded) this.kill();
    const closed = new Promise<void>((resolve) => this.#program!.onClose(resolve));
    void Promise.all([closed, this.#readLines()])
      .then(() => this.#end())
      .then(onEnd);
    const said = await this.#said(undefined, START_MS);
    return 'error' in said ? said.error : undefined;
  }

  async ask(question: JsonObject, timeoutMs: number, signal: AbortSignal | undefined): Promise<Said> {
    const stop = () => this.kill();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    // A random id cannot occur in output written before the question.
    const id = randomUUID();
    const answer = this.#said(id, timeoutMs);
    this.#program!.write(`${JSON.stringify({ id, question })}\n`);
    const said = await answer;
    signal?.removeEventListener('abort', stop);
    return said;
  }

  kill(): void {
    this.hasEnded = true;
    this.#program?.signal('SIGKILL');
  }

  get #name(): string {
    return path.basename(this.#file);
  }

  async #said(id: string | undefined, timeoutMs: number): Promise<Said> {
    if (this.#over) return this.#over;
    const { promise, resolve: settle } = Promise.withResolvers<Said>();
    this.#open = { id, settle };
    const late = `${this.#name} took longer than ${timeoutMs / 1000} s and was stopped`;
    const timer = setTimeout(() => this.#fail(late), timeoutMs);
    const said = await promise;
    clearTimeout(timer);
    return said;
  }

  async #readLines(): Promise<void> {
    try {
      for await (const { bytes, whole } of linesOf(this.#program!.output, this.#maxBytes))
        if (whole && !this.hasEnded) this.#take(bytes.toString());
    } catch (error) {
      // The program's end explains a broken channel.
      if (error instanceof RangeError)
        this.#fail(`${this.#name} answered with more than ${this.#maxBytes} bytes`);
    }
  }

  #take(line: string): void {
    const said = this.#open && saidIn(line, this.#open.id);
    if (said) {
      this.#settle(said);
      return;
    }
    const expected =
      this.#open?.id === undefined
        ? '{"ready": true} as its first line'
        : 'a line {"id": ..., "value": ...} or {"id": ..., "error": "..."} with the id of its question';
    this.#fail(
      `${this.#name}: expected ${expected} on file descriptor 3, got ${shown(line)}; print other words to standard error`,
    );
  }

  /** Fails the pending question and ends the process: its further output cannot be attributed. */
  #fail(error: string): void {
    this.#settle({ error });
    this.kill();
  }

  #settle(said: Said): void {
    this.#open?.settle(said);
    this.#open = undefined;
  }

  #end(): void {
    this.hasEnded = true;
    const { lastWords, ending } = this.#program!;
    const isReady = this.#open === undefined || this.#open.id !== undefined;
    const ended = `${this.#name} ${ending}${isReady ? '' : ' before it wrote {"ready": true} on file descriptor 3'}`;
    this.#over = { error: lastWords.trim() === '' ? ended : brokenPlace(lastWords, this.#file) };
    this.#settle(this.#over);
  }
}

/** Parsed line if it belongs to the question; undefined otherwise. */
function saidIn(line: string, id: string | undefined): Said | undefined {
  const parsed = safeParseJson(line);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { value: said } = parsed;
  if (typeof said.error === 'string')
    return said.id === id && said.value === undefined ? { error: said.error } : undefined;
  if (said.error !== undefined) return undefined;
  if (id === undefined) return said.ready === true ? { value: null } : undefined;
  return said.id === id && said.value !== undefined ? { value: said.value } : undefined;
}

function shown(line: string): string {
  return line.trim() === '' ? 'an empty line' : line.slice(0, 100);
}
