import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSealed, sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import { UserError } from '../../base/userError.ts';
import { readFunnel } from '../../operations/report/funnel.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { cases } from '../support/cases.ts';
import { damageArbitrary, damaged } from '../support/damage.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fakePipeline, fakeRecordSchema, fates } from './support/fakeStages.ts';
import { runFake } from './support/runFake.ts';

/** Damages to the files of finished stages; a campaign sets more. */
const damages = cases(40, 'COA_STAGE_DAMAGES');

const stages = ['tasks', 'rollout', 'export'];
const files = stages.flatMap((stage) =>
  ['records.jsonl', 'ledger.jsonl', 'stage.json'].map((file) => join(stage, file)),
);
const pipeline = () =>
  fakePipeline(
    Array.from({ length: 60 }, (_, n) => ({ fate: fates[n % fates.length]!, turns: n % 3 })),
    3,
  );

/** Everything that is read of a run. */
async function contentOf(folder: string): Promise<unknown> {
  const content: unknown[] = [await readFunnel(folder)];
  for (const stage of stages) {
    for await (const record of stageRecords(folder, stage, fakeRecordSchema)) content.push(record);
    const entries: { readonly index: number }[] = [];
    for await (const entry of readLedger(folder, stage)) entries.push(entry);
    content.push(entries.sort((a, b) => a.index - b.index));
  }
  return content;
}

/** The content, or the file that was named as damaged. */
async function contentOrFile(folder: string, read: () => Promise<unknown>): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    const { message } = error as UserError;
    expect(message).toMatch(/redo the stage with --from \w+, or restore the file$/);
    return files.find((file) => message.includes(join(folder, file)));
  }
}

test('whatever is damaged in the files of finished stages: they give what they gave, or are named', async () => {
  const whole = temporaryFolder();
  await runFake(whole, pipeline());
  const before = await contentOf(whole);
  const folders = temporaryFolder();
  let round = 0;
  let named = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), damageArbitrary, async (file, damage) => {
      const folder = join(folders, String(round++));
      cpSync(whole, folder, { recursive: true });
      const path = join(folder, file);
      const bytes = readFileSync(path);
      fc.pre(bytes.length > 0);
      writeFileSync(path, damaged(bytes, damage));
      const found = await contentOrFile(folder, () => contentOf(folder));
      if (found === file) named += 1;
      else expect(found).toEqual(before);
      if (!file.startsWith('export')) {
        rmSync(join(folder, 'export'), { recursive: true });
        const made = await contentOrFile(folder, async () => {
          await runFake(folder, pipeline());
          return contentOf(folder);
        });
        if (made !== file) expect(made).toEqual(before);
      }
      rmSync(folder, { recursive: true });
    }),
    { numRuns: damages },
  );
  expect(named).toBeGreaterThan(damages / 2);
}, 600_000);

describe('what is sealed', () => {
  const object = fc
    .dictionary(fc.string({ minLength: 1 }), fc.jsonValue())
    .map((value) => ({ kind: 'x', ...value }));

  test.each([
    ['on a line', sealedLine],
    ['as a file', sealedFile],
  ])('%s is read as it was written, or not at all', (_where, seal) => {
    fc.assert(
      fc.property(object, damageArbitrary, (value, damage) => {
        const written = Buffer.from(seal(value));
        const expected = JSON.parse(JSON.stringify(value));
        expect(parseSealed(written)).toEqual(expected);
        let read: unknown;
        try {
          read = parseSealed(damaged(written, damage));
        } catch (error) {
          expect((error as Error).message).not.toBe('');
          return;
        }
        expect(read).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('is refused where the checksum is missing, misspelt or wrong', () => {
    const line = sealedLine({ a: 1 });
    const parse = (text: string) => () => parseSealed(Buffer.from(text));
    expect(parse('{"a":1}')).toThrow(/checksum is missing/);
    expect(parse(line.replace('checksum', 'chdcksum'))).toThrow(/checksum is missing/);
    expect(parse(line.replace('"a":1', '"a":2'))).toThrow(/checksum is wrong/);
  });
});
