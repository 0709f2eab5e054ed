"""Runs run.sh on several machines of a Ray cluster at once; they meet by torchrun's rendezvous.

    python3 ray-machines.py MACHINES GPUS

GPUS are those of each machine. Ray ends its own processes when a job is stopped, not those that they started on other
machines, so this program ends them itself; and the others when one machine has failed, for they would wait for it.
"""

import os
import signal
import socket
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

MACHINES, GPUS = map(int, sys.argv[1:])
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
        self.process = subprocess.Popen(["bash", "run.sh"], cwd=folder, env=environment, start_new_session=True)
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
        "CONSOLE_FILE": os.environ["CONSOLE_FILE"],
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
