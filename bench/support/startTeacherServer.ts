import { type ForkedServer, forkServer } from './forkServer.ts';

/** What the teacher plays. */
export interface TeacherSettings {
  readonly configFile: string;
  readonly tasksFile: string;
  readonly latencyMs: number;
  /** As of {@link answerKeyOf}; with 1 it is a model that plays all roles alone, and says one text. */
  readonly steps?: number;
}

/** What the teacher saw; times by its own clock. */
export interface TeacherFigures {
  requests: number;
  mostAtOnce: number;
  firstInMs: number;
  lastOutMs: number;
  /** When the last rollout asked for the first time, and how many slots had been busy for how long by then, summed. */
  lastBegun: { readonly atMs: number; readonly busyMs: number } | undefined;
}

/** Starts a teacher of the benchmarks as a process of its own. */
export function startTeacherServer(
  settings: TeacherSettings,
): Promise<ForkedServer<TeacherFigures & { readonly busyMs: number }>> {
  return forkServer('teacherServer.ts', settings);
}
