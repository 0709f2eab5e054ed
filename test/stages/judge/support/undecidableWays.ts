/** Answers of mathematics that no rule can compare with 42, or only by endless work. None of them says 42. */
export const undecidableAnswers: readonly string[] = [
  ...[
    '99999999!',
    '9^{9^{9^9}}',
    '2^{100000}',
    '\\sin(10^{400})',
    '10^{10^{10}}',
    '1e400',
    '\\binom{10^9}{5}',
  ],
  ...[
    '(x+1)^{500}',
    'x^{x^{x}}',
    'i^{i^{i}}',
    '\\Gamma(0.5)',
    '\\tan(\\pi/2)',
    '\\arcsin(5)',
    '\\ln 0',
    '1/0',
  ],
  ...['0/0', '\\infty-\\infty', 'NaN', '41=42', '41<42', '(1,2,', '\\{7', '[7', '\\|7\\|', '\\left(', '||||'],
  ...[
    '\\int_0^1 x dx',
    '\\sum_{k=1}^{10} k',
    '\\prod x',
    '\\lim_{x\\to0}x',
    '\\sqrt[3]{',
    '\\overline{',
    '\\pm\\pm7',
  ],
  ...[
    '\\begin{pmatrix}1',
    '7 \\bmod 3',
    '7+o(1)',
    '5 \\text{ gallons}',
    '7_{99}x',
    '\u0000',
    '\ud800',
    '∞',
    '7+\\phantom{1}',
  ],
  ...['\\frac{1}{'.repeat(300), '7+'.repeat(1_500), '-'.repeat(2_500), '2^{'.repeat(100), '('.repeat(1_900)],
  `${'1'.repeat(1_999)}!`,
];

const printing = (line: string) =>
  `import os\nos.write(1, b"\\n@@judged@@ " + ${line} + b"\\n")\nos._exit(0)`;
const returning = (value: string, before = 'import os, sys') => `${before}\ndef f(n): return ${value}`;

/** Programs whose `f(2)` is not 42, and that would keep a judge from saying so. */
export const undecidablePrograms: Readonly<Record<string, string>> = {
  'a long text': returning('"x" * 3_600_000'),
  'a long list': returning('[10 ** 9] * 1_000_000'),
  'an empty line of the judge': printing('b""'),
  'an iterator without an end': returning('__import__("itertools").count()'),
  'a nested list': returning('a', 'a = 42\nfor _ in range(200_000): a = [a]'),
  'a list that is shared': returning('a', 'a = 42\nfor _ in range(60): a = [a, a]'),
  'a list in itself': returning('a', 'a = []\na.append(a)'),
  'not-a-number': returning('[float("nan")]'),
  'a decimal that signals': returning('__import__("decimal").Decimal("sNaN")'),
  'a long number': returning('1 << 12_000_000'),
  'a long number in digits': printing(`b'{"nodes":[["list",[],[' + b"9" * 3_000_000 + b']]],"given":[]}'`),
  'a fraction of long numbers': printing(
    `b'{"nodes":[["Fraction",["' + b"f" * 1_500_000 + b'","' + b"7" * 1_500_000 + b'"],[]],["list",[],[]],["tuple",[],[[0],[1]]],["list",[],[[2]]]],"given":[]}'`,
  ),
  'keys with one hash': returning('{i * (2 ** 61 - 1): 0 for i in range(60_000)}'),
  'a number of a range': returning('range(10 ** 18)'),
  'half characters': returning('"\\ud800" * 1000'),
  'bytes that are no text': returning('sys.stdout.buffer.write(bytes(range(256)) * 1000)'),
  'closed descriptors': returning('os.closerange(0, 256)'),
  'more processes': returning('[os.fork() for _ in range(99)]'),
  'the end of all processes': returning('os.kill(-1, 9)'),
  'a stopped process': returning('os.kill(os.getpid(), 19)'),
  'all memory': returning('bytearray(10 ** 12) or [0] * 10 ** 11'),
  'a view of all numbers': returning('numpy.broadcast_to(0, (10 ** 6, 10 ** 6))', 'import numpy'),
  'the status of the judge': returning('os._exit(77)'),
  'the other status of the judge': returning('os._exit(78)'),
  'an error without words': returning(
    'E(1)',
    'class E(Exception):\n    def __init__(self, n): raise self.__class__.__new__(E)\n    def __str__(self): raise SystemExit(0)',
  ),
  'a class that exits': returning(
    'E()',
    'class E:\n    @property\n    def __class__(self): raise SystemExit(0)',
  ),
  'a signal': returning('__import__("ctypes").string_at(0)'),
  'a flood': returning('sys.stderr.write("x" * 10 ** 8)'),
  brackets: `${'('.repeat(20_000)}`,
  'half a character': 'def f(n): return "\ud800\u0000"',
};
