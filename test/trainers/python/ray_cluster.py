"""Runs a program as the driver of a Ray cluster with two machines' worth of nodes: ray_cluster.py 'PROGRAM ARGUMENTS' [STOP_WHEN]

With STOP_WHEN the program gets SIGTERM as soon as that file is there. Prints how the program ended.
"""

import json
import os
import subprocess
import sys
import time

from ray.cluster_utils import Cluster

program, *stop_when = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
driver = subprocess.Popen([sys.executable, *program.split()], env={**os.environ, "RAY_ADDRESS": cluster.address})
while stop_when and driver.poll() is None:
    if os.path.exists(stop_when[0]):
        driver.terminate()
        break
    time.sleep(0.1)
code = driver.wait()
cluster.shutdown()
print(json.dumps({"code": code}))
