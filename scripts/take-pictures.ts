/** Takes the pictures of the viewer's pages that README and docs show: `make pictures`. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import type { CountsAnswer } from '../viewer/api.ts';
import { startViewer } from '../viewer/startViewer.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const pictures = join(repository, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'coa-pictures-'));
function coaDistill(...args: readonly string[]): void {
  execFileSync(process.execPath, [join(repository, 'bin/coa-distill.js'), ...args, '--quiet'], {
    cwd: folder,
  });
}

const stricter = 'filters.min_interactions.web=9';
// No path of this machine is on a picture.
cpSync(join(repository, 'examples'), join(folder, 'examples'), { recursive: true });
coaDistill('run', 'examples/quickstart.yaml');
coaDistill('refilter', 'quickstart', '--set', stricter, '--name', 'stricter');
coaDistill('evaluate', 'examples/evaluate.yaml');
for (const [name, steps] of [
  ['worse', 6],
  ['worst', 4],
] as const)
  coaDistill(
    'evaluate',
    'examples/evaluate.yaml',
    '--set',
    `teacher.budget.max_steps=${steps}`,
    '--name',
    name,
  );
process.chdir(folder);
mkdirSync(pictures, { recursive: true });

const viewer = await startViewer({ given: [], port: 0, author: 'ada' });
const browser = await chromium.launch({
  executablePath: process.env.COA_CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 1_100, height: 620 }, colorScheme: 'light' });
// A loaded machine takes its time.
page.setDefaultTimeout(180_000);
await page.goto(viewer.address());
const origin = `http://127.0.0.1:${viewer.port}`;
const run = `${origin}/runs/quickstart`;

async function take(
  name: string,
  address: string,
  sign: string,
  prepare?: (page: Page) => Promise<void>,
): Promise<void> {
  await page.goto(address);
  await page.locator(sign).first().waitFor();
  await prepare?.(page);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Pages say how much of a run they know so far; pictures show them when it is all. */
async function untilRead(name: string): Promise<void> {
  const counts = await page.request.get(`${origin}/api/sources/${name}/counts`);
  if (!((await counts.json()) as CountsAnswer).progress.isGrowing) return;
  await setTimeout(100);
  return untilRead(name);
}

for (const name of ['quickstart', 'stricter']) await untilRead(name);
await take('viewer-runs', origin, 'table');
await take('viewer-run', run, '.funnel');
await take('viewer-records', `${run}/rows?state=kept&state=dropped`, 'tbody a');
await take('viewer-record', `${run}/rows?reason=wrong_answer`, 'tbody a', async () => {
  await page.keyboard.press('Enter');
  await page.locator('.segment').first().waitFor();
  await page.locator('#segment-3').scrollIntoViewIfNeeded();
});
await take('viewer-compare', `${origin}/compare?a=quickstart&b=stricter`, '#a-segment-0', () =>
  page.locator('#b-segment-0').waitFor(),
);
await take('viewer-review', `${run}/review?state=kept`, '.segment');
await take('viewer-dataset', `${run}/dataset`, 'table');
await take('viewer-evaluation', `${origin}/evaluations/evaluation`, '.samples a');
const others = new URLSearchParams({ a: 'evaluation', b: 'worse' });
others.append('b', 'worst');
await take('viewer-compare-evaluations', `${origin}/compare-evaluations?${others}`, 'main table');
// Training takes a trainer: a job is shown that finished elsewhere.
cpSync(join(repository, 'test/fixtures/finished-job'), 'runs/quickstart/train/sft', { recursive: true });
await page.setViewportSize({ width: 1_100, height: 760 });
await take('viewer-training', `${run}/training/sft`, '.chart polyline');
await page.emulateMedia({ colorScheme: 'dark' });
await page.setViewportSize({ width: 390, height: 760 });
await take('viewer-phone', `${run}/rows?reason=wrong_answer`, 'tbody a', async () => {
  await page.keyboard.press('Enter');
  await page.locator('.segment').first().waitFor();
});
await browser.close();
await viewer.close();
rmSync(folder, { recursive: true });
