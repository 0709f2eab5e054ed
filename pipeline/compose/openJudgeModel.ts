import type { Clock } from '../../base/clock.ts';
import { judgePriceOf } from '../../calls/budget/priceOf.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { RunCalls } from '../../contract/runCalls.ts';
import type { Config } from '../../schemas/config/config.ts';
import { judgeEndpointOf, judgeKeyOf, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { chosenSampling, createModelOpener, poolMember } from './openModels.ts';

/** What {@link openJudgeModel} works with. */
export interface JudgeModelOptions {
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly cache: AnswerCache;
  /** Answers come from the cache alone; no key is needed. */
  readonly offline: boolean;
  readonly calls: RunCalls;
}

/**
 * Opens the model of `judge.model` behind the cache, limits and books; the configuration must have one.
 *
 * @throws UserError without its key
 */
export function openJudgeModel(options: JudgeModelOptions): JudgeModel {
  const { config, env, offline } = options;
  const { model, sampling, votes, max_chars } = config.judge.model!;
  const endpoint = { ...judgeEndpointOf(config)!, price: judgePriceOf(config) };
  const members = membersOf(endpoint).map((member) =>
    poolMember(member, offline ? undefined : judgeKeyOf(member, env)),
  );
  const open = createModelOpener(options);
  return {
    chat: open({ model, endpoint, members }),
    sampling: chosenSampling(sampling),
    votes,
    maxChars: max_chars,
  };
}
