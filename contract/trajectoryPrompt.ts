import type { Profile } from '../schemas/coa/profile.ts';
import type { Segment, Trajectory } from '../schemas/trajectory.ts';

/** The beginning of a trajectory, which a model is to go on with. */
export interface TrajectoryBeginning extends Pick<Trajectory, 'system' | 'user' | 'question'> {
  readonly segments: readonly Segment[];
}

/** A beginning as the student reads it: up to the last segment, its turn still open. */
export interface RenderedBeginning {
  /** For a server that encodes it: without the tokens that Hugging Face's tokenizers put before any text, as Llama's do. */
  readonly text: string;
  readonly ids: readonly number[];
}

/** Renders the beginning of a trajectory as the beginning of its training row: the same text, the same ids. */
export interface TrajectoryPrompt {
  /** Throws `RecordFailure` for texts of which no training row could be made. */
  render(beginning: TrajectoryBeginning, profile: Profile): Promise<RenderedBeginning>;
  /** The beginning of a text that has at most so many tokens, and how many it has. Throws as `render`. */
  textWithin(
    text: string,
    tokens: number,
  ): Promise<{
    readonly text: string;
    readonly tokens: number;
  }>;
}
