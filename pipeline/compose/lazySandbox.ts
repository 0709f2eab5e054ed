import { once } from '../../base/once.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Session } from '../../contract/session.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';

/** A sandbox that opens when it is first needed; who has opened it closes it. */
export interface LazySandbox extends Sandbox {
  /** Opens the sandbox now, so that what is missing is said before anything is spent. */
  open(): Promise<Sandbox>;
}

/** The sandbox of a configuration, once it is needed; undefined where it has none. */
export function lazySandbox(
  code: CodeConfig | undefined,
  session: Pick<Session, 'resources' | 'log'>,
): LazySandbox | undefined {
  if (!code) return undefined;
  const open = once(() => openSandbox(code, session));
  return {
    name: 'bubblewrap',
    isolates: true,
    open,
    run: async (program, signal) => (await open()).run(program, signal),
    close: async () => {},
  };
}

/** Opens the sandbox of a configuration; a back end that does not isolate says so through `log`. */
export async function openSandbox(
  code: CodeConfig,
  { resources, log }: Pick<Session, 'resources' | 'log'>,
): Promise<Sandbox> {
  const { openSandboxProcess } = await import('../../tools/sandbox/openSandboxProcess.ts');
  return resources.keep(await openSandboxProcess(code, log));
}
