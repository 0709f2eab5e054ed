/**
 * Runs each test file that failed once more, alone, and puts what came of it into the report in its place: a file that
 * passes now is named as flaky. Where many failed nothing is tried again. Exits 1 unless all passed in the end.
 *
 * usage: node scripts/retry-failed.js <report.json>
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

/** More than this is a change that broke something. */
const MOST_FILES = 3;

const [path = ''] = process.argv.slice(2);
const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));
const report = read(path);
const failed = report.testResults.filter(
  (/** @type {{ status: string }} */ file) => file.status === 'failed',
);
if (failed.length <= MOST_FILES) {
  for (const file of failed) {
    const name = relative(process.cwd(), file.name);
    const again = `${path}.again`;
    spawnSync('vitest', ['run', name, '--reporter=json', `--outputFile=${again}`], { stdio: 'ignore' });
    const [result] = read(again).testResults;
    if (result?.status !== 'passed') continue;
    console.log(`flaky: ${name}`);
    Object.assign(file, result);
  }
}
report.success = report.testResults.every(
  (/** @type {{ status: string }} */ file) => file.status === 'passed',
);
writeFileSync(path, JSON.stringify(report));
process.exitCode = report.success ? 0 : 1;
