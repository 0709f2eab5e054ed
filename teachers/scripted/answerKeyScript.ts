import type { PlantedRates } from '../../schemas/config/teacher.ts';
import { questionKey } from '../../schemas/questionKey.ts';
import type { Task } from '../../schemas/task.ts';
import type { PlantedRecord } from '../../schemas/teacherScript.ts';
import { answerKeyEntry } from './answerKey/answerKeyEntry.ts';
import { chooseFlaw } from './answerKey/chooseFlaw.ts';
import type { PlantedScript } from './plantedScript.ts';

/**
 * Plays any tasks with known answers. Holds the tasks in memory, and makes each solution when it is asked for. A
 * question that comes again under the same profile is a planted duplicate.
 */
export function answerKeyScript(tasks: Iterable<Task>, rates: PlantedRates, seed: number): PlantedScript {
  const byQuestion = new Map<string, Task>();
  const seen = new Set<string>();
  const truth: PlantedRecord[] = [];
  for (const task of tasks) {
    const { question, profile } = task;
    if (!byQuestion.has(question)) byQuestion.set(question, task);
    const key = questionKey(profile, question);
    const flaw = seen.has(key) ? 'duplicate_question' : chooseFlaw(task.id, profile, rates, seed);
    seen.add(key);
    truth.push({ question, profile, flaw });
  }
  return {
    find(question) {
      const task = byQuestion.get(question);
      return task && answerKeyEntry(task, rates, seed);
    },
    planted: () => truth,
  };
}
