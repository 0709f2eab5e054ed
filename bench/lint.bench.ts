/**
 * How fast `coa-distill lint` goes through datasets of 50, 200 and 600 MB (LINT_BENCH_MB), since a thread's start is paid
 * once, and how much memory that takes, beside JSON.parse and a plain regular-expression scan of the same rows. Every
 * tenth row has a fault.
 *
 * Goals: two threads 1.7 times as fast as one on two cores, with the same findings; memory that stays flat, under
 * 500 MB with both. Run with `make bench`.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRowFile } from '../base/rows/openRowFile.ts';
import { lintFile } from '../output/lint/lintFile.ts';
import { openRowLinter } from '../output/lint/lintWork.ts';
import { builtinProfiles } from '../schemas/coa/profiles/builtin.ts';
import { compareThreads } from './support/compareThreads.ts';
import { trajectoryText, writeTrajectories } from './support/trajectoryDataset.ts';

/** Every tenth row has a fault. */
function rowText(row: number): string {
  const text = trajectoryText(row);
  return row % 10 === 0 ? text.replace('</wiki_search>\n<observation>', '</wiki_search><observation>') : text;
}

for (const megabytes of (process.env.LINT_BENCH_MB ?? '50,200,600').split(',').map(Number))
  await measure(megabytes);

async function measure(megabytes: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lint-bench-'));
  try {
    const file = path.join(folder, 'sft.json');
    await writeTrajectories(file, megabytes, rowText);
    const { size } = await stat(file);
    const speed = (ms: number): string => `${(size / 1e3 / ms).toFixed(0)} MB/s`;
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 20);

    let start = performance.now();
    const texts: number[] = [];
    for await (const row of (await openRowFile(file)).rows()) if ('value' in row) texts.push(row.row);
    console.log(`cut into rows and JSON.parse: ${speed(performance.now() - start)}, ${texts.length} rows`);

    start = performance.now();
    let tags = 0;
    for await (const row of (await openRowFile(file)).rows()) {
      if (!('value' in row)) continue;
      const { output } = row.value as { output: string };
      for (const _ of output.matchAll(/<\/?[a-z_]+>/g)) tags += 1;
    }
    console.log(
      `the same and a regular expression for tags: ${speed(performance.now() - start)}, ${tags} tags`,
    );

    const dataset = { path: file, name: 'sft.json', isNamed: true, size };
    const before = process.memoryUsage.rss();
    peak = 0;
    const told = new Set<string>();
    const lintAll = async () => {
      const linter = await openRowLinter({ profiles: Object.values(builtinProfiles), profile: undefined });
      const hash = createHash('sha256');
      let findings = 0;
      let rows = 0;
      for await (const row of lintFile(dataset, (rows) => linter.run(rows))) {
        rows += 1;
        findings += row.findings.length;
        hash.update(JSON.stringify(row));
      }
      await linter.close();
      told.add(`${rows} rows, ${findings} findings, SHA-256 of them ${hash.digest('hex').slice(0, 12)}`);
    };
    await compareThreads(`lint of ${megabytes} MB`, size / 1e6, lintAll, { rounds: megabytes > 300 ? 1 : 3 });
    clearInterval(watch);
    console.log(
      `${[...told].join(' and ')}; memory ${(before / 1e6).toFixed(0)} MB before, ${(peak / 1e6).toFixed(0)} MB at most`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
