import { existsSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { UserError } from '../base/userError.ts';
import type { Session } from '../contract/session.ts';
import { findRun } from '../operations/findRun.ts';
import { type EnvironmentSource, sourceOfConfig, sourceOfRun } from '../operations/rl/environmentSource.ts';
import { openEnvironment } from '../operations/rl/openEnvironment.ts';
import { serveEnvironment } from '../operations/rl/serveEnvironment.ts';
import { createSession } from '../pipeline/createSession.ts';
import { rlConfigSchema } from '../schemas/config/rl.ts';
import type { TrainingPresetName } from '../schemas/training/presets.ts';
import { isOpen, stopOnSignals, untilStopped } from './stopOnSignals.ts';

export interface ServeRlOptions {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  /** Has its limits in place of the configuration's. */
  readonly preset?: TrainingPresetName;
}

/** Serves the environment of tasks to agent loops until a signal comes. Returns the exit code. */
export async function serveRl(what: string, options: ServeRlOptions): Promise<number> {
  let isServing = false;
  using stop = stopOnSignals({ drains: () => isServing });
  await using session = createSession({ log: (line) => console.error(line) });
  const source = withPreset(await sourceOf(what, options, session), options.preset);
  const configured = rlConfigSchema.parse(source.config.rl ?? {}).serve;
  const { host = configured.host, port = configured.port } = options;
  if (host === '') throw new UserError('--host: expected an address, got ""');
  const token = session.env[configured.token_env]?.trim() || undefined;
  const environment = await openEnvironment(source, session);
  const serve = { ...configured, host, port };
  const server = await serveEnvironment(environment, { serve, token, cut: stop.signal }, session);
  isServing = true;
  console.log(
    `serving ${server.baseUrl} (${environment.tasks.size} tasks of ${source.name}; Ctrl-C ends it)`,
  );
  if (token === undefined && isOpen(server.baseUrl))
    console.error(
      `warning: every client that reaches ${host} can use these tools and judges; set ${configured.token_env}`,
    );
  return await untilStopped(stop.drain);
}

function withPreset(source: EnvironmentSource, preset: TrainingPresetName | undefined): EnvironmentSource {
  if (preset === undefined) return source;
  const training = { ...source.config.training, preset, rl: {} };
  return { ...source, config: { ...source.config, training } };
}

/** A run, a configuration, or a dataset in its run's folder. */
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
