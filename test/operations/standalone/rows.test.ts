import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { balanceRows } from '../../../operations/standalone/balanceRows.ts';
import { dedupRows } from '../../../operations/standalone/dedupRows.ts';
import { filterRows } from '../../../operations/standalone/filterRows.ts';
import type { RowOutcomes } from '../../../operations/standalone/runRows.ts';
import { builtinRegistry } from '../../../schemas/coa/profileRegistry.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { balanceConfigSchema } from '../../../schemas/config/balance.ts';
import { trajectoryDedupSchema } from '../../../schemas/config/dedup.ts';
import { filtersConfigSchema } from '../../../schemas/config/filters.ts';
import { trajectoryRow } from '../../../schemas/trainers/trajectoryRow.ts';
import { alpacaRow, cleanText } from '../../support/datasetRows.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { linesOf, readLedgerFile, shapeInProcess } from './support/shapeInProcess.ts';
import { oddLine, searchedRow } from './support/standaloneRows.ts';

const reading = { profiles: builtinRegistry, profile: undefined, systemPrompt: 'You are.' };

function filter(settings: object = {}) {
  const filters = filtersConfigSchema.parse(settings);
  return filterRows({ ...reading, filter: { profileOf: builtinProfile, filters, seed: 7, tools: {} } });
}

function balance(...rules: object[]) {
  const settings = balanceConfigSchema.parse({ rules });
  return balanceRows({ ...reading, config: settings, seed: 7, onCounts: () => {} });
}

function dedup() {
  const config = trajectoryDedupSchema.parse({});
  const { profiles } = builtinRegistry;
  return dedupRows({ of: 'question', config, column: undefined, profiles, spillFolder: temporaryFolder() });
}

function write(name: string, content: string | Uint8Array, folder = temporaryFolder()): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
}

const beside = (file: string, name: string) => path.join(path.dirname(file), name);
const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const someRow = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(20), fc.integer({ min: 1, max: 5 }), fc.constantFrom('a', 'b'))
      .map(([n, hops, source]) => oddLine(searchedRow(`town ${n}?`, hops, { source }))),
  },
  { weight: 2, arbitrary: trajectoryArbitrary().map((trajectory) => JSON.stringify(trajectory)) },
  {
    weight: 1,
    arbitrary: trajectoryArbitrary().map((trajectory) => JSON.stringify(trajectoryRow(trajectory))),
  },
  { weight: 1, arbitrary: fc.constant(JSON.stringify(alpacaRow('<think>torn'))) },
  {
    weight: 1,
    arbitrary: fc.constant(
      JSON.stringify({
        conversations: [
          { from: 'human', value: 'Question: which?' },
          { from: 'gpt', value: cleanText },
        ],
      }),
    ),
  },
  { weight: 1, arbitrary: fc.constant('{"text": "no layout"}') },
  { weight: 1, arbitrary: fc.constant('{"instruction": ') },
);
// A broken last line says that the file was cut off, which is another matter.
const someLines = fc
  .array(someRow, { maxLength: 12 })
  .map((lines) => [...lines, JSON.stringify(alpacaRow(cleanText))]);

