import { type Attack, python } from './attack.ts';

/** Limit in the sandbox; starting Python on a busy machine takes a part of it. */
const TIMEOUT_MS = 4_000;

/** Programs that go on after their time, write without end, or report what is not so. */
export const outlasting: readonly Attack[] = [
  {
    name: 'ignores every signal and sleeps',
    timeoutMs: TIMEOUT_MS,
    program: python`
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
time.sleep(AFTER)
succeeded()`,
  },
  {
    name: 'catches every exception and goes on',
    timeoutMs: TIMEOUT_MS,
    program: python`
until = time.monotonic() + AFTER
while time.monotonic() < until:
    try: time.sleep(until - time.monotonic())
    except BaseException: pass
succeeded()`,
  },
  {
    name: 'ends while its child goes on writing to our pipe',
    timeoutMs: TIMEOUT_MS,
    program: python`
if os.fork() == 0:
    os.setsid()
    time.sleep(AFTER)
    succeeded()
os._exit(0)`,
  },
  {
    name: 'stops itself until a child wakes it',
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
  {
    name: 'writes 12 MB in one line',
    program: python`
for _ in range(12): os.write(1, b'x' * MB) == MB or os._exit(1)
succeeded()`,
  },
  {
    name: 'reports a status of its own on every descriptor',
    program: python`
report = b'{ "exit-code": 0 }\n'
for descriptor in range(3, 256):
    try: os.write(descriptor, report)
    except OSError: pass
os._exit(9)`,
    succeeded: ({ exitCode }) => exitCode === 0,
  },
];
