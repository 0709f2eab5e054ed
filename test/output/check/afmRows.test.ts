import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { qwenText } from '../support/qwenText.ts';
import { readForkRows } from './support/afmFork.ts';
import { checkMasks } from './support/checkRows.ts';

const rows = readForkRows();

/** Every `<observation>` from its line on, with the two line feeds behind it. */
const observations = /<observation>[\s\S]*?<\/observation>(?:\n\n)?/g;

/** What the fork trained of a row, decoded. */
async function trainedByFork(row: (typeof rows)[number]): Promise<string> {
  const { ids } = await qwenText.encode(`${row.output}<|im_end|>\n`);
  return qwenText.decode(row.trained_runs!.flatMap(([from, to]) => ids.slice(from, to)));
}

test("of 600 rows, good and spoilt, it passes those that AFM's fork masks rightly, and no others", async () => {
  const file = path.join(temporaryFolder(), 'rows.json');
  const columns = rows.map(({ instruction, input, output }) => ({ instruction, input, output }));
  writeFileSync(file, JSON.stringify(columns));
  const { findings, totals } = await checkMasks(file);
  const rules = new Map<number, string[]>();
  const dropped = new Set<number>();
  for (const { row, rule, token } of findings) {
    if (rule === 'afm_fork' && token === null) dropped.add(row!);
    rules.set(row!, [...(rules.get(row!) ?? []), rule]);
  }

  // What the fork itself did decides: its own drops, and the words that it trained.
  for (const [at, row] of rows.entries()) {
    const found = rules.get(at + 1) ?? [];
    expect(dropped.has(at + 1), `row ${at + 1}`).toBe(!row.kept);
    if (!row.kept) continue;
    const right = `${row.output.replace(observations, '')}<|im_end|>\n`.normalize('NFC');
    const isRight = (await trainedByFork(row)) === right;
    // Text that spells the end of a turn, tags that do not pair up, and tags like <Observation>, which the fork does
    // not know either, are faults whatever the mask.
    const isSpoilt = ['control_token', 'broken_structure', 'unclear_tag'].some((rule) =>
      found.includes(rule),
    );
    if (!isSpoilt) expect(found.length === 0, `row ${at + 1}: ${found}`).toBe(isRight);
  }
  expect(totals.parts[0]).toMatchObject({ layout: 'alpaca', rows: 600, checked: 600 });
  expect(rows.length - rules.size).toBe(293);
});
