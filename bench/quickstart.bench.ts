/**
 * Wall time and peak memory of the whole quickstart, run from nothing into a temporary folder.
 *
 * Goal on two quiet cores: 12 s with bubblewrap, 25 s without. Run with `make bench`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));
try {
  const started = performance.now();
  const run = spawnSync(
    process.execPath,
    [
      join(root, 'bin/coa-distill.js'),
      'run',
      join(root, 'examples/quickstart.yaml'),
      '--set',
      `runs_dir=${folder}`,
    ],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  const wallS = (performance.now() - started) / 1000;
  console.log(
    run.stdout
      .split('\n')
      .filter((line) => line.includes('peak memory'))
      .join('\n'),
  );
  console.log(
    `quickstart: ${wallS.toFixed(1)} s, exit ${run.status}, ${Math.round(process.resourceUsage().maxRSS / 1024)} MB in this process`,
  );
  const mostS = spawnSync('bwrap', ['--version']).status === 0 ? 12 : 25;
  console.log(`    goal ${mostS} s: ${wallS <= mostS ? 'met' : 'MISSED'}, load ${loadavg()[0]!.toFixed(1)}`);
  if (run.status !== 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
