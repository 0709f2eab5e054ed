import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { Session } from '../../contract/session.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';

/** A sandbox that opens when it is first needed; who has opened it closes it. */
export class LazySandbox implements Sandbox {
  readonly #create: () => Promise<Sandbox>;
  #opening: Promise<Sandbox> | undefined;
  #opened: Sandbox | undefined;

  constructor(create: () => Promise<Sandbox>) {
    this.#create = create;
  }

  get name(): Sandbox['name'] {
    return this.#opened?.name ?? 'bubblewrap';
  }

  get isolates(): boolean {
    return this.#opened?.isolates ?? true;
  }

  /** Opens the sandbox now, so that what is missing is said before anything is spent. */
  async open(): Promise<Sandbox> {
    this.#opening ??= this.#create();
    this.#opened = await this.#opening;
    return this.#opened;
  }

  async run(program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult> {
    return (await this.open()).run(program, signal);
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}

/** Opens the sandbox of a configuration; a back end that does not isolate says so through `log`. */
export async function openSandbox(
  code: CodeConfig,
  { resources, log }: Pick<Session, 'resources' | 'log'>,
): Promise<Sandbox> {
  const { openSandboxProcess } = await import('../../tools/sandbox/openSandboxProcess.ts');
  return resources.keep(await openSandboxProcess(code, log));
}
