import type { AnswerKeyOptions } from '../../test/support/answerKey/answerKeyOf.ts';
import { type ForkedServer, forkServer } from './forkServer.ts';

/** What the teacher plays. */
export interface TeacherSettings extends AnswerKeyOptions {
  readonly configFile: string;
  readonly latencyMs: number;
  /** 1: a model that plays all roles alone, and writes one text. */
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
