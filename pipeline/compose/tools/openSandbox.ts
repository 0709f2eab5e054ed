import type { Sandbox } from '../../../contract/sandbox.ts';
import type { Session } from '../../../contract/session.ts';
import type { CodeConfig } from '../../../schemas/config/tools/code.ts';

/** Opens the sandbox of a configuration; a back end that does not isolate says so through `log`. */
export async function openSandbox(
  code: CodeConfig,
  { resources, log }: Pick<Session, 'resources' | 'log'>,
): Promise<Sandbox> {
  const { createSandbox } = await import('../../../tools/sandbox/createSandbox.ts');
  return resources.keep(await createSandbox(code, log));
}
