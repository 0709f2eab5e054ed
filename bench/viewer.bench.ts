import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium, type Page } from 'playwright-core';
import { sealedFile, sealedLine } from '../base/journal/sealed.ts';
import type { StageName } from '../contract/stageTable.ts';

// The viewer over a run of many records: opening while the index is made, filtering, searching, sorting, scrolling, and the
// memory of the server and of the page, as Chromium sees them.
// node bench/viewer.bench.ts [--records 1000000]

const { values } = parseArgs({ options: { records: { type: 'string', default: '1000000' } } });
const records = Number(values.records);
const folder = mkdtempSync(join(tmpdir(), 'coa-bench-'));
const stages: readonly StageName[] = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter', 'export'];
const nouns = 'river tower castle bridge island mountain harbour valley temple library forest museum'.split(
  ' ',
);

/** Numbers that look random and are the same each time. */
function mixed(seed: number): number {
  return Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0;
}

function noun(of: number): string {
  return nouns[mixed(of) % nouns.length]!;
}

function trajectory(at: number): object {
  const text = `<web_search>${noun(at)} ${noun(at + 7)} town${at % 5_000}</web_search>`;
  const seen = `The ${noun(at + 1)} of town${at % 5_000} stands by the ${noun(at + 2)}. `.repeat(3);
  const segments = [
    { tag: 'web_search', origin: 'model', text, event: 'e1' },
    { tag: 'observation', origin: 'environment', text: `<observation>${seen}</observation>`, event: 'e2' },
    { tag: 'answer', origin: 'model', text: `<answer>answer ${at}</answer>`, event: 'e3' },
  ];
  const verdict = {
    subject: 'answer',
    judge: 'exact_match',
    judgement: at % 3 ? 'correct' : 'incorrect',
    score: 1,
  };
  const counts = { interactions: 1 + (at % 9), reflections: at % 2, plans: 1, redundant_tool_inputs: 0 };
  const quality = {
    ...counts,
    first_double_check: null,
    neutralised: 0,
    verdicts: [{ ...verdict, evidence: {} }],
  };
  return {
    id: `trajectory_${at}`,
    task_id: `task_${at}`,
    trace_id: `trace_${at}`,
    profile: ['web', 'mhqa', 'code', 'math'][at % 4],
    domain: 'qa',
    system: '',
    user: '',
    question: `Which ${noun(at)} is near the ${noun(at + 3)} of town${at % 5_000}, number ${at}?`,
    answers: [`answer ${at}`],
    segments,
    quality,
  };
}

/** The line that a stage writes of a record, to its records or its ledger; a third of the records are dropped. */
function lineOf(stage: StageName, at: number): readonly ['records' | 'ledger', object] | undefined {
  const of = { index: at, count: 1, input_id: `task_${at}`, task_id: `task_${at}` };
  const isWrong = at % 3 === 0;
  if (stage === 'convert') return ['records', { ...of, records: [trajectory(at)] }];
  if (stage === 'filter' && isWrong) {
    const end = { kind: 'drop', index: at, record_id: 'x', task_id: `task_${at}`, reason: 'wrong_answer' };
    return ['ledger', { ...end, evidence: {} }];
  }
  if (stage !== 'export' || isWrong) return undefined;
  const [tokens, trained_tokens] = [500 + (mixed(at) % 8_000), 100 + (mixed(at) % 900)];
  return [
    'records',
    {
      ...of,
      records: [{ id: `t${at}`, task_id: `task_${at}`, split: 'train', row: at, tokens, trained_tokens }],
    },
  ];
}

async function writeRun(run: string): Promise<void> {
  mkdirSync(run, { recursive: true });
  const stage_hashes = Object.fromEntries(stages.map((stage) => [stage, stage]));
  const versions = { coa_distill_version: '0.0.0', node_version: '24.0.0' };
  const configuration = {
    config_file: 'coa.yaml',
    config: { dataset: {} },
    shaping: {},
    config_hash: 'hash',
  };
  const own = {
    format_version: 1,
    name: 'many',
    created_at: '2026-11-22T00:00:00.000Z',
    seed: 0,
    dataset_name: 'many',
  };
  writeFileSync(join(run, 'run.json'), sealedFile({ ...own, ...versions, ...configuration, stage_hashes }));
  for (const stage of stages) {
    mkdirSync(join(run, stage));
    const counts = { entered: 0, emitted_inputs: 0, emitted_records: 0, dropped: {}, failed: {} };
    const file = { stage, version: 1, config_hash: stage, complete: false, ...counts };
    writeFileSync(join(run, stage, 'stage.json'), sealedFile(file));
    const out = { records: journal(run, stage, 'records'), ledger: journal(run, stage, 'ledger') };
    for (let at = 0; at < records; at++) {
      const line = lineOf(stage, at);
      if (line && !out[line[0]].write(`${sealedLine(line[1])}\n`)) await once(out[line[0]], 'drain');
    }
    for (const stream of Object.values(out)) await once(stream.end(), 'close');
  }
}

function journal(run: string, stage: string, name: string) {
  return createWriteStream(join(run, stage, `${name}.jsonl`));
}

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

async function main(): Promise<void> {
  await writeRun(join(folder, 'runs/many'));
  const launcher = fileURLToPath(new URL('../bin/coa-distill.js', import.meta.url));
  const env = { PATH: process.env.PATH ?? '', XDG_CACHE_HOME: join(folder, 'cache') };
  const server = spawn(process.execPath, [launcher, 'view', 'many', '--json'], { cwd: folder, env });
  server.stderr.pipe(process.stderr);
  const executablePath = process.env.COA_CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
    const { address } = JSON.parse(String(value)) as { address: string };
    const begin_mb = memoryMb(server.pid!, 'VmRSS');
    const page = await browser.newPage();
    page.setDefaultTimeout(900_000);
    await page.goto(address);
    const from = performance.now();
    await page.goto(`${new URL(address).origin}/runs/many/rows`);
    await page.locator('.table a').first().waitFor();
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
      `${found} !== was && document.querySelector('.table a')`,
    );
    const scroll_ms = await timed(
      page,
      `const table = document.querySelector('.table'); table.scrollTop = table.scrollHeight / 2`,
      `[...document.querySelectorAll('.table [role=row]')].filter((row) => row.querySelector('a')).some((row) => Number(row.getAttribute('aria-rowindex')) > 2_000)`,
    );
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
        scroll_ms,
        load: loadavg()[0],
        server_rss_mb: memoryMb(server.pid!, 'VmRSS'),
        server_peak_mb: memoryMb(server.pid!, 'VmHWM'),
        page_heap_mb: Math.round(heap / 1e6),
      }),
    );
  } finally {
    await browser.close();
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true });
}
