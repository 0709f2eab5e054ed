/** Takes the pictures of the viewer's pages that README and docs show: `make pictures`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startViewer } from '../viewer/startViewer.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const pictures = join(repository, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'coa-pictures-'));
execFileSync(
  process.execPath,
  [join(repository, 'bin/coa-distill.js'), 'run', join(repository, 'examples/quickstart.yaml'), '--quiet'],
  { cwd: folder },
);
process.chdir(folder);
mkdirSync(pictures, { recursive: true });

const viewer = await startViewer({ given: [], port: 0 });
const browser = await chromium.launch({
  executablePath: process.env.COA_CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage({ viewport: { width: 1_100, height: 620 }, colorScheme: 'light' });
// A loaded machine takes its time.
page.setDefaultTimeout(180_000);
await page.goto(viewer.address());
const run = `http://127.0.0.1:${viewer.port}/runs/quickstart`;

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

await take('viewer-run', run, '.funnel');
await take('viewer-records', `${run}/rows?state=kept&state=dropped`, '.table a');
await take('viewer-record', `${run}/rows?reason=wrong_answer`, '.table a', async () => {
  await page.keyboard.press('Enter');
  await page.locator('.segment').first().waitFor();
  await page.locator('#segment-3').scrollIntoViewIfNeeded();
});
await browser.close();
await viewer.close();
rmSync(folder, { recursive: true });
