import { type Attack, python } from './attack.ts';

/** Programs that leave something for the next one, or stay themselves. */
export const leftovers: readonly Attack[] = [
  {
    name: 'leaves a file in /tmp',
    before: python`open('/tmp/' + OWN, 'w').close()`,
    program: python`
os.unlink('/tmp/' + OWN)
succeeded()`,
  },
  {
    name: 'leaves a module that the next Python loads',
    before: python`
import site
os.makedirs(site.getusersitepackages(), exist_ok=True)
with open(site.getusersitepackages() + '/usercustomize.py', 'w') as file: file.write('planted = True')`,
    program: python`
import usercustomize
os.unlink(usercustomize.__file__)
if usercustomize.planted: succeeded()`,
  },
  {
    name: 'leaves a listening process',
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
  {
    name: 'leaves a process when it ends',
    program: python`
subprocess.Popen(['/usr/bin/sleep', MARKER], start_new_session=True, stdin=subprocess.DEVNULL,
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(0.2)`,
    succeeded: ({ leftProcess }) => leftProcess,
  },
  {
    name: 'leaves a process when it is cut off',
    timeoutMs: 4_000,
    program: python`
nothing = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
subprocess.Popen(['/usr/bin/setsid', '--fork', '/usr/bin/sleep', MARKER], **nothing).wait()
time.sleep(AFTER)`,
    succeeded: ({ leftProcess }) => leftProcess,
  },
];
