import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Tool } from '../../contract/tool.ts';
import type { ScriptEntry } from '../../schemas/teacherScript.ts';
import { judgeProgram } from '../../stages/judge/judgeAnswer.ts';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';
import { mapTests } from '../../stages/tasks/mapTests.ts';
import { createCodeTool, TIME_OUT_TEXT } from '../../tools/code/createCodeTool.ts';
import { createSandbox } from '../../tools/sandbox/createSandbox.ts';
import { readExample } from './support/examplesFolder.ts';
import { type PlayedSolution, playSolution } from './support/playSolution.ts';

const script = readExample<ScriptEntry>('quickstart.script.jsonl');
const played = new Map<ScriptEntry, PlayedSolution>();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox(
    {
      backend: 'auto',
      allow_unsafe: true,
      timeout_s: 60,
      memory_mb: 512,
      max_output_chars: 512,
      concurrency: 2,
    },
    () => {},
  );
  const toolsWithin = (timeoutMs: number): ReadonlyMap<string, Tool> => {
    const tool = createCodeTool({ sandbox, timeoutMs, shown: { maxChars: 512, cut: 'head' } });
    return new Map([[tool.name, tool]]);
  };
  const entries = script.filter(({ profile }) => profile === 'math' || profile === 'code');
  // Only what never ends is waited for: the others may take their time on a busy machine.
  const limitOf = ({ flaw }: ScriptEntry) => (flaw === 'hanging_code' ? 5_000 : 60_000);
  await Promise.all(
    entries.map(async (entry) => played.set(entry, await playSolution(entry, toolsWithin(limitOf(entry))))),
  );
});
afterAll(() => sandbox.close());

describe('the programs of the solutions, run in the sandbox', () => {
  test('run without an error and print less than the agent is shown', () => {
    for (const [entry, { observations }] of played) {
      const failed = observations.filter((text) => !/^\[EXECUTED\][\s\S]*\[STDOUT:END\]$/.test(text));
      expect(failed, entry.question).toEqual(entry.flaw === 'hanging_code' ? [TIME_OUT_TEXT] : []);
    }
  });

  test('print every value that the words around them use', () => {
    for (const [entry, { steps }] of played) {
      const text = JSON.stringify(steps.map((step) => (step.action === 'tool' ? step.think : step)));
      expect(text, entry.question).not.toMatch(/\{\{\w+\}\}|\bunknown\b/);
    }
  });

  test('differ from each other within a solution, unless the same one is planted twice', () => {
    for (const [entry, { inputs }] of played) {
      const distinct = new Set(inputs.map((input) => JSON.stringify(input)));
      expect(distinct.size < inputs.length, entry.question).toBe(entry.flaw === 'redundant_query');
    }
  });
});

describe('the answers of the solutions', () => {
  test('to problems of mathematics are right, unless a wrong one is planted', () => {
    const rows = readExample<{ question: string; answer: string }>('tasks/math.jsonl');
    const golds = new Map(rows.map(({ question, answer }) => [question, answer]));
    for (const [entry, { answer }] of played) {
      if (entry.profile !== 'math') continue;
      const { judgement } = judgeMath(answer, golds.get(entry.question)!, 1e-9);
      const expected = entry.flaw === 'wrong_answer' ? 'incorrect' : 'correct';
      expect(judgement, `${entry.question}: ${answer}`).toBe(expected);
    }
  });

  test('to programming tasks pass the tests, unless a wrong one is planted', async () => {
    const rows = readExample<{ question: string; tests: JsonValue }>('tasks/code.jsonl');
    const tests = new Map(rows.map((row) => [row.question, row.tests]));
    const kinds = new Set<string>();
    for (const [entry, { answer }] of played) {
      if (entry.profile !== 'code' || entry.flaw === 'duplicate_question') continue;
      const mapped = mapTests(tests.get(entry.question)!, {
        func_name: undefined,
        starter_code: undefined,
        import_prefix: undefined,
      });
      if (!mapped || 'problem' in mapped) throw new Error(mapped?.problem ?? 'no tests');
      kinds.add(mapped.kind);
      const settings = {
        sandbox,
        timeoutMs: 10_000,
        reruns: 1,
        outputTolerance: 1e-6,
        signal: new AbortController().signal,
      };
      const finding = await judgeProgram(answer, mapped, settings);
      expect(finding.passed === finding.tests, entry.question).toBe(entry.flaw !== 'wrong_answer');
    }
    expect([...kinds].sort()).toEqual(['functional', 'stdin']);
  });
});
