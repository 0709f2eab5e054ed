import type { Clock } from '../base/clock.ts';
import type { TrainingConfig } from '../schemas/config/training.ts';
import type { LauncherName } from '../schemas/training/jobNames.ts';
import type { JobHandle, JobOutput } from '../schemas/training/jobRecord.ts';
import type { PodTemplate } from '../schemas/training/podTemplate.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';

/** One way to start jobs: everything that is known of it. */
export interface Launcher {
  readonly name: LauncherName;
  /** The trainer runs on this machine, whose GPUs are counted and whose Python is asked. */
  readonly runsHere: boolean;
  /** A person gives the start command on each machine of the job. */
  readonly startedOnEachMachine: boolean;
  /** The trainer may see other files than this machine, so that a model's folder may be missing here. */
  readonly hasOwnFiles: boolean;
  /** Jobs run in a Ray cluster, all of whose machines a trainer that is built on Ray uses by itself; absent: not so. */
  readonly hasRay?: true;
  /** @throws UserError for settings that this launcher can't do with; absent: it takes all */
  refuse?(training: TrainingConfig): void;
  /** Pure. What starts `run.sh` on the job's machines, and the files that it adds. */
  render(size: JobSize, request: RenderRequest): Pick<RenderedJob, 'files' | 'start'>;
  /** Connects to whatever runs the jobs; nothing is asked yet. */
  open(clock: Clock): JobControl;
}

/** What of a plan a launcher needs. */
export type JobSize = Pick<TrainingPlan, 'nodes' | 'gpus_per_node' | 'processes_per_node' | 'rl'>;

/** What a plan is rendered with. */
export interface RenderRequest {
  readonly training: TrainingConfig;
  readonly run: string;
  readonly job: string;
  /** Absolute: `train/<job>/` of the run. */
  readonly jobFolder: string;
  /** Of `training.kubernetes.pod_template`; absent: the default. */
  readonly podTemplate?: PodTemplate;
  /** What each machine runs where it doesn't see that folder; default: its `run.sh`. */
  readonly command?: readonly string[];
}

export interface StartRequest extends StartCommand {
  /** The job's folder, absolute; the command runs in it. */
  readonly folder: string;
  /** Where both output streams are appended; inside the job's folder. */
  readonly consoleFile: string;
}

/** Where a job is, as its launcher sees it. */
export type JobState =
  | { readonly kind: 'queued' /** In the scheduler's words. */; readonly reason: string }
  | { readonly kind: 'running' }
  | {
      readonly kind: 'ended';
      /** 128 + the signal's number for a signal; null where nobody was there to see it. */
      readonly exitCode: number | null;
      /** The system ended one of its processes for lack of memory. */
      readonly outOfMemory: boolean;
      /** Some process of its control group, or of the machine, was ended for lack of memory while it ran; nothing tells whether it was one of its own. */
      readonly machineOutOfMemory?: boolean;
      /** What a scheduler says of an end that the trainer itself may know nothing of. */
      readonly message?: string;
    };

/** Starts, watches and ends jobs, which are found again by what `job.json` keeps. */
export interface JobControl {
  /** Starts a job that outlives this process. Throws `UserError` when it can't be started. */
  start(request: StartRequest): Promise<JobHandle>;
  /** @param folder the job's folder, absolute */
  state(handle: JobHandle, folder: string): Promise<JobState>;
  /**
   * Ends a job and all its processes: SIGTERM, then SIGKILL. Returns when none of them is left. Jobs that have ended are
   * left alone.
   */
  stop(handle: JobHandle, folder: string): Promise<void>;
}

/** A file of a training job. */
export interface JobFile {
  /** Inside the job's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A training job as files that can be read and run by hand, and how a launcher starts and follows it. */
export interface RenderedJob {
  readonly files: readonly JobFile[];
  /** Started in the job's folder, and the same that a person would type there. */
  readonly start: StartCommand;
  readonly follow: JobOutput;
}

/** A command, and what it needs in its environment. */
export interface StartCommand {
  readonly argv: readonly string[];
  /** Added to the environment; never a secret. */
  readonly env: Readonly<Record<string, string>>;
}
