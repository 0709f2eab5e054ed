import { type Attack, python } from './attack.ts';

/** Programs that read or write files of the host. */
export const hostFiles: readonly Attack[] = [
  { name: 'reads a file of ours', program: python`if open(SECRET_FILE).read(): succeeded()` },
  {
    name: 'reads through its own root',
    program: python`if open('/proc/self/root' + SECRET_FILE).read(): succeeded()`,
  },
  {
    name: "reads through a host process's root",
    program: python`if open(f'/proc/{VICTIM}/root{SECRET_FILE}').read(): succeeded()`,
  },
  {
    name: 'climbs up from its working directory',
    program: python`if open('../' * 40 + SECRET_FILE).read(): succeeded()`,
  },
  {
    name: 'makes a hard link to a file of ours',
    program: python`
link = FOLDER + '/' + OWN
os.link(SECRET_FILE, link)
os.unlink(link)
succeeded()`,
  },
  {
    name: 'reads a descriptor that we were started with',
    program: python`if os.pread(40, 100, 0): succeeded()`,
  },
  {
    name: 'walks out of a folder whose descriptor we have',
    program: python`
os.fchdir(41)
os.chdir('..')
if os.path.basename(FOLDER) in os.listdir('.'): succeeded()`,
  },
  {
    name: 'writes into a folder of ours',
    program: python`
open(FOLDER + '/' + OWN, 'w').close()
os.unlink(FOLDER + '/' + OWN)
succeeded()`,
  },
  {
    name: 'writes to the system',
    needsRoot: true,
    program: python`
for folder in ['/', '/usr', '/usr/bin', '/usr/lib', '/etc', '/dev', '/lib', '/proc']:
    try: open(folder + '/' + OWN, 'w').close()
    except OSError: continue
    os.unlink(folder + '/' + OWN)
    succeeded()
    break`,
  },
  {
    name: 'changes the program that is run next',
    needsRoot: true,
    program: python`
# Opened for writing and left as it is: that is enough.
for path in [sys.prefix + '/lib/python3', os.__file__, '/usr/bin/python3-config', '/bin/ls']:
    try: os.close(os.open(path, os.O_WRONLY))
    except OSError: continue
    succeeded()
    break`,
  },
];
