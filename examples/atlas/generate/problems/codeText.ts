import { type CodeProblem, joined, labelled, program } from './problem.ts';

const rigging = program`
  line = input().strip()
  partner = {")": "(", "]": "[", "}": "{"}
  open_marks = []
  fault = 0
  for place, mark in enumerate(line, start=1):
      if mark in "([{":
          open_marks.append(mark)
      elif not open_marks or open_marks.pop() != partner[mark]:
          fault = place
          break
  if fault == 0 and open_marks:
      fault = len(line) + 1
  print("ok" if fault == 0 else fault)
`;

const sharedStart = program`
  def shared_start(names):
      if not names:
          return ""
      low, high = min(names), max(names)
      length = 0
      while length < len(low) and length < len(high) and low[length] == high[length]:
          length += 1
      return low[:length]
`;

const turnWatch = program`
  def turn_watch(crew, k):
      if not crew:
          return []
      k %= len(crew)
      return crew[k:] + crew[:k]
`;

/** Text and simple functions. */
export const codeText: readonly CodeProblem[] = [
  {
    question:
      'A rigging plan is a line of the marks ( ) [ ] { and }. It is sound when every mark that opens is closed by its partner in the right order. Print ok for a sound plan. Otherwise print the place, from 1, of the first mark that closes wrongly; if the line merely ends too early, print its length plus one.',
    plan: '1. Keep the open marks on a stack.\n2. Stop at the first closing mark without its partner.\n3. At the end the stack must be empty.\n4. Try one line of each kind.',
    trials: [
      {
        think: 'The stack decides everything. A line with a wrong partner at place 4 comes first.',
        code: rigging,
        stdin: '([{)]}\n',
        extract: { wrong: '^(\\w+)$' },
        reflection: 'The fault is reported at {{wrong}}, where the round mark closes a curly one.',
      },
      {
        think: 'A line that ends too early should give its length plus one, here 5.',
        code: rigging,
        stdin: '()[(\n',
        extract: { early: '^(\\w+)$' },
        reflection: 'It prints {{early}}. A sound line leaves the stack empty and takes the other branch.',
      },
      {
        think: 'Last, a sound line with all kinds of marks.',
        code: rigging,
        stdin: '{[()()]}[]\n',
        extract: { sound: '^(\\w+)$' },
        reflection: 'The sound line gives {{sound}}.',
      },
    ],
    conclusion: 'All three kinds of line give what the task says: {{wrong}}, {{early}} and {{sound}}.',
    tests: {
      stdin: ['([{)]}\n', '()[(\n', '{[()()]}[]\n'],
      expected_output: ['4\n', '5\n', 'ok\n'],
    },
    solution: rigging,
  },
  {
    question:
      'Write a function shared_start(names) that returns the longest string with which all names in the list begin; the empty string for an empty list.',
    plan: 'Compare only the smallest and the largest name in alphabetical order, since all others lie between them. Test an empty list and a list of one.',
    trials: [
      {
        think: 'If the extremes share a beginning, so does everything between them.',
        code: joined(
          sharedStart,
          program`
          print("ports:", shared_start(["harbour", "harvest", "hardy", "harp"]))
        `,
        ),
        extract: { ports: labelled('ports') },
        reflection: 'The four names share {{ports}}.',
      },
      {
        think: 'I compare with a slow version on random short names, and look at the special lists.',
        code: joined(
          sharedStart,
          program`
          import random

          def slow(names):
              return max((names[0][:k] for k in range(len(names[0]) + 1) if all(n.startswith(names[0][:k]) for n in names)), key=len)

          rng = random.Random(3)
          lists = [["".join(rng.choices("ab", k=rng.randint(0, 5))) for _ in range(3)] for _ in range(2000)]
          print("wrong:", sum(shared_start(l) != slow(l) for l in lists))
          print("special:", repr(shared_start([])), repr(shared_start(["quay"])))
        `,
        ),
        extract: { wrong: labelled('wrong'), special: labelled('special') },
        reflection:
          'There are {{wrong}} deviations in two thousand lists, and the special lists give {{special}}.',
      },
    ],
    conclusion: 'The comparison of the extremes is correct.',
    tests: {
      functional: `result = shared_start(["harbour", "harvest", "hardy", "harp"])
assert result == 'har', f"Expected 'har', but got {repr(result)}"

result = shared_start([])
assert result == '', f"Expected '', but got {repr(result)}"

result = shared_start(["sail", "oar"])
assert result == '', f"Expected '', but got {repr(result)}"
`,
    },
    solution: sharedStart,
  },
  {
    question:
      'Write a function turn_watch(crew, k) that returns the crew list after k changes of watch; at each change the first member of the list goes to its end. k may be much larger than the list, and the list may be empty.',
    plan: 'Only the remainder of k by the length matters. Slice the list there; keep clear of division by zero.',
    trials: [
      {
        think:
          'Slicing at k modulo the length moves all of them at once. I compare with doing it step by step.',
        code: joined(
          turnWatch,
          program`
          def slow(crew, k):
              crew = list(crew)
              for _ in range(k):
                  crew.append(crew.pop(0))
              return crew

          print("same:", all(turn_watch(list("abcde"), k) == slow("abcde", k) for k in range(30)))
        `,
        ),
        extract: { same: labelled('same') },
        reflection: 'Same result as step by step for thirty values of k: {{same}}.',
      },
      {
        think: 'Left are the empty crew and an enormous k.',
        code: joined(
          turnWatch,
          program`
          print("empty:", turn_watch([], 4))
          print("huge:", turn_watch(["ada", "ben", "cy"], 10 ** 18))
        `,
        ),
        extract: { empty: labelled('empty'), huge: labelled('huge') },
        reflection: 'The empty crew stays {{empty}}, and the huge number of changes gives {{huge}}.',
      },
    ],
    conclusion: 'The slice is right in all cases.',
    tests: {
      functional: `result = turn_watch(["ada", "ben", "cy"], 1)
assert result == ['ben', 'cy', 'ada'], f"Expected ['ben', 'cy', 'ada'], but got {repr(result)}"

result = turn_watch([], 4)
assert result == [], f"Expected [], but got {repr(result)}"

result = turn_watch(["ada", "ben", "cy"], 10 ** 18)
assert result == ['ben', 'cy', 'ada'], f"Expected ['ben', 'cy', 'ada'], but got {repr(result)}"
`,
    },
    solution: turnWatch,
  },
];
