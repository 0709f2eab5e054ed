import { RecordFailure, UserError } from '../../pipeline/contract/errors.ts';
import type { Sandbox } from '../../pipeline/contract/sandbox.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';
import { createBubblewrapSandbox } from './createBubblewrapSandbox.ts';
import { createPyodideSandbox } from './createPyodideSandbox.ts';

/** Said whenever programs run in Pyodide. */
export const PYODIDE_WARNING =
  'programs run in Pyodide, which separates but does not isolate: for the bundled examples only';

/** Starting the first Python on a busy machine may take this long; it says nothing about later programs. */
const PROBE_TIMEOUT_MS = 20_000;

const INSTALL =
  'install bubblewrap 0.8 or newer and python3 (Debian, Ubuntu: apt-get install -y bubblewrap python3)';

/**
 * Creates the sandbox that a configuration asks for, after a first program has run in it. `log` is told when the
 * back end only separates.
 *
 * Throws `UserError` where the back end does not work here, saying why and what to install.
 */
export async function createSandbox(config: CodeConfig, log: (line: string) => void): Promise<Sandbox> {
  if (config.backend === 'pyodide') return createPyodide(config, log);
  const bubblewrap = createBubblewrapSandbox({
    memoryMb: config.memory_mb,
    timeoutMs: config.timeout_s * 1000,
    concurrency: config.concurrency,
  });
  const problem = await probe(bubblewrap);
  if (problem === undefined) return bubblewrap;
  if (config.backend === 'auto' && config.allow_unsafe) return createPyodide(config, log);
  throw new UserError(`tools.code: no program runs in bubblewrap here (${problem}): ${INSTALL}`);
}

async function createPyodide(config: CodeConfig, log: (line: string) => void): Promise<Sandbox> {
  if (!config.allow_unsafe) {
    throw new UserError(
      `tools.code.backend: pyodide does not isolate programs: ${INSTALL}, or set tools.code.allow_unsafe: true ` +
        'when all programs are your own',
    );
  }
  log(PYODIDE_WARNING);
  const limits = { timeoutMs: config.timeout_s * 1000, concurrency: config.concurrency };
  return createPyodideSandbox(limits).catch((cause) => {
    if (cause instanceof RecordFailure)
      throw new UserError(`tools.code: ${cause.message}: ${INSTALL}`, { cause });
    throw cause;
  });
}

/** Why the sandbox can't run a trivial program, or undefined when it can. */
async function probe(sandbox: Sandbox): Promise<string | undefined> {
  const program = { code: 'print(input())', stdin: 'ready\n', timeoutMs: PROBE_TIMEOUT_MS };
  try {
    const { kind, exitCode, stdout, stderr } = await sandbox.run(program, new AbortController().signal);
    if (stdout === 'ready\n') return undefined;
    return stderr.trim().split('\n').at(-1) || `the program ${kind} with status ${exitCode}`;
  } catch (error) {
    if (error instanceof RecordFailure) return error.message;
    throw error;
  }
}
