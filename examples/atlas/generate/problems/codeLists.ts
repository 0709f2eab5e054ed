import { type CodeProblem, joined, labelled, program } from './problem.ts';

const longestRise = program`
  import sys

  def longest_rise(levels):
      best = run = 1 if levels else 0
      for before, after in zip(levels, levels[1:]):
          run = run + 1 if after > before else 1
          best = max(best, run)
      return best

  numbers = list(map(int, sys.stdin.read().split()))
  print(longest_rise(numbers[1:numbers[0] + 1]))
`;

const tripsFunction = program`
  def trips(capacity, cars):
      count, room = 0, 0
      for length in cars:
          if length > room:
              count += 1
              room = capacity
          room -= length
      return count
`;

const ferryTrips = joined(
  'import sys',
  tripsFunction,
  program`
  data = list(map(int, sys.stdin.read().split()))
  capacity, n = data[0], data[1]
  print(trips(capacity, data[2:2 + n]))
`,
);

const flags = program`
  from itertools import groupby

  signal = input().strip()
  print("".join(flag + str(len(list(run))) for flag, run in groupby(signal)))
`;

/** Lists and strings, read from standard input. */
export const codeLists: readonly CodeProblem[] = [
  {
    question:
      'A tide gauge reports n water levels. Print the length of the longest stretch of consecutive reports in which the level rises strictly from each report to the next. The first line of the input holds n (0 <= n <= 100000), the second the n integers. For n = 0 print 0.',
    plan: '1. Walk through the levels once and keep the length of the current rise.\n2. Remember the longest one.\n3. Test a normal list and an empty one.',
    trials: [
      {
        think:
          'One pass with two counters is enough. I run it on a list whose longest rise, 1 4 6 9, has length 4.',
        code: longestRise,
        stdin: '8\n5 1 4 6 9 2 3 3\n',
        extract: { rise: '^(\\d+)$' },
        reflection:
          'It prints {{rise}}, as I counted by hand. Equal neighbours at the end did not count as a rise.',
      },
      {
        think: 'The case without reports could fail at the start value, so I try it on its own.',
        code: longestRise,
        stdin: '0\n\n',
        extract: { empty: '^(\\d+)$' },
        reflection:
          'The empty list gives {{empty}}. The program needs linear time, which is fine for the limit.',
      },
    ],
    conclusion:
      'Normal and empty input behave as the task demands ({{rise}} and {{empty}}), so this is the program.',
    tests: {
      stdin: ['8\n5 1 4 6 9 2 3 3\n', '0\n\n', '5\n5 4 3 2 1\n'],
      expected_output: ['4\n', '0\n', '1\n'],
    },
    solution: longestRise,
  },
  {
    question:
      'Cars board a ferry in the order in which they wait. The ferry has a deck of given length and leaves as soon as the next car does not fit any more; an empty ferry is back at once. Print the number of trips. The first line of the input holds the deck length and the number of cars, the second the lengths of the cars, each at most the deck length.',
    plan: '- keep the room that is left on the deck\n- start a new trip whenever the next car is longer than that\n- check an example and the borders',
    trials: [
      {
        think:
          'The rule is greedy by its wording, so a single loop does it. In the example 4+4, 5+3+2 and 6 travel together.',
        code: ferryTrips,
        stdin: '10 6\n4 4 5 3 2 6\n',
        extract: { trips: '^(\\d+)$' },
        reflection: 'The program counts {{trips}} trips, which matches the example that I worked out.',
      },
      {
        think:
          'A deck that is filled exactly must not start a trip too many, and no cars mean no trip. I test the function on both.',
        code: joined(
          tripsFunction,
          program`
          print("exact:", trips(10, [5, 5, 10]))
          print("none:", trips(10, []))
          print("many:", trips(7, [4] * 1000))
        `,
        ),
        extract: { exact: labelled('exact'), none: labelled('none'), many: labelled('many') },
        reflection:
          'Exact fits take {{exact}} trips, no cars {{none}}, and a thousand cars that do not pair up {{many}}.',
      },
    ],
    conclusion: 'The borders are right, so I hand in the loop that reads its input.',
    tests: {
      stdin: ['10 6\n4 4 5 3 2 6\n', '10 3\n5 5 10\n', '7 0\n\n'],
      expected_output: ['3\n', '2\n', '0\n'],
    },
    solution: ferryTrips,
  },
  {
    question:
      'A signal is a line of flags, written as a word of lower-case letters. Print it in short form: each run of equal flags as the letter followed by the length of the run. For instance aaab becomes a3b1.',
    plan: 'Group equal neighbours, write letter and length, and try single letters and long runs.',
    trials: [
      {
        think: 'The standard library groups neighbours for me. The example from the task comes first.',
        code: flags,
        stdin: 'aaab\n',
        extract: { short: '^([a-z0-9]+)$' },
        reflection: 'The result is {{short}}, as in the task.',
      },
      {
        think: 'Runs of ten and more have lengths of two digits, and letters may come back later.',
        code: flags,
        stdin: 'zzzzzzzzzzzzabaz\n',
        extract: { long: '^([a-z0-9]+)$' },
        reflection: 'With {{long}} the long run and the returning letters are right.',
      },
    ],
    conclusion: 'Both outputs, {{short}} and {{long}}, are what the rule asks for.',
    tests: {
      stdin: ['aaab\n', 'q\n', 'zzzzzzzzzzzzabaz\n'],
      expected_output: ['a3b1\n', 'q1\n', 'z12a1b1a1z1\n'],
    },
    solution: flags,
  },
];