describe('whatever the rows', () => {
  type Shape = (file: string, out: string) => Promise<RowOutcomes>;
  const drop = { rule: 'cap', by: ['source'], most: 2 };
  const repeat = { rule: 'temperature', by: ['source'], temperature: 3, how: 'repeat' };
  const commands: [name: string, shape: Shape][] = [
    ['filter', (file, out) => shapeInProcess([file], filter(), out, 'drop')],
    ['balance', (file, out) => shapeInProcess([file], balance(drop), out, 'drop')],
    ['dedup', (file, out) => shapeInProcess([file], dedup(), out, 'drop')],
    ['balance that repeats', (file, out) => shapeInProcess([file], balance(repeat), out, 'drop')],
  ];

  test.each(commands)(
    '%s: counts add up, every row is kept byte for byte or in the ledger',
    async (_, shape) => {
      await fc.assert(
        fc.asyncProperty(someLines, async (lines) => {
          const file = write('in.jsonl', lines.map((line) => `${line}\n`).join(''));
          const out = beside(file, 'out.jsonl');
          const counts = await shape(file, out);
          expect(counts.rows_in).toBe(lines.length);
          expect(counts.kept + sum(counts.dropped) + sum(counts.failed)).toBe(counts.rows_in);
          const written = linesOf(out);
          expect(written).toHaveLength(counts.rows_out);
          const ledger = readLedgerFile(`${out}.ledger.jsonl`);
          const gone = new Set(ledger.map((entry) => entry.index));
          expect(gone.size).toBe(ledger.length);
          const stayed = lines.filter((_line, at) => !gone.has(at));
          // Runs of the same line are a row that is repeated.
          let at = -1;
          for (const line of written) {
            if (stayed[at + 1] === line) at += 1;
            else expect(line).toBe(stayed[at]);
          }
          expect(at).toBe(stayed.length - 1);
        }),
        { numRuns: 40 },
      );
    },
  );

  const inAnyOrder: [name: string, shape: (files: string[], out: string) => Promise<RowOutcomes>][] = [
    [
      'balance',
      (files, out) => shapeInProcess(files, balance({ rule: 'cap', by: ['source'], most: 2 }), out),
    ],
    ['dedup', (files, out) => shapeInProcess(files, dedup(), out)],
  ];

  test.each(inAnyOrder)('%s keeps the same rows in any order, over any files', async (_, shape) => {
    const rows = fc.uniqueArray(
      fc.record({
        question: fc.constantFrom(
          'Which river flows past Harrow?',
          'which river flows past harrow',
          'Who?',
          'Who',
        ),
        // Names that rows of other files have too.
        id: fc.nat(2),
        source: fc.constantFrom('a', 'b'),
        quality: fc.constantFrom(0, 1),
        n: fc.nat(500),
      }),
      { selector: ({ n }) => n, minLength: 1, maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(19), async (all, cut) => {
        const lines = all.map(({ question, ...more }) => JSON.stringify(searchedRow(question, 2, more)));
        const folder = temporaryFolder();
        const whole = write('whole.jsonl', `${lines.join('\n')}\n`, folder);
        const turned = [...lines].reverse();
        const parts = [turned.slice(0, cut), turned.slice(cut)]
          .filter((part) => part.length > 0)
          .map((part, at) => write(`part${at}.jsonl`, `${part.join('\n')}\n`, folder));
        await shape([whole], beside(whole, 'a.jsonl'));
        await shape(parts, beside(whole, 'b.jsonl'));
        expect(linesOf(beside(whole, 'b.jsonl')).sort()).toEqual(linesOf(beside(whole, 'a.jsonl')).sort());
      }),
      { numRuns: 30 },
    );
  });
});

test('of trajectories that name the same id and differ, the same one stays in any order', async () => {
  const some = fc.uniqueArray(trajectoryArbitrary(), {
    minLength: 2,
    maxLength: 5,
    selector: ({ question }) => question,
  });
  await fc.assert(
    fc.asyncProperty(some, async (trajectories) => {
      const [first] = trajectories;
      const lines = trajectories.map(({ question }) => JSON.stringify({ ...first, question }));
      const file = write('in.jsonl', `${lines.join('\n')}\n`);
      const turned = write('turned.jsonl', `${lines.toReversed().join('\n')}\n`, path.dirname(file));
      const shape = () => balance({ rule: 'cap', by: ['profile'], most: 1 });
      await shapeInProcess([file], shape(), beside(file, 'a.jsonl'));
      await shapeInProcess([turned], shape(), beside(file, 'b.jsonl'));
      expect(linesOf(beside(file, 'b.jsonl'))).toEqual(linesOf(beside(file, 'a.jsonl')));
    }),
    { numRuns: 20 },
  );
});

