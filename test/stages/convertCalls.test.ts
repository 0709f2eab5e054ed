import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ConvertConfig, defaultConvertConfig } from '../../schemas/config/convert.ts';
import { flattenEvents } from '../../stages/convert/flattenEvents.ts';
import { connectives } from '../../stages/convert/thoughts.ts';
import { answers, asks, ended, planned, refusal, search, thinks, told } from '../support/convertedTree.ts';
import { mhqaSteps, taskOf, traceOf } from '../support/traceFixture.ts';
import { TraceTree } from '../support/traceTree.ts';

const verbatim = { ...defaultConvertConfig, thinking: 'verbatim' } as const;

describe('calls that were decided at once', () => {
  test('follow one another in the order of the list; the thought stands before the first', () => {
    const tree = planned();
    const both = thinks(tree, 'both');
    tree.tool(search('a'), both);
    tree.tool(search('b'), both);
    expect(told(tree)).toEqual([
      'think: both',
      'wiki_search: a',
      'observation: of a',
      `think: ${connectives.parallel}`,
      'wiki_search: b',
      'observation: of b',
    ]);
    expect(ended(tree).segments[5]).toMatchObject({ tag: 'think', event: both });
  });

  test('by agents that the orchestrator asked itself: the connective names the asking agent', () => {
    const tree = planned();
    const both = thinks(tree, 'both');
    const [one, two] = [asks(tree, both), asks(tree, both)];
    tree.tool(search('a'), one);
    tree.tool(search('b'), two);
    expect(told(tree)[3]).toBe(`think: ${connectives.parallel}`);
    expect(ended(tree).segments[5]!.event).toBe(two);
  });

  test('are refused where the grammar wants something between them', () => {
    const tree = planned('math');
    const both = thinks(tree, 'both');
    tree.tool({ tool: 'code', input: { code: '1' }, observation: '1' }, both);
    const second = tree.tool({ tool: 'code', input: { code: '2' }, observation: '2' }, both);
    expect(refusal(tree)).toEqual({
      event: second,
      why: "<code> goes back to the same thinking as the call before it, and can't follow <code>",
    });
  });

  test('without any thinking are refused where the grammar wants some', () => {
    const tree = planned();
    const agent = asks(tree);
    const first = tree.tool(search('a'), agent);
    tree.tool(search('b'), agent);
    expect(refusal(tree)).toMatchObject({ event: first });
  });
});

describe('sub-agents', () => {
  test('stand in the order in which they came to their ends, each in one piece', () => {
    const tree = planned();
    const both = thinks(tree, 'two agents');
    const one = thinks(tree, 'one', both);
    const two = thinks(tree, 'two', both);
    const inOne = tree.tool(search('one a'), one);
    const oneAgain = thinks(tree, 'one again', inOne);
    tree.tool(search('two a'), two);
    const end = tree.tool(search('one b'), oneAgain);
    thinks(tree, 'after', end);
    tree.tool(search('c'));
    const queries = told(tree).filter((line) => !line.startsWith('observation'));
    expect(queries).toEqual([
      'think: two',
      'wiki_search: two a',
      'think: one',
      'wiki_search: one a',
      'think: one again',
      'wiki_search: one b',
      'think: after',
      'wiki_search: c',
    ]);
  });

  test('do not take the thought from a call beside them', () => {
    const tree = planned();
    const both = thinks(tree, 'an agent, and a search');
    thinks(tree, 'inside', both);
    tree.tool(search('inside'));
    tree.tool(search('beside'), both);
    expect(told(tree)).toEqual([
      'think: inside',
      'wiki_search: inside',
      'observation: of inside',
      'think: an agent, and a search',
      'wiki_search: beside',
      'observation: of beside',
    ]);
  });
});

describe('the line of events', () => {
  test('is their own order where each hangs on the last one or an agent above it', () => {
    const choice = fc.record({ kind: fc.constantFrom('agent', 'tool', 'beside'), above: fc.nat() });
    fc.assert(
      fc.property(fc.array(choice, { maxLength: 30 }), (choices) => {
        const tree = new TraceTree(taskOf('mhqa'));
        const parents = new Map<string, string | null>();
        for (const { kind, above } of choices) {
          const line = ancestors(parents, tree.last);
          const parent = kind === 'beside' && line.length > 0 ? line[above % line.length]! : tree.last;
          const id =
            kind === 'agent' ? tree.agent({ role: 'tool_agent' }, parent) : tree.tool(search('q'), parent);
          parents.set(id, parent);
        }
        const { events } = tree;
        expect(flattenEvents(events).map(({ event }) => event.id)).toEqual(events.map(({ id }) => id));
      }),
    );
  });

  test('takes a trace of 100,000 events that hang on one another', () => {
    const [event] = traceOf(taskOf('mhqa'), mhqaSteps([])).events;
    const chain = Array.from({ length: 100_000 }, (_, at) => ({
      ...event!,
      id: `event_${at}`,
      parent: at === 0 ? null : `event_${at - 1}`,
    }));
    expect(flattenEvents(chain).at(-1)!.event.id).toBe('event_99999');
  });

  test('is refused when an event hangs on none before it', () => {
    const tree = planned();
    const lost = tree.tool(search('a'), 'event_x');
    expect(refusal(tree)).toEqual({ event: lost, why: 'its parent event_x is not an event before it' });
  });
});

function ancestors(parents: ReadonlyMap<string, string | null>, last: string | null): string[] {
  const line: string[] = [];
  for (let at = last; at !== null; at = parents.get(at) ?? null) line.push(at);
  return line;
}

describe('thinking', () => {
  const reasoned = () => {
    const tree = planned();
    tree.agent({ role: 'orchestrator', answer: { think: 'short' }, reasoning: ' all of it\n' });
    tree.agent({ role: 'tool_agent', reasoning: 'how to ask' });
    tree.tool(search('a'));
    tree.agent({ role: 'orchestrator', answer: { think: 'said only' }, reasoning: ' ' });
    tree.tool(search('b'));
    return tree;
  };
  const thoughts = (settings: ConvertConfig) =>
    told(reasoned(), settings).filter((line) => line.startsWith('think'));

  test("condensed is the role's own words", () => {
    expect(thoughts(defaultConvertConfig)).toEqual(['think: short', 'think: said only']);
  });

  test('verbatim is what its model reasoned, or its own words where it did not', () => {
    expect(thoughts(verbatim)).toEqual(['think: all of it', 'think: said only']);
  });

  test('verbatim is written where thinking is optional, too', () => {
    const tree = new TraceTree(taskOf('math'));
    tree.agent({ role: 'planner', action: 'plan', answer: { plan: 'p' }, reasoning: 'why' });
    expect(ended(tree, verbatim).segments[0]!.text).toBe('<think>why</think>\n');
  });
});

test("another role's action ends what the orchestrator had in mind", () => {
  const tree = planned();
  thinks(tree, 'look back');
  tree.agent({ role: 'reflector', action: 'reflection', answer: { think: 'hm', reflection: 'r' } });
  asks(tree);
  const unled = tree.tool(search('a'));
  expect(refusal(tree)).toEqual({
    event: unled,
    why: 'no thinking for <wiki_search>, which needs it before it',
  });
});

test('nothing comes after the answer', () => {
  const tree = planned();
  answers(tree);
  answers(tree);
  expect(refusal(tree)).toEqual({ event: tree.last, why: '<answer> comes after the end' });
});
