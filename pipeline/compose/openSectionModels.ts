import { UserError } from '../../base/userError.ts';
import { createEndpointPools } from '../../calls/limits/createEndpointPools.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import type { Config } from '../../schemas/config/config.ts';
import { sectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import type { ProbedModel } from '../../stages/judge/createProbeStage.ts';
import { createEmbeddingModel } from '../../teachers/client/createEmbeddingModel.ts';
import { createEndpointRegistry } from '../../teachers/client/endpointCapabilities.ts';
import { RunError } from '../run/runError.ts';
import { chosenSampling, createModelOpener, type ModelPlace, placeOf } from './openModels.ts';

/**
 * Opens the model of `judge.model` behind the cache, limits and spending log; the configuration must have one.
 *
 * @throws UserError without its key
 */
export function openJudgeModel(config: Config, cache: AnswerCache, session: Session): JudgeModel {
  const { votes, max_chars } = config.judge;
  return { ...openAsked(config, 'judge.model', cache, session), votes, maxChars: max_chars };
}

/** Opens the model of `probe` as {@link openJudgeModel} does; the configuration must name one. */
export function openProbedModel(config: Config, cache: AnswerCache, session: Session): ProbedModel {
  return openAsked(config, 'probe.model', cache, session);
}

function openAsked(
  config: Config,
  section: 'judge.model' | 'probe.model',
  cache: AnswerCache,
  session: Session,
) {
  const asked = sectionModel(config, section)!;
  const chat = createModelOpener(session, cache)(placeOf(asked, session));
  return { chat, sampling: chosenSampling(asked.sampling) };
}

/** The embeddings model at a place, behind its limits and the spending log. */
export function embeddingsAt(
  { model, endpoint, members }: ModelPlace,
  { clock, calls }: Session,
): EmbeddingModel {
  const { dispatcher } = createEndpointRegistry().capabilitiesFor(endpoint, model);
  const pool = createEndpointPools(clock)(members);
  return createEmbeddingModel({ model, endpoint, pool, dispatcher, clock, meter: calls });
}

/**
 * Opens the model of `dedup.trajectories.semantic` (required) behind its limits and the spending log. Embeddings are
 * not kept in the answer cache. `embed` throws `RunError` on failure, since no record is to blame.
 *
 * @throws UserError without its key, or offline
 */
export function openEmbeddingModel(config: Config, session: Session): EmbeddingModel {
  const where = 'dedup.trajectories.semantic';
  if (session.offline)
    throw new UserError(
      `${where}: embeddings are not kept in the cache, so offline there are none; run without --offline, or take ${where} out`,
    );
  const place = placeOf(sectionModel(config, `${where}.model`)!, session);
  const asked = embeddingsAt(place, session);
  return {
    async embed(texts, signal) {
      try {
        return await asked.embed(texts, signal);
      } catch (error) {
        if (!(error instanceof RecordFailure)) throw error;
        const { cause, message } = error.failure;
        throw new RunError(
          `${where}: no embeddings of ${place.model} (${cause}: ${message}); fix it, then resume with the same command`,
          { cause: error },
        );
      }
    },
  };
}
