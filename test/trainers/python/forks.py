"""Runs programs in processes that have modules loaded: forks.py MODULE...

Each line of the standard input is a program, {"args", "folder", "env", "output"}: what Python itself would be started
with, and the file for what it prints. A line on descriptor 3 is its exit status.
At the end it removes the folder that it was started in.
"""

import gc
import importlib
import json
import os
import pathlib
import runpy
import shutil
import sys


def become(folder, env, output, **_):
    """Makes this process one that was started with these."""
    os.close(3)
    files = [os.open(os.devnull, os.O_RDONLY), os.open(output, os.O_WRONLY | os.O_CREAT)]
    for descriptor, file in enumerate([files[0], files[1], files[1]]):
        os.dup2(file, descriptor)
    sys.stdin = os.fdopen(0)
    os.chdir(folder)
    # What the modules set stays.
    for name in started_with:
        os.environ.pop(name, None)
    os.environ.update(env)
    if "datasets" in sys.modules:
        # Its caches are this program's own, too.
        sys.modules["datasets"].config.HF_DATASETS_CACHE = pathlib.Path(env["HF_HOME"], "datasets")


def run(args):
    if args[0] == "-m":
        sys.argv = args[1:]
        sys.path[0] = os.getcwd()
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = args
        sys.path[0] = os.path.dirname(args[0])
        runpy.run_path(args[0], run_name="__main__")


def serve():
    """Returns in the process of a program: what this does next is its own."""
    for line in sys.stdin:
        program = json.loads(line)
        pid = os.fork()
        if pid == 0:
            become(**program)
            return program["args"]
        _, status = os.waitpid(pid, 0)
        os.write(3, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    shutil.rmtree(os.getcwd())
    return None


if __name__ == "__main__":
    started_with = list(os.environ)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    # What is loaded stays: a fork need not look through it, nor copy it.
    gc.freeze()
    args = serve()
    if args:
        run(args)
