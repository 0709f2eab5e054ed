import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the teacher plays. */
export interface TeacherSettings {
  readonly configFile: string;
  readonly tasksFile: string;
  readonly latencyMs: number;
}

/** What the teacher saw; times by its own clock. */
export interface TeacherFigures {
  requests: number;
  mostAtOnce: number;
  firstInMs: number;
  lastOutMs: number;
  /** When the last task asked for the first time, and how many slots had been busy for how long by then, summed. */
  lastBegun: { readonly atMs: number; readonly busyMs: number } | undefined;
}

/** A teacher that is running. */
export interface TeacherServer {
  readonly baseUrl: string;
  figures(): Promise<TeacherFigures & { readonly busyMs: number }>;
  close(): void;
}

/** Starts a teacher of the benchmarks as a process of its own. */
export async function startTeacherServer(settings: TeacherSettings): Promise<TeacherServer> {
  const file = fileURLToPath(new URL('teacherServer.ts', import.meta.url));
  const child = fork(file, [JSON.stringify(settings)]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async figures() {
      child.send('figures');
      const [figures] = await once(child, 'message');
      return figures;
    },
    close: () => child.disconnect(),
  };
}
