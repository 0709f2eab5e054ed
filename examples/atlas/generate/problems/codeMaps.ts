import { type CodeProblem, joined, labelled, program } from './problem.ts';

const islands = program`
  import sys

  def count_islands(rows):
      land = {(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "#"}
      islands = 0
      while land:
          islands += 1
          shore = [land.pop()]
          while shore:
              y, x = shore.pop()
              for spot in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                  if spot in land:
                      land.remove(spot)
                      shore.append(spot)
      return islands

  print(count_islands(sys.stdin.read().split()[1:]))
`;

const route = program`
  import sys
  from collections import deque

  def fewest_legs(n, legs):
      neighbours = [[] for _ in range(n + 1)]
      for a, b in legs:
          neighbours[a].append(b)
          neighbours[b].append(a)
      distance = {1: 0}
      queue = deque([1])
      while queue:
          port = queue.popleft()
          for other in neighbours[port]:
              if other not in distance:
                  distance[other] = distance[port] + 1
                  queue.append(other)
      return distance.get(n, -1)

  data = list(map(int, sys.stdin.read().split()))
  n, m = data[0], data[1]
  print(fewest_legs(n, list(zip(data[2:2 + 2 * m:2], data[3:3 + 2 * m:2]))))
`;

const mergeWatches = program`
  def merge_watches(watches):
      merged = []
      for start, end in sorted(watches):
          if merged and start <= merged[-1][1]:
              merged[-1] = (merged[-1][0], max(merged[-1][1], end))
          else:
              merged.append((start, end))
      return merged
`;

/** Grids and graphs, read from standard input. */
export const codeMaps: readonly CodeProblem[] = [
  {
    question:
      'A sea chart is given as h lines of equal length, in which # is land and . is water. Land that touches at an edge belongs to one island; corners do not join. Print the number of islands. The first line of the input holds h (1 <= h <= 200).',
    plan: '1. Collect all land squares.\n2. Remove one island after another by flooding it.\n3. Test corners, and a chart without land.',
    trials: [
      {
        think:
          'A set of squares and a stack avoid deep recursion. The small chart has two islands that touch at a corner only, and a third one.',
        code: islands,
        stdin: '3\n##..\n..#.\n#...\n',
        extract: { found: '^(\\d+)$' },
        reflection: 'It finds {{found}} islands, so corners do not join.',
      },
      {
        think: 'Open sea must give zero. I also want to see that a long winding island stays one.',
        code: islands,
        stdin: '5\n#####\n....#\n#####\n#....\n#####\n',
        extract: { winding: '^(\\d+)$' },
        reflection: 'The winding coast counts as {{winding}}, and the loop body never runs on open sea.',
      },
    ],
    conclusion: 'Flooding works for corners and for winding shapes.',
    tests: {
      stdin: ['3\n##..\n..#.\n#...\n', '2\n...\n...\n', '5\n#####\n....#\n#####\n#....\n#####\n'],
      expected_output: ['3\n', '0\n', '1\n'],
    },
    solution: islands,
  },
  {
    question:
      'There are n ports, numbered from 1, and m ferry lines, each between two ports and in both directions. Print the smallest number of ferry rides that lead from port 1 to port n, or -1 if there is no way. The first line of the input holds n and m, each of the next m lines two ports.',
    plan: 'Breadth-first search from port 1. Check a detour against a short cut, then unreachable ports, then n = 1.',
    trials: [
      {
        think:
          'All rides count the same, so breadth-first search gives the smallest number. The example has a long way of four rides and a short one of two.',
        code: route,
        stdin: '5 6\n1 2\n2 3\n3 4\n4 5\n1 3\n3 5\n',
        extract: { rides: '^(-?\\d+)$' },
        reflection: 'The search takes the short cut with {{rides}} rides.',
      },
      {
        think: 'Now two groups of ports without a line between them.',
        code: route,
        stdin: '4 2\n1 2\n3 4\n',
        extract: { apart: '^(-?\\d+)$' },
        reflection:
          'The answer for separate groups is {{apart}}, as it should be. Port 1 itself has distance 0 from the start.',
      },
    ],
    conclusion: 'The search handles short cuts ({{rides}}) and missing connections ({{apart}}).',
    tests: {
      stdin: ['5 6\n1 2\n2 3\n3 4\n4 5\n1 3\n3 5\n', '4 2\n1 2\n3 4\n', '1 0\n'],
      expected_output: ['2\n', '-1\n', '0\n'],
    },
    solution: route,
  },
  {
    question:
      'Write a function merge_watches(watches) that takes a list of pairs (start, end) with start < end, the hours in which keepers are on duty, and returns the list of hours covered as pairs in ascending order, where overlapping and touching pairs are joined.',
    plan: '- sort by start\n- extend the last pair while the next one begins within it or at its end\n- test nesting and touching pairs',
    trials: [
      {
        think:
          'After sorting, a new pair can only join the last one. I print the result for overlapping pairs in mixed order.',
        code: joined(
          mergeWatches,
          program`
          print("mixed:", merge_watches([(8, 12), (1, 3), (2, 5), (20, 22)]))
        `,
        ),
        extract: { mixed: labelled('mixed') },
        reflection: 'The pairs come out as {{mixed}}, in order and joined where they overlap.',
      },
      {
        think: 'Nested and touching pairs are where such code goes wrong.',
        code: joined(
          mergeWatches,
          program`
          print("nested:", merge_watches([(1, 10), (2, 3), (4, 5)]))
          print("touching:", merge_watches([(1, 2), (2, 4)]))
          print("none:", merge_watches([]))
        `,
        ),
        extract: { nested: labelled('nested'), touching: labelled('touching') },
        reflection: 'Nested pairs give {{nested}} and touching ones {{touching}}.',
      },
    ],
    conclusion: 'The function does what is asked, and the input list is left as it was.',
    tests: {
      functional: `result = merge_watches([(8, 12), (1, 3), (2, 5), (20, 22)])
assert result == [(1, 5), (8, 12), (20, 22)], f"Expected [(1, 5), (8, 12), (20, 22)], but got {repr(result)}"

result = merge_watches([(1, 2), (2, 4)])
assert result == [(1, 4)], f"Expected [(1, 4)], but got {repr(result)}"

result = merge_watches([])
assert result == [], f"Expected [], but got {repr(result)}"
`,
    },
    solution: mergeWatches,
  },
];
