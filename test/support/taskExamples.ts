import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import type { Task } from '../../schemas/task.ts';
import type { TaskPreset } from '../../schemas/tasks/taskLayouts.ts';

/** A row of each data set in its published form, cut short, and the task that it is. */
export const taskExamples: readonly {
  readonly preset: TaskPreset;
  readonly profile: 'web' | 'mhqa' | 'code' | 'math';
  readonly row: JsonObject;
  readonly task: Partial<Task>;
}[] = readFileSync(path.join(import.meta.dirname, '../fixtures/taskPresets.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** As simple-evals encrypts a cell, or xbench-evals with the canary itself. */
export function encrypt(text: string, canary: string, cipher: 'sha256' | 'text' = 'sha256'): string {
  const key = cipher === 'text' ? Buffer.from(canary) : createHash('sha256').update(canary).digest();
  return Buffer.from(Buffer.from(text).map((byte, at) => byte ^ key[at % key.length]!)).toString('base64');
}
