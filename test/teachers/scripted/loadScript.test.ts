import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import type { ScriptEntry } from '../../../schemas/teacherScript.ts';
import { loadScript } from '../../../teachers/scripted/loadScript.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const question = 'Who founded the harbour of Vell?';
const entry: ScriptEntry = {
  question,
  profile: 'mhqa',
  flaw: null,
  steps: [{ action: 'answer', think: 'Known.', answer: 'Bo Ferrin' }],
};

function scriptFile(text: string): string {
  const path = join(temporaryFolder(), 'script.jsonl');
  writeFileSync(path, text);
  return path;
}

describe('a script file', () => {
  test('is read line by line; each rollout is played the next solution of its question', async () => {
    const second = { ...entry, flaw: 'refusal' };
    const script = await loadScript(scriptFile(`${JSON.stringify(entry)}\n\n${JSON.stringify(second)}\n`));
    expect([0, 1, 2].map((rollout) => script.find(question, rollout)?.flaw)).toEqual([null, 'refusal', null]);
    expect(script.find(question, 0)).toEqual(entry);
    expect(script.find('Another one?', 0)).toBeUndefined();
  });

  test.each([
    ['{"question": ', /script.jsonl:2: not JSON/],
    ['{"question": "x"}', /script.jsonl:2: no scripted solution.*profile/],
    [
      JSON.stringify({
        ...entry,
        steps: [{ action: 'tool', tool: 't', think: 't', input: {}, extract: { a: '(' } }],
      }),
      /:2: extract "\("/,
    ],
  ])('names the line of a mistake: %s', async (line, message) => {
    const path = scriptFile(`${JSON.stringify(entry)}\n${line}\n`);
    await expect(loadScript(path)).rejects.toThrow(message);
    await expect(loadScript(path)).rejects.toThrow(UserError);
  });

  test('that is missing is named', async () => {
    await expect(loadScript('/none.jsonl')).rejects.toThrow(/can't read the script .*none.jsonl/);
  });
});
