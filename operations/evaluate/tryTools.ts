import { join } from 'node:path';
import type { Session } from '../../contract/session.ts';
import { openSandbox } from '../../pipeline/compose/lazySandbox.ts';
import { openTools } from '../../pipeline/compose/openTools.ts';
import { toolsWithoutRun } from '../../pipeline/compose/toolsWithoutRun.ts';
import { toolsOf } from '../../pipeline/config/toolsConfig.ts';
import { createSession } from '../../pipeline/createSession.ts';
import type { CheckedBenchmark } from './openEvaluation.ts';

/** What tools are tried with. */
interface TryingOptions extends Pick<Session, 'env'> {
  /** The evaluation's, for indexes, which its runs find there. */
  readonly folder: string;
  /** `sandbox`: nothing is written, and no server asked. */
  readonly which: 'all' | 'sandbox';
}

/**
 * Opens the tools of benchmarks that are still to be played, with their servers, indexes and sandbox, and closes them.
 *
 * @throws UserError, RunError for one that does not open
 */
export async function tryTools(
  benchmarks: readonly CheckedBenchmark[],
  { env, folder, which }: TryingOptions,
): Promise<void> {
  const pending = benchmarks.filter(({ stages }) =>
    stages.some(({ stage, kind }) => stage === 'rollout' && kind !== 'done'),
  );
  const [first] = pending;
  if (!first) return;
  const { config } = first.loaded;
  const wanted = new Set(pending.flatMap(({ loaded }) => [...toolsOf(loaded)]));
  const session = createSession({ env });
  try {
    if (wanted.has('code') && config.tools.code) await openSandbox(config.tools.code, session);
    if (which === 'all')
      await openTools(
        { ...toolsWithoutRun({ config, wanted }, session), cacheFolder: join(folder, '.cache') },
        session,
      );
  } finally {
    await session.resources.closeAll();
  }
}
