/** A file of a training job. */
export interface JobFile {
  /** Inside the job's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** What it is, for the job's README. */
  readonly about: string;
}

/** Where a trainer writes; paths inside the job's folder. */
export interface TrainerOutput {
  readonly metricsFile: string;
  /** Lines of earlier attempts, where the trainer empties its file at each start; those of the same step are older. */
  readonly earlierMetricsFile: string | null;
  readonly checkpointFolder: string;
}

/** A training job as files that can be read and run by hand, and how a launcher starts and follows it. */
export interface RenderedJob {
  readonly files: readonly JobFile[];
  /** Started in the job's folder, and the same that a person would type there. */
  readonly start: StartCommand;
  readonly follow: TrainerOutput & {
    /** What the trainer prints, both streams. */
    readonly consoleFile: string;
  };
}

/** A command, and what it needs in its environment. */
export interface StartCommand {
  readonly argv: readonly string[];
  /** Added to the environment; never a secret. */
  readonly env: Readonly<Record<string, string>>;
}
