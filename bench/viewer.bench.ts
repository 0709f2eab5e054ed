import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { writeManyRecords } from './support/manyRecords.ts';

// The viewer over a run of many records: opening while the index is made, filtering, searching, sorting, and the
// memory of the server and of the page, as Chromium sees them.
// node bench/viewer.bench.ts [--records 1000000]

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
const records = Number(values.records);
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));
/** Milliseconds of the page from a change until the list shows what it should; the list's own answers are in it. */
function timed(page: Page, change: string, isThere: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const from = performance.now();
    ${change};
    const look = () => (${isThere}) ? resolve(Math.round(performance.now() - from)) : requestAnimationFrame(look);
    requestAnimationFrame(look);
  })`);
}

/** Milliseconds of the page until both answers of a list are there. */
function answered(page: Page, filter: string): Promise<number> {
  return page.evaluate<number>(`(async () => {
    const from = performance.now();
    await fetch('/api/sources/many/counts?${filter}').then((answer) => answer.json());
    await fetch('/api/sources/many/window?${filter}&from=0&count=100').then((answer) => answer.json());
    return Math.round(performance.now() - from);
  })()`);
}

function memoryMb(pid: number, name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024);
}

/** Processor time of the server so far, which says more than the clock where others work too. In steps of 10 ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

function startServer(): ChildProcessByStdio<null, Readable, null> {
  const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));
  const { PATH = '', MALLOC_MMAP_THRESHOLD_ } = process.env;
  const env = { PATH, MALLOC_MMAP_THRESHOLD_, XDG_CACHE_HOME: join(folder, 'cache') };
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  return spawn(process.execPath, [launcher, 'view', 'many', '--json'], { cwd: folder, env, stdio });
}

async function addressOf({ stdout }: ReturnType<typeof startServer>): Promise<string> {
  const { value } = await createInterface({ input: stdout })[Symbol.asyncIterator]().next();
  return (JSON.parse(String(value)) as { address: string }).address;
}

async function stop(server: ReturnType<typeof startServer>): Promise<void> {
  server.kill('SIGTERM');
  await once(server, 'exit');
}

async function main(): Promise<void> {
  await writeManyRecords(join(folder, 'runs/many'), records);
  // As for who has used it before: what Node compiled lies in the cache.
  const first = startServer();
  await addressOf(first);
  await stop(first);
  const server = startServer();
  const executablePath = process.env.COA_CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const address = await addressOf(server);
    const begin_mb = memoryMb(server.pid!, 'VmRSS');
    const page = await browser.newPage();
    page.setDefaultTimeout(900_000);
    await page.goto(address);
    const from = performance.now();
    await page.goto(`${new URL(address).origin}/runs/many/rows`);
    await page.locator('tbody a').first().waitFor();
    const usable_ms = Math.round(performance.now() - from);
    const growing = {
      usable_ms,
      filter_ms: await answered(page, 'profile=web'),
      rss_mb: memoryMb(server.pid!, 'VmRSS'),
    };
    await page.getByText(`${records.toLocaleString('en-US')} records`, { exact: true }).waitFor();
    await page.evaluate(`(async () => {
      const isGrowing = async () => (await (await fetch('/api/sources/many/counts')).json()).progress.isGrowing;
      while (await isGrowing()) await new Promise((resolve) => setTimeout(resolve, 1000));
    })()`);
    const index_s = Math.round((performance.now() - from) / 1_000);
    const index_cpu_s = Math.round(cpuMs(server.pid!) / 1_000);
    const times: Record<string, readonly number[]> = {};
    const cpu: Record<string, readonly number[]> = {};
    const costs = async (filter: string): Promise<readonly [number, number]> => {
      const before = cpuMs(server.pid!);
      return [await answered(page, filter), cpuMs(server.pid!) - before];
    };
    for (const filter of [
      'state=kept',
      'profile=web&tokens=1000-4000',
      'sort=-tokens',
      'q=castle',
      'q=castle+-tower',
      'q=town4321',
      'q=model:bridge&state=dropped',
    ]) {
      const both = [await costs(filter), await costs(`${filter}&interactions=2-`)];
      times[filter] = both.map(([ms]) => ms);
      cpu[filter] = both.map(([, ms]) => ms);
    }
    const found = `document.querySelector('.found').textContent`;
    const box = `[...document.querySelectorAll('.facets label')].find((label) => label.textContent.startsWith('dropped')).querySelector('input')`;
    const click_ms = await timed(
      page,
      `const was = ${found}; ${box}.click()`,
      `${found} !== was && document.querySelector('tbody a')`,
    );
    // Without a collection the figure is 10 to 32 MB, as it happens.
    await page.requestGC();
    const heap = await page.evaluate<number>('performance.memory.usedJSHeapSize');
    console.log(
      JSON.stringify({
        records,
        begin_mb,
        growing,
        index_s,
        index_cpu_s,
        answers_ms: times,
        answers_cpu_ms: cpu,
        click_ms,
        load: loadavg()[0],
        server_rss_mb: memoryMb(server.pid!, 'VmRSS'),
        server_peak_mb: memoryMb(server.pid!, 'VmHWM'),
        page_heap_mb: Math.round(heap / 1e6),
      }),
    );
  } finally {
    await browser.close();
    await stop(server);
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}
