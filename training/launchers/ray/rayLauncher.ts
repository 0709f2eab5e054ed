import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';
import { shellWord } from '../../../base/shellWord.ts';
import { UserError } from '../../../base/userError.ts';
import type { JobFile, JobSize, JobState, Launcher, RenderRequest } from '../../../contract/launcher.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';
import { lostJob, type Scheduler, SchedulerUnreachable, schedulerControl } from '../scheduler.ts';

/** Request body for Ray's job API (`POST /api/jobs/`). */
const rayJobFile = 'ray-job.json';
/** Dashboard address as read by Ray's own programs; `RAY_ADDRESS` is the cluster's address for another protocol. */
const rayAddressVariable = 'RAY_API_SERVER_ADDRESS';
const raySubmitFile = 'submit.sh';
const rayMachinesFile = 'ray-machines.py';

/** Files of a Ray job. The cluster's machines must have the run folder at the same path. */
function rayFiles(plan: JobSize, { training, run, job, jobFolder }: RenderRequest): JobFile[] {
  // Trainers based on Ray request machines and GPUs from the cluster themselves.
  const isOne = plan.nodes === 1 || plan.rl !== undefined;
  const program = isOne
    ? `bash ${runScriptFile}`
    : `python3 ${rayMachinesFile} ${plan.nodes} ${plan.gpus_per_node}`;
  const request = {
    entrypoint: `cd -- ${shellWord(jobFolder)} && CONSOLE_FILE=${consoleFile} exec ${program}`,
    ...(isOne && !plan.rl && plan.gpus_per_node > 0 ? { entrypoint_num_gpus: plan.gpus_per_node } : {}),
    // Named for identification; tracker keys come from the cluster's environment.
    metadata: { name: `${run}/${job}` },
  };
  return [
    { path: rayJobFile, text: `${JSON.stringify(request, null, 2)}\n` },
    { path: raySubmitFile, text: submitScript(training.ray.address) },
    ...(isOne ? [] : [{ path: rayMachinesFile, text: rayMachines() }]),
  ];
}

function rayAddress(address: string): string {
  return address.replace(/\/+$/, '');
}

function submitScript(address: string): string {
  return `#!/usr/bin/env bash
# Submits the job to a Ray cluster by its job API, and prints the submission's id. Usage: bash ${raySubmitFile}
set -euo pipefail
cd -- "$(dirname -- "\${BASH_SOURCE[0]}")"

address=${shellWord(rayAddress(address))}
address="\${${rayAddressVariable}:-$address}"
exec curl --silent --show-error --fail-with-body --header 'Content-Type: application/json' \\
  --data-binary @${rayJobFile} "$address/api/jobs/"
`;
}

function rayMachines(): string {
  return readFileSync(new URL('ray_machines.py', import.meta.url), 'utf8');
}

export const rayLauncher: Launcher = {
  name: 'ray',
  hasRay: true,
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: false,
  render: (plan, request) => ({
    files: rayFiles(plan, request),
    start: {
      argv: ['bash', raySubmitFile],
      env: { [rayAddressVariable]: rayAddress(request.training.ray.address) },
    },
  }),
  open: (clock) => schedulerControl(ray, clock),
};

const handleSchema = z.object({ kind: z.literal('ray'), address: z.string(), submission_id: z.string() });
type RayHandle = z.infer<typeof handleSchema>;

const TIMEOUT_MS = 60_000;
/** Maximum characters quoted from a cluster's error. */
const MAX_WORDS_CHARS = 500;

