import { type Attack, python } from './attack.ts';

/** Programs that gain rights. */
export const privileges: readonly Attack[] = [
  {
    name: 'becomes root',
    needsRoot: true,
    program: python`
os.setresuid(0, 0, 0)
succeeded()`,
  },
  {
    name: 'becomes another user',
    needsRoot: true,
    program: python`
def become(uid):
    os.setresuid(uid, uid, uid)
    return True
try_all([lambda uid=uid: become(uid) for uid in (1, 30001, 65533)])`,
  },
  {
    name: 'may gain capabilities',
    program: python`
sets = [line.split()[1] for line in open('/proc/self/status') if line[:7] in ('CapPrm:', 'CapEff:', 'CapBnd:')]
if any(int(text, 16) for text in sets): succeeded()`,
  },
  {
    name: 'runs a setuid program of the system',
    program: python`
# It asks for a password, and gets none.
started = subprocess.Popen(['/usr/bin/su'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
try:
    for _ in range(300):
        uids = next(line.split()[1:] for line in open(f'/proc/{started.pid}/status') if line.startswith('Uid:'))
        if uids[1] == '0': break
        time.sleep(0.01)
    if uids[1] == '0': succeeded()
finally:
    started.kill()
    started.wait()`,
  },
  {
    name: 'plants a setuid program',
    needsRoot: true,
    program: python`
planted = '/tmp/' + OWN
shutil.copy('/usr/bin/id', planted)
try:
    os.chmod(planted, 0o4755)
    if os.fork() == 0:
        if os.getuid() == 0: os.setresuid(65534, 65534, 65534)
        os.execv(planted, [planted, '-u'])
        os._exit(1)
    os.wait()
    shown = subprocess.run(['/usr/bin/setpriv', '--reuid=65534', planted, '-u'], capture_output=True, text=True).stdout
    if shown == '0\n' and os.stat(planted).st_mode & 0o4000: succeeded()
finally: os.unlink(planted)`,
  },
];
