/** What the attacks aim at; all of it belongs to the test. */
export interface Targets {
  /** A file that only we may read. */
  readonly secretFile: string;
  /** A folder that everybody may write to. */
  readonly openFolder: string;
  /** A value in our environment. */
  readonly secretVariable: string;
  /** A TCP port that listens on the loopback. */
  readonly port: number;
  /** An abstract unix socket that listens. */
  readonly socketName: string;
  /** The process that runs the tests. */
  readonly pid: number;
}

/** A program that prints SUCCEEDED when it gets what it wants. */
export interface Attack {
  readonly name: string;
  program(targets: Targets): string;
  /** Limit in the sandbox, where being cut off is the point. */
  readonly timeoutMs?: number;
}

const attack = (name: string, program: Attack['program'], timeoutMs?: number): Attack => ({
  name,
  program,
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

/** Programs that must succeed in bare Python and fail in the sandbox. All are harmless where they succeed. */
export const attacks: readonly Attack[] = [
  attack('sees /etc/shadow', () => `import os\nos.stat('/etc/shadow')\nprint('SUCCEEDED')`),
  attack('sees /root', () => `import os\nos.stat('/root')\nprint('SUCCEEDED')`),
  attack('reads a file of ours', ({ secretFile }) => `open('${secretFile}').read()\nprint('SUCCEEDED')`),
  attack(
    'finds our environment in any process',
    ({ secretVariable }) => `
import glob
for path in glob.glob('/proc/*/environ'):
    try: text = open(path).read()
    except OSError: continue
    if '${secretVariable}' in text: print('SUCCEEDED')`,
  ),
  attack(
    'signals the process that runs it',
    ({ pid }) => `import os\nos.kill(${pid}, 0)\nprint('SUCCEEDED')`,
  ),
  attack(
    'connects to the loopback',
    ({ port }) => `import socket\nsocket.create_connection(('127.0.0.1', ${port}), 2)\nprint('SUCCEEDED')`,
  ),
  attack(
    'connects to an abstract unix socket',
    ({ socketName }) =>
      `import socket\nsocket.socket(socket.AF_UNIX).connect('\\0${socketName}')\nprint('SUCCEEDED')`,
  ),
  attack(
    'starts 60 processes',
    () => `
import os, time
children = []
try:
    for _ in range(60):
        child = os.fork()
        if child == 0:
            time.sleep(0.5)
            os._exit(0)
        children.append(child)
    print('SUCCEEDED')
finally:
    for child in children: os.kill(child, 9)`,
  ),
  attack('allocates 2 GB', () => `import mmap\nmemory = mmap.mmap(-1, 2 << 30)\nprint('SUCCEEDED')`),
  attack(
    'writes outside /tmp',
    ({ openFolder }) => `
for folder in ['${openFolder}', '/', '/usr', '/dev', '/dev/shm', '/var/tmp', '/run']:
    try: open(folder + '/coa-attack', 'w').close()
    except OSError: continue
    print('SUCCEEDED')`,
  ),
  attack(
    'writes a file of 20 MB',
    ({ openFolder }) => `
import os
folder = '${openFolder}' if os.path.exists('${openFolder}') else '/tmp'
with open(folder + '/large', 'wb') as file: file.write(bytes(20 << 20))
print('SUCCEEDED')`,
  ),
  attack('opens 200 files', () => `files = [open('/dev/null') for _ in range(200)]\nprint('SUCCEEDED')`),
  attack(
    'makes a user namespace',
    () => `
import ctypes
CLONE_NEWUSER = 0x10000000
assert ctypes.CDLL(None).unshare(CLONE_NEWUSER) == 0
print('SUCCEEDED')`,
  ),
  attack(
    'writes 8 MB of output',
    () => `
import sys
for _ in range(8): sys.stdout.write('x' * (1 << 20))
print('SUCCEEDED')`,
  ),
  attack(
    'outlives its time by ignoring signals',
    () => `
import signal, time
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
time.sleep(2)
print('SUCCEEDED')`,
    1500,
  ),
];
