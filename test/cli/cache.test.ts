import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseSealed, sealedLine } from '../../base/journal/sealed.ts';
import { cachedAnswerSchema } from '../../schemas/run/cachedAnswer.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { createProject } from './support/project.ts';
import { type CliResult, runCli, runWell } from './support/runCli.ts';

const cwd = sharedFolder();
const cache = (...args: string[]): Promise<CliResult> => runCli(['cache', ...args], { cwd });

beforeAll(async () => {
  createProject({ folder: cwd });
  await runWell(['run', '--until', 'rollout'], { cwd });
});

describe('cache', () => {
  test('stats counts what export writes, by run, folder and file', async () => {
    const exported = await cache('export', 'coa');
    const answers = exported.stdout
      .trimEnd()
      .split('\n')
      .map((line) => cachedAnswerSchema.parse(parseSealed(Buffer.from(line))));
    for (const which of ['coa', 'runs/coa', 'runs/coa/cache.sqlite']) {
      const stats = JSON.parse((await cache('stats', which, '--json')).stdout);
      expect(stats).toMatchObject({ file: join(cwd, 'runs/coa/cache.sqlite'), answers: answers.length });
      const count = (kind: string) => answers.filter((answer) => answer.kind === kind).length;
      expect(stats.groups).toEqual([
        expect.objectContaining({ kind: 'model', name: 'scripted-teacher', answers: count('model') }),
        expect.objectContaining({
          kind: 'tool',
          name: 'wiki_search',
          answers: count('tool'),
          prompt_tokens: 0,
        }),
      ]);
      expect(stats.groups[0].completion_tokens).toBeGreaterThan(0);
    }
    const shown = (await cache('stats', 'coa')).stdout;
    expect(shown).toMatch(/^.*cache\.sqlite: \d+ answers/);
    expect(shown).toMatch(/^model +scripted-teacher +local +\d+/m);
  });

  test('stats shows names without what they would do to a terminal', async () => {
    const [line] = (await cache('export', 'coa')).stdout.split('\n');
    const name = 'a\u001b[2J\u001b]0;owned\u0007b';
    const { checksum, ...answer } = JSON.parse(line!);
    writeFileSync(join(cwd, 'hostile.jsonl'), `${sealedLine({ ...answer, name })}\n`);
    expect((await cache('import', 'hostile.sqlite', 'hostile.jsonl')).code).toBe(0);
    const { stdout } = await cache('stats', 'hostile.sqlite');
    expect(stdout).toContain('owned');
    expect([...stdout].filter((character) => character < ' ' && character !== '\n')).toEqual([]);
  });
});
