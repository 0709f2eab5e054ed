import { testDataPath } from './testData.ts';

/** A task file in a layout that AFM released. */
export interface TaskFile {
  readonly path: string;
  readonly preset: 'afm_livecodebench' | 'afm_math' | 'nq';
  readonly profile: 'code' | 'math' | 'mhqa';
  readonly rows: number;
}

/** Small files of our own in those layouts, written by makeTaskFiles.py. */
export const taskFiles: readonly TaskFile[] = [
  { path: testDataPath('tasks/aime24.parquet'), preset: 'afm_math', profile: 'math', rows: 6 },
  { path: testDataPath('tasks/math500.parquet'), preset: 'afm_math', profile: 'math', rows: 42 },
  {
    path: testDataPath('tasks/livecodebench_v4.parquet'),
    preset: 'afm_livecodebench',
    profile: 'code',
    rows: 6,
  },
  { path: testDataPath('tasks/nq.jsonl'), preset: 'nq', profile: 'mhqa', rows: 20 },
];
