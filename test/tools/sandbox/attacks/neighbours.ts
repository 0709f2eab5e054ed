import { attackTable, python } from './attack.ts';
import type { Targets } from './prelude.ts';

/**
 * The neighbour: runs beside all attacks of its world, in a sandbox of its own where there are sandboxes. It owns a
 * file, two sockets, and an argument and a variable by which it can be found, and it holds a lock on a program of the
 * system, which it opens now and then.
 */
export function neighbour({ neighbour: name }: Targets): string {
  const waits = python`
import os, socket, time
files = [socket.socket(socket.AF_UNIX) for _ in range(2)]
for file, address in zip(files, ['/tmp/${name}.sock', chr(0) + '${name}']):
    file.bind(address)
    file.listen()
open('/tmp/${name}', 'w').close()
try:
    import fcntl
    locked = open('/usr/bin/env')
    fcntl.flock(locked, fcntl.LOCK_EX)
except OSError: pass
while True:
    open('/usr/bin/env').close()
    time.sleep(0.1)`;
  return python`
import os
os.execve('/usr/bin/python3', ['python3', '-c', r'''${waits}''', '${name}'], {'NEIGHBOUR': '${name}'})`;
}

const finding = python`
def neighbours():
    for pid in os.listdir('/proc'):
        if not pid.isdigit() or int(pid) == os.getpid(): continue
        try:
            if TARGETS['neighbour'] in open(f'/proc/{pid}/cmdline').read().split('\0'): yield int(pid)
        except OSError: pass
`;

/** Programs that reach another sandbox of the same user. Without sandboxes the neighbour is just another process. */
export const neighbours = attackTable({
  "finds a neighbour's process": python`${finding}
if list(neighbours()): succeeded()`,
  "reads a neighbour's environment": python`${finding}
if any(TARGETS['neighbour'] in open(f'/proc/{pid}/environ').read() for pid in neighbours()): succeeded()`,
  'signals a neighbour': python`${finding}
for pid in neighbours():
    os.kill(pid, 0)
    succeeded()`,
  "finds a neighbour's file in /tmp": python`if TARGETS['neighbour'] in os.listdir('/tmp'): succeeded()`,
  'sees which programs others start': python`
IN_OPEN = 0x20
watch = check(libc.inotify_init1(os.O_NONBLOCK))
check(libc.inotify_add_watch(watch, b'/usr/bin/env', IN_OPEN))
if select.select([watch], [], [], 5)[0]: succeeded()`,
  "connects to a neighbour's socket in /tmp": python`
socket.socket(socket.AF_UNIX).connect('/tmp/' + TARGETS['neighbour'] + '.sock')
succeeded()`,
});
