"""Tries to break each promise of a sandbox from inside: what got through by the promise's name, or null, as JSON.

What to reach comes as JSON on the standard input; whoever is not kept out finds it there.
"""

import ctypes
import errno
import glob
import json
import os
import resource
import socket
import sys
import time

TARGETS = json.load(sys.stdin)


def network():
    for family, address in [(socket.AF_INET, ("127.0.0.1", TARGETS["port"])), (socket.AF_UNIX, "\0" + TARGETS["socketName"])]:
        try:
            socket.socket(family).connect(address)
            return "a socket of this machine was reached"
        except OSError:
            pass
    names = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
    others = [name for name in names if name != "lo"]
    return f"there are network interfaces: {others}" if others else None


def host_files():
    for path in [TARGETS["file"], "/etc/passwd", "/root", "/home", "/var", "/run"]:
        if os.path.exists(path):
            return f"{path} is there"
    for folder in ["/", "/usr", "/dev", "/usr/tmp"]:
        try:
            open(folder + "/coa-probe", "w").close()
            return f"{folder} can be written"
        except OSError:
            pass


def environment():
    known = {"PATH", "HOME", "LANG", "PWD", "PYTHONHASHSEED", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            names = {entry.split("=")[0] for entry in open(path, errors="replace").read().split("\0") if entry}
        except OSError:
            continue
        if names - known:
            return f"variables of others are there: {sorted(names - known)}"


def other_processes():
    seen = [name for name in os.listdir("/proc") if name.isdigit()]
    if len(seen) > 4:
        return f"{len(seen)} processes are in sight"
    if TARGETS["pid"] > 100:
        try:
            os.kill(TARGETS["pid"], 0)
            return "a process of ours could be signalled"
        except OSError as error:
            if error.errno != errno.ESRCH:
                return "a process of ours is in sight"


def kernel_calls():
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    if int(status["CapEff"], 16):
        return "there are capabilities"
    if status["NoNewPrivs"].strip() != "1":
        return "set-uid programs have effect"
    if status["Seccomp"].strip() != "2":
        return "no filter of system calls is on"
    if ctypes.CDLL(None).unshare(0x10000000) == 0:
        return "a namespace could be made"


def process_count():
    children = []
    try:
        for _ in range(40):
            child = os.fork()
            if child == 0:
                time.sleep(10)
                os._exit(0)
            children.append(child)
        return "40 processes were started"
    except OSError:
        pass
    finally:
        for child in children:
            os.kill(child, 9)
        for child in children:
            os.waitpid(child, 0)


def file_size():
    try:
        with open("large", "wb") as file:
            file.write(bytes(2 << 20))
        return "a file of twice the limit was written"
    except OSError:
        pass
    finally:
        os.remove("large")


def disk():
    try:
        for n in range(16):
            with open(f"part{n}", "wb") as file:
                file.write(bytes(900 << 10))
        return "files of three times the limit were written"
    except OSError:
        pass
    finally:
        for path in glob.glob("part*"):
            os.remove(path)


def open_files():
    try:
        files = [open("/dev/null") for _ in range(100)]
        return f"{len(files)} files were opened"
    except OSError:
        pass


def cpu():
    limit = resource.getrlimit(resource.RLIMIT_CPU)[0]
    return None if limit == TARGETS["cpuSeconds"] else f"RLIMIT_CPU is {limit}"


def found(look):
    try:
        return look()
    except Exception as error:
        return f"the look at it failed: {error!r}"


looks = [network, host_files, environment, other_processes, kernel_calls, process_count, file_size, disk, open_files, cpu]
print(json.dumps({look.__name__: found(look) for look in looks}))
