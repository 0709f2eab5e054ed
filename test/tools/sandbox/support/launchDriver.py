"""Starts the driver (see driver.ts) with everything that a sandboxed program could inherit, then gives up root.

launchDriver.py FOLDER USER_ID BINDS COMMAND...

The driver gets FOLDER as working directory, a file and a folder of it and a file to append to as descriptors 40 to
42, and a controlling terminal. Where USER_ID is not ours, it runs as that user. BINDS, a
JSON list of [folder, mount point], shows it folders that may be where only we may look.
"""
import ctypes
import fcntl
import json
import os
import pty
import sys
import termios

folder, user_id, binds, *command = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def bind_folders(binds):
    """Shows each folder at its mount point, to this process and its children alone."""
    CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 4096, 16384, 1 << 18
    check(libc.unshare(CLONE_NEWNS))
    check(libc.mount(None, b'/', None, MS_REC | MS_PRIVATE, None))
    for source, mount_point in binds:
        check(libc.mount(source.encode(), mount_point.encode(), None, MS_BIND | MS_REC, None))


def become(uid):
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def leave_descriptors():
    opened = [
        os.open('secret', os.O_RDONLY),
        os.open('.', os.O_RDONLY | os.O_DIRECTORY),
        os.open('appended', os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666),
    ]
    for target, descriptor in zip(range(40, 43), opened):
        os.dup2(descriptor, target, inheritable=True)
        os.close(descriptor)


os.chdir(folder)
if binds != '[]':
    bind_folders(json.loads(binds))
terminal, controlled = pty.openpty()
driver = os.fork()
if driver == 0:
    os.close(terminal)
    os.setsid()
    fcntl.ioctl(controlled, termios.TIOCSCTTY, 0)
    os.close(controlled)
    if int(user_id) != os.getuid():
        become(int(user_id))
    leave_descriptors()
    os.execv(command[0], command)
os.close(controlled)
# The driver's input is the tests' alone: when they close it, the driver ends.
os.close(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(driver, 0)[1]))
