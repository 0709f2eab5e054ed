import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { UserError } from '../base/userError.ts';
import type { Session } from '../contract/session.ts';
import { createSession } from '../pipeline/createSession.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { type EnvironmentSource, sourceOfConfig, sourceOfRun } from '../rl/server/environmentSource.ts';
import { openEnvironment } from '../rl/server/openEnvironment.ts';
import { serveEnvironment } from '../rl/server/serveEnvironment.ts';
import type { TrainingPresetName } from '../schemas/training/presets.ts';
import { isOpen, stopOnSignals, untilStopped } from './stopOnSignals.ts';

const DEFAULT_PORT = 9100;
/** Environment variable with the client token; unset: open to everyone. Loops read the same variable. */
const TOKEN_VARIABLE = 'COA_RL_TOKEN';

export interface ServeRlOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  /** Preset whose limits replace the configuration's. */
  readonly preset?: TrainingPresetName;
}

/** Serves the task environment to agent loops until a signal arrives. Returns the exit code. */
export async function serveRl(what: string, options: ServeRlOptions): Promise<number> {
  let isServing = false;
  using stop = stopOnSignals({ drains: () => isServing });
  await using session = createSession({ log: (line) => console.error(line) });
  const source = withPreset(await sourceOf(what, options, session), options.preset);
  const { host = '127.0.0.1', port = DEFAULT_PORT } = options;
  if (host === '') throw new UserError('--host: expected an address, got ""');
  const token = session.env[TOKEN_VARIABLE]?.trim() || undefined;
  const environment = await openEnvironment(source, session);
  const server = await serveEnvironment(environment, { host, port, token, cut: stop.signal }, session);
  isServing = true;
  console.log(
    `serving ${server.baseUrl} (${environment.tasks.size} tasks of ${source.name}; Ctrl-C ends it)`,
  );
  if (token === undefined && isOpen(server.baseUrl))
    console.error(
      `warning: every client that reaches ${host} can use these tools and judges; set ${TOKEN_VARIABLE}`,
    );
  return await untilStopped(stop.drain);
}

function withPreset(source: EnvironmentSource, preset: TrainingPresetName | undefined): EnvironmentSource {
  if (preset === undefined) return source;
  const training = { ...source.config.training, preset, rl: {} };
  return { ...source, config: { ...source.config, training } };
}

/** Resolves a run, a configuration, or a dataset in its run's folder. */
export async function sourceOf(
  what: string,
  { config }: Pick<ServeRlOptions, 'config'>,
  session: Session,
): Promise<EnvironmentSource> {
  if (/^\.ya?ml$/.test(extname(what))) {
    if (config !== undefined) throw new UserError('--config: for a run; the configuration itself is named');
    return sourceOfConfig(what, session);
  }
  const isDataset = existsSync(join(resolve(what), 'manifest.json'));
  return sourceOfRun(await findRun(isDataset ? dirname(resolve(what)) : what), config);
}
