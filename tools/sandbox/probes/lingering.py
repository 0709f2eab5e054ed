"""Leaves a process that outlives it, known by the argument on the standard input, and itself never ends."""

import subprocess
import sys
import time

subprocess.Popen(["/usr/bin/sleep", sys.stdin.read()], start_new_session=True)
time.sleep(1000)
