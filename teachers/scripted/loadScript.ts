import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { readProblem } from '../../base/files/diskError.ts';
import { safeParseLine } from '../../base/rows/repeatedKey.ts';
import { UserError } from '../../base/userError.ts';
import { type ScriptEntry, scriptEntrySchema } from '../../schemas/teacherScript.ts';
import type { ScriptSource } from './createChatHandler.ts';

/**
 * Reads a script: JSONL, one solution per line, held in memory. Several solutions to one question are played to its
 * rollouts in turn.
 * @throws UserError naming the file and the line.
 */
export async function loadScript(path: string): Promise<ScriptSource> {
  const entries: ScriptEntry[] = [];
  let lineNumber = 0;
  try {
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      lineNumber += 1;
      if (line.trim() !== '') entries.push(parseLine(line, `${path}:${lineNumber}`));
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    const reason = error instanceof Error ? readProblem(error) : String(error);
    throw new UserError(`can't read the script ${path}: ${reason}`, { cause: error });
  }
  const byQuestion = Map.groupBy(entries, ({ question }) => question);
  return {
    find(question, rollout) {
      const solutions = byQuestion.get(question);
      return solutions?.[rollout % solutions.length];
    },
  };
}

function parseLine(line: string, where: string): ScriptEntry {
  const json = safeParseLine(line);
  if (!json.ok) throw new UserError(`${where}: ${json.error}`);
  const parsed = scriptEntrySchema.safeParse(json.value);
  if (parsed.success) {
    for (const pattern of patterns(parsed.data)) checkPattern(pattern, where);
    return parsed.data;
  }
  throw new UserError(
    `${where}: no scripted solution: ${z.prettifyError(parsed.error).replace(/\s+/g, ' ')}`,
  );
}

function patterns({ steps }: ScriptEntry): string[] {
  return steps.flatMap((step) => (step.action === 'tool' ? Object.values(step.extract ?? {}) : []));
}

function checkPattern(pattern: string, where: string): void {
  try {
    new RegExp(pattern, 'm');
  } catch (error) {
    throw new UserError(
      `${where}: extract "${pattern}" is not a regular expression: ${(error as Error).message}`,
    );
  }
}
