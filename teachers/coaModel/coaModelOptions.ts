import type { Sampling } from '../../contract/chatModel.ts';
import type { CompletionModel } from '../../contract/textModels.ts';
import type { Tool } from '../../contract/tool.ts';
import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { PlayerConfig } from '../../schemas/config/player.ts';
import type { SolvingOptions } from '../solving/solveTask.ts';

export interface StudentParts {
  readonly model: CompletionModel;
  readonly sampling: Sampling;
  /** Renders the played text as in the model's training. */
  readonly prompt: TrajectoryPrompt;
  readonly systemPrompt: string;
  readonly player: PlayerConfig;
  /** Profiles of the tasks; a chat endpoint is tried with the first. */
  readonly profiles: readonly Profile[];
}

/** A CoA model, and what it plays with. */
export interface CoaModelOptions extends StudentParts, Omit<SolvingOptions, 'teacher'> {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly profileOf: (name: string) => Profile | undefined;
}