/** Submits jobs through Ray's HTTP job API. Ray itself ends the entry point and its processes when a job is stopped. */
export const ray: Scheduler = {
  // A cluster serves one group, so it can be polled more often than a site's scheduler.
  intervalMs: 2_000,
  async start({ folder, env }) {
    const address = env[rayAddressVariable];
    if (address === undefined) throw new Error(`the job has no ${rayAddressVariable}`);
    const body = await readFile(join(folder, rayJobFile), 'utf8');
    const answer = await ask(`${address}/api/jobs/`, { body }).catch((error: Error) => {
      if (!(error instanceof SchedulerUnreachable)) throw error;
      throw new UserError(
        `${error.message}: start a cluster with "ray start --head" (pip install "ray[default]"), or name its dashboard in training.ray.address`,
        { cause: error },
      );
    });
    if (answer.status !== 200) throw new UserError(`Ray at ${address} refused the job: ${words(answer)}`);
    const { submission_id } = read(raySubmittedSchema, answer, address);
    return { kind: 'ray', address, submission_id };
  },
  async state(of) {
    const handle = handleSchema.parse(of);
    const answer = await ask(jobUrl(handle));
    if (answer.status === 404) {
      return lostJob(
        `Ray at ${handle.address} does not have job ${handle.submission_id}: its cluster was restarted`,
      );
    }
    if (answer.status !== 200)
      throw new SchedulerUnreachable(`Ray at ${handle.address} answers ${words(answer)}`);
    return rayState(read(rayJobSchema, answer, handle.address));
  },
  async cancel(of) {
    const handle = handleSchema.parse(of);
    const answer = await ask(`${jobUrl(handle)}/stop`, { body: '' });
    if (answer.status !== 200)
      throw new UserError(`Ray job ${handle.submission_id} can't be stopped: ${words(answer)}`);
  },
  describe(of) {
    const { address, submission_id } = handleSchema.parse(of);
    return `look at ${submission_id} at ${address}`;
  },
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request with undici's `request`, since Ray rejects job submissions from browsers, and takes `fetch` for one
 * by its headers. Throws {@link SchedulerUnreachable} without a response.
 */
async function ask(url: string, post?: { readonly body: string }): Promise<Answer> {
  try {
    const { statusCode, body } = await request(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(post && { method: 'POST', headers: { 'content-type': 'application/json' }, body: post.body }),
    });
    return { status: statusCode, text: await body.text() };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    const why = message || code;
    throw new SchedulerUnreachable(`Ray's job API at ${new URL(url).origin} does not answer (${why})`, {
      cause: error,
    });
  }
}

function read<T>(schema: z.ZodType<T>, { text }: Answer, address: string): T {
  try {
    return schema.parse(parseJson(text));
  } catch (error) {
    throw new UserError(
      `${address} does not answer as Ray's job API does; name the dashboard's address in training.ray.address`,
      { cause: error },
    );
  }
}

/** Last lines of an error, after a Python call stack. */
function words({ status, text }: Answer): string {
  return `${status} ${text.trim().replace(/\s+/g, ' ').slice(-MAX_WORDS_CHARS)}`.trim();
}

function jobUrl({ address, submission_id }: RayHandle): string {
  return `${address}/api/jobs/${encodeURIComponent(submission_id)}`;
}

/** Exit code of jobs that Ray stops by SIGTERM. */
const SIGTERM_EXIT = 143;

function rayState({ status, message, driver_exit_code: code }: RayJob): JobState {
  const ended = (exitCode: number | null, said?: string): JobState => ({
    kind: 'ended',
    exitCode,
    outOfMemory: false,
    ...(said === undefined ? {} : { message: said }),
  });
  switch (status) {
    case 'PENDING':
      return { kind: 'queued', reason: message ?? '' };
    case 'RUNNING':
      return { kind: 'running' };
    case 'SUCCEEDED':
      return ended(0);
    case 'STOPPED':
      return ended(SIGTERM_EXIT);
    case 'FAILED':
      // The console already contains the entry point's output, which Ray's message repeats.
      if (code !== undefined && code !== null && code !== 0) return ended(code < 0 ? 128 - code : code);
      return ended(null, `Ray: ${message ?? 'the job failed'}`);
  }
}

/** Response to `POST /api/jobs/`. https://docs.ray.io, Ray Jobs REST API */
const raySubmittedSchema = z.object({ submission_id: z.string().min(1) });

/** Response to `GET /api/jobs/ID`; only the fields in use. */
const rayJobSchema = z.object({
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  /** Human-readable reason for waiting or failing. */
  message: z.string().nullish(),
  /** Exit code of the entry point; negative for a signal. Null if it never ran, or its machine was lost. */
  driver_exit_code: z.int().nullish(),
});
type RayJob = z.infer<typeof rayJobSchema>;
