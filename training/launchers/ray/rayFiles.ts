import { readFileSync } from 'node:fs';
import { shellWord } from '../../../base/shellWord.ts';
import type { JobFile, JobSize, RenderRequest } from '../../../contract/launcher.ts';
import { consoleFile, runScriptFile } from '../../render/runScript.ts';

/** The body that Ray's job API (`POST /api/jobs/`) takes. */
export const rayJobFile = 'ray-job.json';
/** Where Ray's own programs look for the dashboard's address; `RAY_ADDRESS` names the cluster, by another protocol. */
export const rayAddressVariable = 'RAY_API_SERVER_ADDRESS';
/** Sends it. */
export const raySubmitFile = 'submit.sh';
const rayMachinesFile = 'ray-machines.py';

/** The files of a Ray job. The cluster's machines must see the run folder at the same path. */
export function rayFiles(plan: JobSize, { training, run, job, jobFolder }: RenderRequest): JobFile[] {
  // A trainer that is built on Ray asks the cluster for machines and GPUs by itself.
  const isOne = plan.nodes === 1 || plan.rl !== undefined;
  const program = isOne
    ? `bash ${runScriptFile}`
    : `python3 ${rayMachinesFile} ${plan.nodes} ${plan.gpus_per_node}`;
  const request = {
    entrypoint: `cd -- ${shellWord(jobFolder)} && CONSOLE_FILE=${consoleFile} exec ${program}`,
    ...(isOne && !plan.rl && plan.gpus_per_node > 0 ? { entrypoint_num_gpus: plan.gpus_per_node } : {}),
    // Named, so that a job can be told from others; keys of trackers come from the cluster's own environment.
    metadata: { name: `${run}/${job}` },
  };
  return [
    { path: rayJobFile, text: `${JSON.stringify(request, null, 2)}\n` },
    { path: raySubmitFile, text: submitScript(training.ray.address) },
    ...(isOne ? [] : [{ path: rayMachinesFile, text: rayMachines() }]),
  ];
}

/** The dashboard's address without a slash at its end. */
export function rayAddress(address: string): string {
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

/** The driver of a job on several machines. */
function rayMachines(): string {
  return readFileSync(new URL('ray_machines.py', import.meta.url), 'utf8');
}
