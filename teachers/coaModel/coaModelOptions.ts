import type { Sampling } from '../../contract/chatModel.ts';
import type { CompletionModel } from '../../contract/textModels.ts';
import type { Tool } from '../../contract/tool.ts';
import type { TrajectoryPrompt } from '../../contract/trajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { PlayerConfig } from '../../schemas/config/player.ts';
import type { SolvingOptions } from '../solving/solveTask.ts';

/** A CoA model, and how it is asked. */
export interface StudentParts {
  readonly model: CompletionModel;
  readonly sampling: Sampling;
  /** Renders what is played so far as the model was trained on it. */
  readonly prompt: TrajectoryPrompt;
  readonly systemPrompt: string;
  readonly player: PlayerConfig;
  /** The profiles of the tasks: a chat endpoint is tried with the first. */
  readonly profiles: readonly Profile[];
}

/** A CoA model, and what it plays with. */
export interface CoaModelOptions extends StudentParts, Omit<SolvingOptions, 'teacher'> {
  /** By the tag that calls them. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly profileOf: (name: string) => Profile | undefined;
}
