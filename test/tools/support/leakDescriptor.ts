/** Started with a secret file open at descriptor 40: tries to read it from a bare and from a sandboxed Python. */
import { spawnSync } from 'node:child_process';
import { createBubblewrapSandbox } from '../../../tools/sandbox/createBubblewrapSandbox.ts';

const code = 'import os\nprint(os.pread(40, 100, 0).decode())';
const bare = spawnSync('/usr/bin/python3', ['-c', code], { encoding: 'utf8' }).stdout;
const sandbox = createBubblewrapSandbox({ memoryMb: 512, timeoutMs: 20_000, concurrency: 1 });
const sealed = await sandbox.run({ code, stdin: '' }, new AbortController().signal);
process.stdout.write(JSON.stringify({ bare, sealed: sealed.stdout }));
