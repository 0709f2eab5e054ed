import { judgePriceOf, probePriceOf } from '../../calls/budget/priceOf.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ChatModel } from '../../contract/chatModel.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';
import {
  judgeEndpointOf,
  judgeKeyOf,
  membersOf,
  probeEndpointOf,
  probeKeyOf,
  type ResolvedEndpoint,
} from '../../schemas/config/resolved/endpoints.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import type { ProbedModel } from '../../stages/judge/createProbeStage.ts';
import { chosenSampling, createModelOpener, poolMember } from './openModels.ts';

/**
 * Opens the model of `judge.model` behind the cache, limits and spending log; the configuration must have one.
 *
 * @throws UserError without its key
 */
export function openJudgeModel(config: Config, cache: AnswerCache, session: Session): JudgeModel {
  const { model, sampling, votes, max_chars } = config.judge.model!;
  const endpoint = { ...judgeEndpointOf(config)!, price: judgePriceOf(config) };
  const chat = openAt({ model, endpoint, keyOf: judgeKeyOf }, cache, session);
  return { chat, sampling: chosenSampling(sampling), votes, maxChars: max_chars };
}

/** Opens the model of `probe` as {@link openJudgeModel} does; the configuration must name one. */
export function openProbedModel(config: Config, cache: AnswerCache, session: Session): ProbedModel {
  const { model, sampling } = config.probe!;
  const endpoint = { ...probeEndpointOf(config)!, price: probePriceOf(config) };
  const chat = openAt({ model: model!, endpoint, keyOf: probeKeyOf }, cache, session);
  return { chat, sampling: chosenSampling(sampling) };
}

/** A model with an endpoint of its own. */
interface OwnModel {
  readonly model: string;
  readonly endpoint: ResolvedEndpoint;
  readonly keyOf: typeof judgeKeyOf;
}

function openAt({ model, endpoint, keyOf }: OwnModel, cache: AnswerCache, session: Session): ChatModel {
  const { env, offline } = session;
  const members = membersOf(endpoint).map((member) =>
    poolMember(member, offline ? undefined : keyOf(member, env)),
  );
  return createModelOpener(session, cache)({ model, endpoint, members });
}
