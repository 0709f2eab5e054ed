import { execFile } from 'node:child_process';

/** Runs a program without any sandbox, in our own environment: what an attack could do there. Gives back stdout. */
export function runBarePython(program: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const options = { env, maxBuffer: 64 << 20 };
    execFile('/usr/bin/python3', ['-c', program], options, (_error, stdout) => resolve(stdout));
  });
}
