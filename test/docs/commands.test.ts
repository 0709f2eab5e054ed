import { expect, test } from 'vitest';
import { documentedCommands, helpExamples } from '../../scripts/renderCommandDocs.ts';
import { checkPage, parsedOnly } from './support/checkPage.ts';
import { documentedPages, quickPages } from './support/documentedPages.ts';
import { blocksOf, commandsOf, readPage } from './support/readPage.ts';

test.each(quickPages)('what %s shows happens so', checkPage);

test('every example of the help is what the commands take', async () => {
  const examples = (await documentedCommands()).flatMap(helpExamples);
  expect(examples.length).toBeGreaterThan(70);
  for (const { command } of examples) {
    // Of a pipe, the parts that are ours.
    for (const part of command.split(/ [|>] |<\(|\)$/)) {
      if (part.trim().startsWith('coa-distill')) await parsedOnly({ command: part });
    }
  }
});

test('a command that the docs show is run, or says why not', () => {
  const shown = documentedPages.flatMap((page) =>
    blocksOf(readPage(page))
      .filter(({ language }) => ['sh', 'console'].includes(language))
      .map((block) => ({ reason: block.marks['not run'], commands: commandsOf(block).length })),
  );
  const count = (blocks: typeof shown) => blocks.reduce((sum, { commands }) => sum + commands, 0);
  const reasons = Object.groupBy(
    shown.filter(({ reason }) => reason !== undefined),
    ({ reason }) => reason!,
  );
  const notRun = Object.entries(reasons).map(([reason, blocks = []]) => [reason, count(blocks)]);
  expect(count(shown.filter(({ reason }) => reason === undefined))).toBeGreaterThan(60);
  expect(Object.fromEntries(notRun)).toMatchInlineSnapshot(`
    {
      "AFM's released task files, and a model": 1,
      "\`make test-all\` runs these very tests": 1,
      "a GPU, a trainer and a model's weights": 16,
      "a key of Brave's search service": 2,
      "a minute; test/endToEnd/synthesize.test.ts runs it on fewer pages": 3,
      "a server that goes on until it is ended": 2,
      "a trained model": 3,
      "an endpoint that costs money": 4,
      "hours, a trainer and a model's weights": 2,
      "it sets up a clone": 3,
      "the files are yours": 1,
      "the page first-run.md runs it": 1,
      "the trainers' Python environments": 1,
      "verifiers, a model's endpoint": 3,
      "workers and their database": 9,
    }
  `);
});
