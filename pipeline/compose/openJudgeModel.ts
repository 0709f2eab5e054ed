import { judgePriceOf } from '../../calls/budget/priceOf.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';
import { judgeEndpointOf, judgeKeyOf, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { chosenSampling, createModelOpener, poolMember } from './openModels.ts';

/**
 * Opens the model of `judge.model` behind the cache, limits and spending log; the configuration must have one.
 *
 * @throws UserError without its key
 */
export function openJudgeModel(config: Config, cache: AnswerCache, session: Session): JudgeModel {
  const { env, offline } = session;
  const { model, sampling, votes, max_chars } = config.judge.model!;
  const endpoint = { ...judgeEndpointOf(config)!, price: judgePriceOf(config) };
  const members = membersOf(endpoint).map((member) =>
    poolMember(member, offline ? undefined : judgeKeyOf(member, env)),
  );
  const open = createModelOpener(session, cache);
  return {
    chat: open({ model, endpoint, members }),
    sampling: chosenSampling(sampling),
    votes,
    maxChars: max_chars,
  };
}
