import type { CompletionModel } from '../../contract/completionModel.ts';
import type { Session } from '../../contract/session.ts';
import { createTrajectoryPrompt } from '../../output/dataset/createTrajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { playerConfigSchema } from '../../schemas/config/player.ts';
import type { StudentParts } from '../../teachers/coaModel/coaModelOptions.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { samplingOf } from './openModels.ts';

/**
 * Opens what a CoA model plays with: prompts by the dataset's tokenizer and chat template, so that it is asked as it was
 * trained.
 *
 * @throws UserError when they can't be used
 */
export async function openStudent(
  { config, profiles }: LoadedConfig,
  model: CompletionModel,
  { resources }: Pick<Session, 'resources'>,
): Promise<StudentParts> {
  const { teacher, tasks, dataset } = config;
  const named = new Set(tasks.sources.map(({ profile }) => profile));
  return {
    model,
    sampling: samplingOf(config, 'model'),
    prompt: resources.keep(await createTrajectoryPrompt(dataset)),
    systemPrompt: dataset.system_prompt,
    player: playerConfigSchema.parse(teacher.player ?? {}),
    profiles: [...named]
      .map(profiles.profileOf)
      .filter((profile): profile is Profile => profile !== undefined),
  };
}
