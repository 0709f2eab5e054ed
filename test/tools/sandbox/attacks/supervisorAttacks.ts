import { attackTable, python } from './attack.ts';

/**
 * Programs that end or confuse what supervises them inside the sandbox; outside, that would be the machine's process 1.
 * Whatever they do is their own doing: a run that ends as a failure of the sandbox would let a program end its task
 * without blame.
 */
export const supervisorAttacks = attackTable({
  'kills all it can reach': python`
for pid in (1, os.getppid(), -1):
    for number in (signal.SIGTERM, signal.SIGKILL):
        try: os.kill(pid, number)
        except OSError: pass`,
  'kills itself': python`os.kill(os.getpid(), signal.SIGKILL)`,
  'closes every descriptor': python`
os.closerange(0, 1024)
os._exit(3)`,
  'writes reports to every descriptor': python`
for descriptor in range(3, 1024):
    for report in (b'{"child-pid": 1}\n{"exit-code": "x"}\n', b'\0' * 5000):
        try: os.write(descriptor, report)
        except OSError: pass
os._exit(5)`,
  'looks like a sandbox that could not start': python`
print('bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted', file=sys.stderr)
print('[F][2026-01-01T00:00:00+0000][1] runChild():483 Launching child process failed', file=sys.stderr)
os._exit(1)`,
  'ends with the status of a sandbox that could not start': python`os._exit(255)`,
  'writes over the memory of what supervises it': python`
for pid in (1, os.getppid()):
    try:
        for line in open(f'/proc/{pid}/maps').readlines():
            span, rights = line.split()[:2]
            if 'w' not in rights: continue
            first, last = (int(edge, 16) for edge in span.split('-'))
            with open(f'/proc/{pid}/mem', 'r+b', 0) as memory:
                memory.seek(first)
                memory.write(b'\xff' * (last - first))
    except OSError: pass`,
});
