import type { Task, TaskTests } from '../../../schemas/task.ts';
import type { ToolStep } from './solutionOutline.ts';

const angles = ['overview', 'history', 'details', 'sources', 'facts'] as const;

/** Searches for a question's words from several angles, none asked twice. */
export function searchCalls(tool: string, subject: string, count: number): ToolStep[] {
  return angles.slice(0, count).map((angle, index) => ({
    action: 'tool',
    tool,
    think: `Search ${index + 1}: look for ${angle} of ${subject}.`,
    input: { query: index === 0 ? subject : `${subject} ${angle}` },
  }));
}

/** Web searches, the first followed by a look at the best page that it found. */
export function webCalls(subject: string): ToolStep[] {
  const [first, ...others] = searchCalls('web_search', subject, angles.length);
  const look: ToolStep = {
    action: 'tool',
    tool: 'crawl_page',
    think: 'The first result looks like the best page; read it.',
    // The page's name alone is taken from the result: where nothing was found, the URL stays one that can be asked for.
    input: { urls: ['http://atlas.example/{{page}}.html'] },
  };
  return [{ ...first!, extract: { page: '\\]\\(http://[^/)\\s]+/([^)\\s]+?)\\.html\\)' } }, look, ...others];
}

/** Programs that look at a mathematical result from several sides; each runs and prints. */
export function mathCalls(candidate: string): ToolStep[] {
  const value = `candidate = ${pythonText(candidate)}`;
  return codeSteps([
    ['state the result', `${value}\nprint(candidate)`],
    ['see how it is written', `${value}\nprint(len(candidate), "characters")`],
    ['look for stray spaces', `${value}\nprint(candidate == candidate.strip())`],
    [
      'see whether it is a plain number',
      `${value}\nprint(candidate.lstrip("-").replace(".", "", 1).isdigit())`,
    ],
    [
      'check that its brackets match',
      `${value}\nprint(all(candidate.count(a) == candidate.count(b) for a, b in ("()", "[]", "{}")))`,
    ],
  ]);
}

/** Programs that look at a task's examples, then run the candidate program on them. */
export function candidateCalls(task: Task, candidate: string): ToolStep[] {
  const tests = testsAtHand(task);
  const examples = examplesOf(tests);
  const example = `example = ${pythonText(examples[0] ?? '')}`;
  const run = tests?.kind === 'functional' ? `${candidate}\n\n${examples[0]}` : candidate;
  const stdin = tests?.kind === 'stdin' ? { stdin: examples[0]! } : {};
  return [
    ...codeSteps([
      ['look at the first example', `${example}\nprint(example[:200])`],
      ['see how long it is', `${example}\nprint(len(example.splitlines()), "lines")`],
      ['count its words', `${example}\nprint(len(example.split()), "words")`],
      ['see which characters it uses', `${example}\nprint(len(set(example)), "different characters")`],
    ]),
    ...codeSteps([['run the program on the first example', run]], stdin),
  ];
}

function examplesOf(tests: TaskTests | undefined): readonly string[] {
  if (!tests) return [];
  return tests.kind === 'functional' ? tests.checks : tests.cases.map((one) => one.stdin);
}

/** A program that never ends. */
export const endlessCall: ToolStep = {
  action: 'tool',
  tool: 'code',
  think: 'Try every number until one fits.',
  input: { code: 'number = 0\nwhile True:\n    number += 1' },
};

/** A program that prints what no dataset should hold. */
export const tellingCall: ToolStep = {
  action: 'tool',
  tool: 'code',
  think: 'Look at the settings that the programs run with.',
  input: { code: 'print("key AKIA" + "Q7Z2" * 4, "of grace.hopper@mail.example.org")' },
};

/** A call with another wording of the same input: a query's words in the opposite order, a program with a remark. */
export function reworded(call: ToolStep): ToolStep {
  const { query, code } = call.input;
  const again = typeof query === 'string' ? { query: query.split(' ').reverse().join(' ') } : {};
  const remarked = typeof code === 'string' ? { code: `# once more\n${code}` } : {};
  return { ...call, input: { ...call.input, ...again, ...remarked } };
}

function codeSteps(
  programs: readonly (readonly [aim: string, code: string])[],
  more: { readonly stdin?: string } = {},
): ToolStep[] {
  return programs.map(([aim, code]) => ({
    action: 'tool',
    tool: 'code',
    think: `Run a short program to ${aim}.`,
    input: { code, ...more },
  }));
}

/**
 * A Python string literal of a text, in ASCII without `<` and backticks: no answer of a task can then close a fence,
 * look like a tag, or change under Unicode normalisation.
 */
export function pythonText(text: string): string {
  const body = Array.from(text, (character) => escaped(character)).join('');
  return `"${body}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  if (character === '"' || character === '\\') return `\\${character}`;
  if (character === '\n') return '\\n';
  if (code >= 0x20 && code < 0x7f && character !== '<' && character !== '`') return character;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A Python list of string literals, a line each. */
export function pythonTextList(texts: readonly string[]): string {
  return `[\n${texts.map((text) => `    ${pythonText(text)},\n`).join('')}]`;
}

/** A task's tests, for answers that look them up. Whoever reads tasks for an answer key reads stored tests too. */
export function testsAtHand({ id, tests }: Task): TaskTests | undefined {
  if (tests?.kind === 'stored') throw new Error(`the tests of task ${id} were not read`);
  return tests;
}
