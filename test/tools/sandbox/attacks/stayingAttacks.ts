import { attackTable, python } from './attack.ts';

/** Programs that leave something for the next one, or stay themselves. */
export const leftovers = attackTable({
  'leaves a file in /tmp': {
    before: python`open('/tmp/' + OWN, 'w').close()`,
    program: python`
os.unlink('/tmp/' + OWN)
succeeded()`,
  },
  'leaves a module that the next Python loads': {
    before: python`
import site
os.makedirs(site.getusersitepackages(), exist_ok=True)
with open(site.getusersitepackages() + '/usercustomize.py', 'w') as file: file.write('planted = True')`,
    program: python`
import usercustomize
os.unlink(usercustomize.__file__)
if usercustomize.planted: succeeded()`,
  },
  'leaves a listening process': {
    before: python`
ready, listens = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind('\0' + OWN)
        listening.listen()
        os.write(listens, b'y')
        null = os.open('/dev/null', os.O_RDWR)
        for descriptor in range(4): os.dup2(null, descriptor)
        for descriptor in (ready, listens): os.close(descriptor)
        time.sleep(30)
    os._exit(0)
os.close(listens)
os.read(ready, 1)`,
    program: python`
socket.socket(socket.AF_UNIX).connect('\0' + OWN)
succeeded()`,
  },
  'leaves a process when it ends': {
    program: python`
subprocess.Popen(['/usr/bin/sleep', MARKER], start_new_session=True, stdin=subprocess.DEVNULL,
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(0.2)`,
    succeeded: ({ leftProcess }) => leftProcess,
  },
  'leaves a process when it is cut off': {
    timeoutMs: 4_000,
    program: python`
nothing = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.Popen(['/usr/bin/setsid', '--fork', '/usr/bin/sleep', MARKER], **nothing).wait()
time.sleep(AFTER)`,
    succeeded: ({ leftProcess }) => leftProcess,
  },
});

/** Limit in the sandbox; starting Python on a busy machine takes a part of it. */
const TIMEOUT_MS = 4_000;

/** Programs that go on after their time, write without end, or report what is not so. */
export const outlasting = attackTable({
  'ignores every signal and sleeps': {
    timeoutMs: TIMEOUT_MS,
    program: python`
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
time.sleep(AFTER)
succeeded()`,
  },
  'catches every exception and goes on': {
    timeoutMs: TIMEOUT_MS,
    program: python`
until = time.monotonic() + AFTER
while time.monotonic() < until:
    try: time.sleep(until - time.monotonic())
    except BaseException: pass
succeeded()`,
  },
  'ends while its child goes on writing to our pipe': {
    timeoutMs: TIMEOUT_MS,
    program: python`
if os.fork() == 0:
    os.setsid()
    time.sleep(AFTER)
    succeeded()
os._exit(0)`,
  },
  'stops itself until a child wakes it': {
    timeoutMs: TIMEOUT_MS,
    program: python`
parent = os.getpid()
if os.fork() == 0:
    os.setsid()
    time.sleep(AFTER)
    os.kill(parent, signal.SIGCONT)
    os._exit(0)
os.kill(parent, signal.SIGSTOP)
succeeded()`,
  },
  'writes 12 MB in one line': python`
for _ in range(12): os.write(1, b'x' * MB) == MB or os._exit(1)
succeeded()`,
  'reports a status of its own on every descriptor': {
    program: python`
report = b'{ "exit-code": 0 }\n'
for descriptor in range(3, 256):
    try: os.write(descriptor, report)
    except OSError: pass
os._exit(9)`,
    succeeded: ({ exitCode }) => exitCode === 0,
  },
});
