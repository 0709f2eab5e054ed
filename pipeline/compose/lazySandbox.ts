import { once } from '../../base/once.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Session } from '../../contract/session.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';

/** Sandbox that opens on first use. The caller that triggered the opening closes it. */
export interface LazySandbox extends Sandbox {
  /** Opens the sandbox now, so that missing parts are reported before anything is spent. */
  open(): Promise<Sandbox>;
}

/** Sandbox of a configuration; undefined if not configured. */
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

/** Opens the configured sandbox. Logs a warning if the back end does not isolate. */
export async function openSandbox(
  code: CodeConfig,
  { resources, log }: Pick<Session, 'resources' | 'log'>,
): Promise<Sandbox> {
  const { openSandboxProcess } = await import('../../tools/sandbox/openSandboxProcess.ts');
  return resources.keep(await openSandboxProcess(code, log));
}
