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
    name: 'leaves its groups',
    needsRoot: true,
    program: python`
os.setgroups([4, 6])
succeeded()`,
  },
  {
    name: 'may gain capabilities',
    program: python`
sets = [line.split()[1] for line in open('/proc/self/status') if line[:7] in ('CapPrm:', 'CapEff:', 'CapBnd:')]
if any(int(text, 16) for text in sets): succeeded()`,
  },
  {
    name: 'may gain rights by starting a program',
    program: python`
PR_GET_NO_NEW_PRIVS = 39
if check(libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)) == 0: succeeded()`,
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
  {
    name: 'plants a program with capabilities',
    needsRoot: true,
    program: python`
planted = '/tmp/' + OWN
shutil.copy('/usr/bin/id', planted)
try:
    # VFS_CAP_REVISION_2, effective; CAP_NET_RAW permitted
    os.setxattr(planted, 'security.capability', struct.pack('<5I', 0x02000001, 1 << 13, 0, 0, 0))
    succeeded()
finally: os.unlink(planted)`,
  },
  {
    name: 'gives a file to another user',
    needsRoot: true,
    program: python`
path = '/tmp/' + OWN
open(path, 'w').close()
try:
    os.chown(path, 1, 1)
    succeeded()
finally: os.unlink(path)`,
  },
];
