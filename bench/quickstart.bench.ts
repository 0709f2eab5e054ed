/**
 * Wall time and peak memory of the whole quickstart, run from nothing into a temporary folder.
 *
 * Goal: under 60 s. Run with `make bench`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));
try {
  const started = performance.now();
  const run = spawnSync(
    process.execPath,
    [join(root, 'bin/coa-distill.js'), 'run', join(root, 'examples/quickstart.yaml')],
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
  if (run.status !== 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
