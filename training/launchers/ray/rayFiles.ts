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
  const program = isOne ? `bash ${runScriptFile}` : `python3 ${rayMachinesFile}`;
  const request = {
    entrypoint: `cd -- ${shellWord(jobFolder)} && CONSOLE_FILE=${consoleFile} exec ${program}`,
    ...(isOne && !plan.rl && plan.gpus_per_node > 0 ? { entrypoint_num_gpus: plan.gpus_per_node } : {}),
    // Named, so that a job can be told from others; keys of trackers come from the cluster's own environment.
    metadata: { name: `${run}/${job}` },
  };
  return [
    { path: rayJobFile, text: `${JSON.stringify(request, null, 2)}\n` },
    { path: raySubmitFile, text: submitScript(training.ray.address) },
    ...(isOne ? [] : [{ path: rayMachinesFile, text: rayMachinesProgram(plan) }]),
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

/**
 * The driver of a Ray job on several machines. Ray ends its own processes when a job is stopped, not those that they
 * started on other machines, so the program ends them itself; and the others when one machine has failed, for they would
 * wait for it.
 */
function rayMachinesProgram({ nodes, gpus_per_node: gpus }: JobSize): string {
  return `"""Runs ${runScriptFile} on ${nodes} machines of a Ray cluster at once; they meet by torchrun's rendezvous."""

import os
import signal
import socket
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

MACHINES = ${nodes}
GPUS = ${gpus}
# To end by itself after SIGTERM.
GRACE_SECONDS = 30


# Two calls at a time: the second one stops the first.
@ray.remote(num_cpus=1, num_gpus=GPUS, max_concurrency=2)
class Machine:
    process = None

    def endpoint(self):
        with socket.socket() as free:
            free.bind(("", 0))
            return f"{ray.util.get_node_ip_address()}:{free.getsockname()[1]}"

    def train(self, folder, environment):
        environment = {**os.environ, **environment}
        self.process = subprocess.Popen(["bash", "${runScriptFile}"], cwd=folder, env=environment, start_new_session=True)
        return self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            try:
                self.process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)


def start(machines):
    environment = {
        "RDZV_ENDPOINT": ray.get(machines[0].endpoint.remote()),
        "RDZV_ID": ray.get_runtime_context().get_job_id(),
        "CONSOLE_FILE": "${consoleFile}",
    }
    return [machine.train.remote(os.getcwd(), environment) for machine in machines]


def main():
    ray.init()
    bundle = {"CPU": 1, "GPU": GPUS} if GPUS else {"CPU": 1}
    group = placement_group([bundle] * MACHINES, strategy="STRICT_SPREAD")
    ray.get(group.ready())
    machines = [
        Machine.options(scheduling_strategy=PlacementGroupSchedulingStrategy(group, index)).remote()
        for index in range(MACHINES)
    ]
    try:
        running = start(machines)
        while running:
            ended, running = ray.wait(running)
            if code := ray.get(ended[0]):
                sys.exit(code if code > 0 else 128 - code)
    finally:
        # Also after SIGTERM, which Ray makes an exception. A lost machine must not keep the others from stopping.
        stops = [machine.stop.remote() for machine in machines]
        ray.wait(stops, num_returns=len(stops), timeout=2 * GRACE_SECONDS)


main()
`;
}
