import type { Task, TaskTests } from '../../../schemas/task.ts';
import { pythonText, pythonTextList, testsAtHand } from './toolSteps.ts';

/** What the answer-key teacher answers when it means to be right: a gold answer, or a program that passes the tests. */
export function rightAnswer(task: Task): string {
  const { domain, answers } = task;
  const tests = testsAtHand(task);
  if (domain === 'code' && tests) return lookUpProgram(tests);
  // A bar would make several answers of one.
  return answers.find((answer) => !answer.includes('|')) ?? answers[0] ?? '';
}

/** An answer that no judge can take for a right one. */
export function wrongAnswer(task: Task): string {
  const { domain, answers } = task;
  if (domain === 'code') return failingProgram(testsAtHand(task));
  return domain === 'math' ? wrongNumber(answers[0] ?? '') : wrongWords(answers);
}

/** For gold answers that are not plain numbers. */
const improbableNumber = '98765.4321';

/** More than twice as far from zero as the gold number, so no tolerance reaches it. */
function wrongNumber(gold: string): string {
  if (/^-?\d+$/.test(gold)) {
    const value = BigInt(gold);
    return String(value + (value < 0n ? -value : value) + 1n);
  }
  return /^-?\d+\.\d+$/.test(gold) ? String(Number(gold) + Math.abs(Number(gold)) + 1) : improbableNumber;
}

const strayWords = [
  'quizzical umbrellas',
  'forgotten zeppelins',
  'marmalade thunderstorms',
  'velvet periscopes',
];

/** Words that stand in no gold answer, so that even a partial match is 0. */
function wrongWords(answers: readonly string[]): string {
  const taken = new Set(
    answers
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u),
  );
  const free = strayWords.find((words) => words.split(' ').every((word) => !taken.has(word)));
  return free ?? 'zzyzx';
}

/**
 * A Python program that passes a task's tests by looking their inputs up, for task files that have tests but no
 * solutions.
 */
export function lookUpProgram(tests: TaskTests): string {
  return tests.kind === 'stdin' ? stdinProgram(tests.cases) : functionalProgram(tests);
}

/** A Python program that fails every test of a task. */
export function failingProgram(tests: TaskTests | undefined): string {
  if (tests?.kind !== 'functional') return 'print("this is not the output that was asked for")';
  return `class Solution:
    def __getattr__(self, name):
        return lambda *args, **kwargs: object()
${aliasLine(tests.func_name)}`.trimEnd();
}

function stdinProgram(cases: readonly { stdin: string; expected_output: string }[]): string {
  return `import sys

INPUTS = ${pythonTextList(cases.map((one) => one.stdin))}
OUTPUTS = ${pythonTextList(cases.map((one) => one.expected_output))}

def key(text):
    return "\\n".join(line.rstrip() for line in text.strip().splitlines())

table = {key(stdin): output for stdin, output in zip(INPUTS, OUTPUTS)}
sys.stdout.write(table.get(key(sys.stdin.read()), ""))`;
}

/**
 * The checks are run once against a probe that learns which arguments they pass and what they compare the result
 * with, however they spell it; the real calls then look their arguments up.
 */
function functionalProgram({ checks, func_name }: Extract<TaskTests, { kind: 'functional' }>): string {
  return `import copy

CHECKS = ${pythonTextList(checks)}
table = {}

def key(args, kwargs):
    return repr((args, sorted(kwargs.items())))

class Probe:
    def __init__(self, call):
        self.call = call

    def __eq__(self, expected):
        table.setdefault(self.call, expected)
        return True

    def __sub__(self, expected):
        table.setdefault(self.call, expected)
        return 0

class Recorder:
    def __getattr__(self, name):
        return lambda *args, **kwargs: Probe(key(args, kwargs))

class Solution:
    def __getattr__(self, name):
        return lambda *args, **kwargs: copy.deepcopy(table.get(key(args, kwargs)))

def learn(check):
    recorder = Recorder()
    names = {"Solution": Recorder, "nan": float("nan"), "inf": float("inf")}
${func_name ? `    names[${pythonText(func_name)}] = recorder.call\n` : ''}    try:
        exec(check, names)
    except Exception:
        pass

for check in CHECKS:
    learn(check)
${aliasLine(func_name)}`.trimEnd();
}

/** Checks may call the function by its bare name. */
function aliasLine(name: string | undefined): string {
  return name && /^[A-Za-z_]\w*$/.test(name) ? `${name} = getattr(Solution(), ${pythonText(name)})\n` : '';
}
