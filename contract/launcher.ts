import type { Clock } from '../base/clock.ts';
import type { TrainingConfig } from '../schemas/config/training.ts';
import type { LauncherName } from '../schemas/training/jobNames.ts';
import type { JobHandle, JobOutput } from '../schemas/training/jobRecord.ts';
import type { PodTemplate } from '../schemas/training/podTemplate.ts';
import type { TrainingPlan } from '../schemas/training/trainingPlan.ts';

/** Definition of one way to start jobs. */
export interface Launcher {
  readonly name: LauncherName;
  /** True if the trainer runs on this machine, so that its GPUs and Python can be inspected. */
  readonly runsHere: boolean;
  /** True if a person runs the start command on each machine of the job. */
  readonly startedOnEachMachine: boolean;
  /** True if the trainer may see other files than this machine, so that a model's folder may be missing here. */
  readonly hasOwnFiles: boolean;
  /** True if jobs run in a Ray cluster, whose machines a Ray-based trainer uses on its own. */
  readonly hasRay?: true;
  /** @throws UserError for settings that this launcher can't do with; absent: it takes all */
  refuse?(training: TrainingConfig): void;
  /** Renders the start command for the job's machines and the files it adds. Pure. */
  render(size: JobSize, request: RenderRequest): Pick<RenderedJob, 'files' | 'start'>;
  /** Connects to the job runner without asking anything yet. */
  open(clock: Clock): JobControl;
}

/** Fields of a plan that a launcher needs. */
export type JobSize = Pick<TrainingPlan, 'nodes' | 'gpus_per_node' | 'processes_per_node' | 'rl'>;

/** Inputs for rendering a plan. */
export interface RenderRequest {
  readonly training: TrainingConfig;
  readonly run: string;
  readonly job: string;
  /** Absolute path of `train/<job>/` in the run. */
  readonly jobFolder: string;
  /** `training.kubernetes.pod_template`; absent: the default. */
  readonly podTemplate?: PodTemplate;
  /** Command on each machine if it cannot see that folder; default: its `run.sh`. */
  readonly command?: readonly string[];
}

export interface StartRequest extends StartCommand {
  /** Absolute path of the job's folder, the command's working directory. */
  readonly folder: string;
  /** File inside the job's folder to which both output streams are appended. */
  readonly consoleFile: string;
}

/** State of a job as its launcher sees it. */
export type JobState =
  | { readonly kind: 'queued' /** The scheduler's wording. */; readonly reason: string }
  | { readonly kind: 'running' }
  | {
      readonly kind: 'ended';
      /** 128 + the signal's number for a signal; null if the end was not observed. */
      readonly exitCode: number | null;
      /** True if the system killed one of its processes for lack of memory. */
      readonly outOfMemory: boolean;
      /**
       * True if a process of its control group or machine was killed for lack of memory meanwhile; it may not be the
       * job's own.
       */
      readonly machineOutOfMemory?: boolean;
      /** Scheduler's message about an end that the trainer may not have noticed. */
      readonly message?: string;
    };

/** Starts, watches and stops jobs, which are found again by `job.json`. */
export interface JobControl {
  /** Starts a job that outlives this process. Throws `UserError` if it cannot be started. */
  start(request: StartRequest): Promise<JobHandle>;
  /** @param folder the job's folder, absolute */
  state(handle: JobHandle, folder: string): Promise<JobState>;
  /**
   * Stops a job and all its processes: SIGTERM, then SIGKILL. Returns when none is left; does nothing for a finished
   * job.
   */
  stop(handle: JobHandle, folder: string): Promise<void>;
}

/** A file of a training job. */
export interface JobFile {
  /** Relative to the job's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A training job as readable files that also run by hand, with its start command. */
export interface RenderedJob {
  readonly files: readonly JobFile[];
  /** Start command in the job's folder, as a person would type it. */
  readonly start: StartCommand;
  readonly follow: JobOutput;
}

/** A command and its environment. */
export interface StartCommand {
  readonly argv: readonly string[];
  /** Additions to the environment; never a secret. */
  readonly env: Readonly<Record<string, string>>;
}
