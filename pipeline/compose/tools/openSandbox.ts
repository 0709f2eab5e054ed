import type { Sandbox } from '../../../contract/sandbox.ts';
import type { Session } from '../../../contract/session.ts';
import type { CodeConfig } from '../../../schemas/config/tools/code.ts';

/** Opens the sandbox of a configuration; a back end that does not isolate says so through `log`. */
export async function openSandbox(
  code: CodeConfig,
  { resources, log }: Pick<Session, 'resources' | 'log'>,
): Promise<Sandbox> {
  const { openSandboxProcess } = await import('../../../tools/sandbox/openSandboxProcess.ts');
  return resources.keep(await openSandboxProcess(code, log));
}
