import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server of the benchmarks, in a process of its own. */
export interface ForkedServer<Figures> {
  readonly baseUrl: string;
  /** What it saw so far; times by its own clock. */
  figures(): Promise<Figures>;
  close(): void;
}

/** Starts a program of this folder that says its port first, and its figures whenever it is asked. */
export async function forkServer<Figures>(program: string, settings: object): Promise<ForkedServer<Figures>> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const child = fork(file, [JSON.stringify(settings)]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async figures() {
      child.send('figures');
      const [figures] = (await once(child, 'message')) as [Figures];
      return figures;
    },
    close: () => child.disconnect(),
  };
}
