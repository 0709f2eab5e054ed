import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';
import { sectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import type { ProbedModel } from '../../stages/judge/createProbeStage.ts';
import { chosenSampling, createModelOpener, placeOf } from './openModels.ts';

/**
 * Opens the model of `judge.model` behind the cache, limits and spending log; the configuration must have one.
 *
 * @throws UserError without its key
 */
export function openJudgeModel(config: Config, cache: AnswerCache, session: Session): JudgeModel {
  const { votes, max_chars } = config.judge.model!;
  return { ...openAsked(config, 'judge.model', cache, session), votes, maxChars: max_chars };
}

/** Opens the model of `probe` as {@link openJudgeModel} does; the configuration must name one. */
export function openProbedModel(config: Config, cache: AnswerCache, session: Session): ProbedModel {
  return openAsked(config, 'probe', cache, session);
}

function openAsked(config: Config, section: 'judge.model' | 'probe', cache: AnswerCache, session: Session) {
  const asked = sectionModel(config, section)!;
  const chat = createModelOpener(session, cache)(placeOf(asked, session));
  return { chat, sampling: chosenSampling(asked.sampling!) };
}
