import type { Profile } from '../schemas/coa/profile.ts';
import type { Segment, Trajectory } from '../schemas/trajectory.ts';

/** Start of a trajectory that a model continues. */
export interface TrajectoryBeginning extends Pick<Trajectory, 'system' | 'user' | 'question'> {
  readonly segments: readonly Segment[];
}

/** Rendered start: up to the last segment, with the turn still open. */
export interface RenderedBeginning {
  /** Text for a server that encodes it, without tokens that Hugging Face's tokenizers prepend, as Llama's do. */
  readonly text: string;
  readonly ids: readonly number[];
}

/** Renders the start of a trajectory exactly like the start of its training row: same text, same ids. */
export interface TrajectoryPrompt {
  /** Throws `RecordFailure` for texts that cannot become a training row. */
  render(beginning: TrajectoryBeginning, profile: Profile): Promise<RenderedBeginning>;
  /** Start of a text with at most this many tokens, and its token count. Throws as `render`. */
  textWithin(
    text: string,
    tokens: number,
  ): Promise<{
    readonly text: string;
    readonly tokens: number;
  }>;
}
