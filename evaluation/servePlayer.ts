import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ConfigDocument } from '../pipeline/config/configDocument.ts';
import { RunError } from '../pipeline/run/runError.ts';
import type { DatasetConfig } from '../schemas/config/dataset.ts';
import { playerConfigSchema } from '../schemas/config/player.ts';
import type { ProfileDeclaration } from '../schemas/config/profiles.ts';
import { type ServedModel, startTransformersServer } from './serving/transformersServer.ts';

/** Local checkpoint used as a player, with the prompt settings of its training. */
export interface ServedPlayer extends ServedModel {
  /** Maximum tokens; null if unknown. */
  readonly positions: number | null;
  /** Defaults for the configuration's `dataset`. */
  readonly dataset: Partial<
    Pick<DatasetConfig, 'system_prompt' | 'tokenizer' | 'chat_template' | 'template_variables'>
  >;
  /** Profiles for a configuration without any. */
  readonly profiles?: readonly ProfileDeclaration[];
}

/** Configuration whose player is a served checkpoint. Keeps the configured limits, sampling and texts. */
export function withServedPlayer(
  document: ConfigDocument,
  { name, positions, dataset, profiles }: ServedPlayer,
): ConfigDocument {
  const value = objectOf(document.value);
  const { script: _, roles: __, ...teacher } = objectOf(value.teacher);
  const { name: ____, ...model } = objectOf(teacher.model);
  const { pool: ___, ...endpoint } = objectOf(model.endpoint);
  const limit = positions ?? Number.POSITIVE_INFINITY;
  const { max_context_tokens } = playerConfigSchema.parse({});
  return {
    ...document,
    value: {
      ...(profiles && { profiles: profiles as unknown as JsonObject[] }),
      ...value,
      teacher: {
        ...teacher,
        backend: 'coa_model',
        model: { ...model, model: name, endpoint: { ...endpoint, api_key_env: '' } },
        player: {
          max_context_tokens: Math.min(limit, max_context_tokens),
          ...objectOf(teacher.player),
          server: 'transformers',
          api: 'completions',
        },
      },
      dataset: { ...dataset, ...objectOf(value.dataset) },
    },
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

interface ServingOptions {
  readonly workFolder: string;
  readonly port: number;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Runs `work` while a checkpoint is served, then stops the server.
 *
 * @param work must stop when its signal is aborted, which also happens when the server ends
 * @throws UserError if the server does not start; RunError if it ends prematurely
 */
export async function whileServed<T>(
  model: ServedModel,
  { log, signal, ...where }: ServingOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  log(
    `serving ${model.folder} as ${model.name} on ${model.device}; what it prints: ${where.workFolder}/server.log`,
  );
  const server = await startTransformersServer(model, { ...where, signal });
  try {
    return await work(AbortSignal.any([signal, server.ended]));
  } catch (error) {
    const death = signal.aborted ? undefined : await server.diedSince();
    throw death ? new RunError(death.message, { cause: error }) : error;
  } finally {
    await server.stop();
  }
}
