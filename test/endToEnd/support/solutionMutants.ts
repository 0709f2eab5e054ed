import type { TaskTests } from '../../../schemas/task.ts';

/** A way to spoil any solution, and what it must be refused for. */
export interface Mutant {
  readonly title: string;
  /** Undefined where it can't be made for such tests. */
  spoil(solution: string, tests: TaskTests): string | undefined;
  /** What the evidence says came. */
  readonly got: (tests: TaskTests) => RegExp;
  /** The test that fails, from 0; the first where absent. */
  readonly failing?: (tests: TaskTests) => number;
  /** True for those that use up a limit: they are tried on a few tasks. */
  readonly isCostly?: true;
}

const forStdin =
  (spoil: (solution: string, tests: Extract<TaskTests, { kind: 'stdin' }>) => string | undefined) =>
  (solution: string, tests: TaskTests) =>
    tests.kind === 'stdin' ? spoil(solution, tests) : undefined;

const before = (lines: string) => (solution: string) => `${lines}\n${solution}`;

/** A solution that returns what an expression gives, with the name that the check calls. */
const returning = (expression: string) => (_solution: string, tests: TaskTests) =>
  tests.kind === 'functional'
    ? `class Solution:\n    def ${tests.func_name}(self, *_):\n        return ${expression}`
    : undefined;

/** Mutants of every solution. */
export const mutants: readonly Mutant[] = [
  {
    title: 'wrong on the last case alone',
    spoil: forStdin((solution, { cases }) => {
      if (new Set(cases.map(({ expected_output }) => expected_output.trim())).size === 1) return undefined;
      const last = JSON.stringify(cases.at(-1)!.stdin);
      return `import io, sys\ngiven = sys.stdin.read()\nif given == ${last}:\n    print("wrong")\n    sys.exit()\nsys.stdin = io.StringIO(given)\n${solution}`;
    }),
    got: () => /^wrong\n$/,
    failing: (tests) => (tests.kind === 'stdin' ? tests.cases.length - 1 : 0),
  },
  {
    title: 'printing extra words',
    spoil: forStdin((solution) => `${solution}\nprint("done")`),
    got: () => /\ndone\n$/,
  },
  {
    title: 'printing for a child process too',
    spoil: forStdin(
      (solution) =>
        `${solution}\nimport os, sys\nsys.stdout.flush()\nif os.fork() == 0:\n    print("child")\nelse:\n    os.wait()`,
    ),
    got: () => /\nchild\n$/,
  },
  {
    title: 'reading the expected output from a file',
    spoil: before('open("/tests/expected_output").read()'),
    got: () => /^exit status 1: FileNotFoundError/,
  },
  {
    title: 'reading the expected value from its own file',
    spoil: returning('eval(re.search("result [=]= (.*), f", open("/tmp/main.py").read())[1])'),
    got: () => /^exit status 1: TypeError: 'NoneType' object is not subscriptable$/,
  },
  {
    title: 'returning what equals everything',
    spoil: returning('type("Anything", (), {"__eq__": lambda *_: True})()'),
    got: () => /^exit status 1: AssertionError: Expected /,
  },
  {
    title: 'ending early with status 0',
    spoil: before('import os\nos._exit(0)'),
    got: ({ kind }) => (kind === 'stdin' ? /^$/ : /^the program ended before the check$/),
  },
  {
    title: 'forking for ever',
    spoil: before('import os\nwhile True:\n    os.fork()'),
    got: () => /^exit status 1: BlockingIOError/,
    isCostly: true,
  },
  {
    title: 'asking for too much memory',
    spoil: before('hoard = bytearray(10 ** 11)'),
    got: () => /^exit status 1: MemoryError$/,
    isCostly: true,
  },
  {
    title: 'printing for ever',
    spoil: before('while True:\n    print("and on")'),
    got: () => /^too much output$/,
    isCostly: true,
  },
  {
    title: 'slow, asleep',
    spoil: before('import time\ntime.sleep(60)'),
    got: () => /^no end within the time limit$/,
    isCostly: true,
  },
  {
    title: 'slow, at work',
    spoil: before('while True:\n    pass'),
    got: () => /^no end within the time limit$/,
    isCostly: true,
  },
];
