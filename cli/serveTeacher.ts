import { resolve } from 'node:path';
import { Resources } from '../base/resources.ts';
import { loadScript } from '../teachers/scripted/loadScript.ts';
import { parseFaults } from '../teachers/scripted/parseFaults.ts';
import { startScriptedServer } from '../teachers/scripted/startScriptedServer.ts';
import { stopOnSignals, untilStopped } from './stopOnSignals.ts';

interface ServeOptions {
  readonly script: string;
  readonly port: number;
  readonly latencyMs: number;
  readonly faults?: string;
  readonly requestLog?: string;
}

/** Serves a scripted teacher until a signal arrives. Returns the exit code. */
export async function serveTeacher(options: ServeOptions): Promise<number> {
  await using resources = new Resources();
  const server = resources.keep(
    await startScriptedServer({
      script: await loadScript(resolve(options.script)),
      port: options.port,
      latencyMs: options.latencyMs,
      ...(options.faults !== undefined && { faults: parseFaults(options.faults) }),
      ...(options.requestLog !== undefined && { requestLog: resolve(options.requestLog) }),
    }),
  );
  using stop = stopOnSignals();
  console.log(`serving ${server.baseUrl} (Ctrl-C ends it)`);
  return await untilStopped(stop.signal);
}