describe('formats', () => {
  const rows = [searchedRow('one?', 3), searchedRow('two?', 1), searchedRow('three?', 4)];
  const kept = [rows[0], rows[2]];

  test('a JSON list stays one, its rows as they were', async () => {
    const pretty = rows.map((row) => JSON.stringify(row, null, 2));
    const file = write('in.json', `[\n${pretty.join(' ,\n\n')}\n]`);
    await shapeInProcess([file], filter(), beside(file, 'out.json'));
    expect(readFileSync(beside(file, 'out.json'), 'utf8')).toBe(`[\n${pretty[0]},\n${pretty[2]}\n]\n`);
    await shapeInProcess([file], filter({ min_interactions: { mhqa: 9 } }), beside(file, 'none.json'));
    expect(readFileSync(beside(file, 'none.json'), 'utf8')).toBe('[]\n');
  });

  test('a list becomes lines where the name says so, a row on one line', async () => {
    const file = write('in.json', JSON.stringify(rows, null, 2));
    await shapeInProcess([file], filter(), beside(file, 'out.jsonl'));
    expect(linesOf(beside(file, 'out.jsonl')).map((line) => JSON.parse(line))).toEqual(kept);
  });

  test('several files are one after another', async () => {
    const file = write('a.jsonl', `${JSON.stringify(rows[0])}\n`);
    const second = write('b.json', JSON.stringify(rows), path.dirname(file));
    const counts = await shapeInProcess([file, second], filter(), beside(file, 'out.jsonl'));
    expect(counts).toMatchObject({ rows_in: 4, kept: 3, dropped: { too_few_interactions: 1 } });
    expect(readLedgerFile(beside(file, 'out.jsonl.ledger.jsonl'))).toMatchObject([
      { index: 2, evidence: { file: second, row: 2, line: 1 } },
    ]);
  });

  test('what is weighed is noted beside the rows', async () => {
    const named = rows.map((row, at) => ({ ...row, id: `r${at}`, source: at === 0 ? 'a' : 'b' }));
    const file = write('in.jsonl', named.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const weigh = balance({ rule: 'temperature', by: ['source'], temperature: 1e16, how: 'weight' });
    await shapeInProcess([file], weigh, beside(file, 'out.jsonl'));
    expect(readFileSync(beside(file, 'out.jsonl'), 'utf8')).toBe(readFileSync(file, 'utf8'));
    expect(linesOf(beside(file, 'out.jsonl.sampling.jsonl')).map((line) => JSON.parse(line))).toEqual(
      [1.5, 0.75, 0.75].map((weight, at) => ({
        index: at,
        record_id: `r${at}`,
        file,
        row: at + 1,
        repeats: 1,
        weight,
        reasons: ['temperature'],
      })),
    );
  });
});

test('a text that does not parse breaks the grammar in every layout', async () => {
  const [question, answer] = ['Question: which?', '<think>torn'];
  const rows = [
    alpacaRow(answer),
    {
      conversations: [
        { from: 'human', value: question },
        { from: 'gpt', value: answer },
      ],
    },
    {
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ],
    },
    { prompt: question, completion: answer },
  ];
  const file = write('in.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const outcomes = await shapeInProcess([file], filter(), beside(file, 'out.jsonl'));
  expect(outcomes.dropped).toEqual({ invalid_grammar: rows.length });
});

describe('nothing is left behind', () => {
  test('by a row that is no row', async () => {
    const file = write('in.jsonl', `${JSON.stringify(searchedRow('one?', 3))}\n{"a":1}\n`);
    const shaping = shapeInProcess([file], filter(), beside(file, 'out.jsonl'));
    await expect(shaping).rejects.toThrow(`${file} line 2 (row 2): `);
    expect(readdirSync(path.dirname(file))).toEqual(['in.jsonl']);
  });

  test('and what was there before stays', async () => {
    const file = write('in.jsonl', `${JSON.stringify(searchedRow('one?', 3))}\n{"a":1}\n`);
    const out = write('out.jsonl', 'before', path.dirname(file));
    await expect(shapeInProcess([file], filter(), out)).rejects.toThrow();
    expect(readFileSync(out, 'utf8')).toBe('before');
  });
});
