import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandNames } from '../../cli/commandTable.ts';
import { alpacaRow, cleanText } from '../support/datasetRows.ts';
import { finished, startCli } from './support/runCli.ts';

/** What each command may read without an end, or why it reads nothing such. */
const reads: Readonly<Record<string, readonly string[] | string>> = {
  check: ['check', 'endless.jsonl'],
  dedup: ['dedup', 'endless.jsonl', '--out', 'out.jsonl'],
  filter: ['filter', 'endless.jsonl', '--out', 'out.jsonl'],
  balance: ['balance', 'endless.jsonl', '--by', 'profile', '--cap', '1', '--out', 'out.jsonl'],
  decontaminate: ['decontaminate', 'endless.jsonl', '--against', 'endless.jsonl', '--out', 'out.jsonl'],
  view: ['view', 'endless.jsonl', '--json'],
  import: ['import', 'atif', 'endless.jsonl', '--name', 'imported'],
  'evaluate judge': ['evaluate', 'judge', 'answers.jsonl'],
  run: ['run', 'endless.yaml', '--name', 'one'],
  evaluate: ['evaluate', 'endless.yaml'],
  serve: ['serve', 'rl', 'endless.yaml', '--port', '0'],
  synthesize: ['synthesize', 'passages.yaml'],
  fetch: ['fetch', 'hf:a/b'],
  doctor: ['doctor', 'silent.yaml'],
  init: 'writes a folder',
  workers: 'asks a database once, or waits for one: sharedAddress.test.ts',
  forecast: 'reads a run that this program wrote',
  status: 'reads a run that this program wrote',
  refilter: 'reads a run that this program wrote',
  compare: 'reads runs that this program wrote',
  why: 'reads a run that this program wrote',
  cache: 'reads a cache that this program wrote',
  export: 'reads a run that this program wrote',
  push: 'reads a run that this program wrote',
  train: 'reads a run that this program wrote',
  show: 'reads a run that this program wrote',
  tools: 'refuses a corpus at its first long line',
};

const cwd = mkdtempSync(join(tmpdir(), 'coa-test-'));
const silent = createServer(() => {});
beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const answer = { question: 'q', answers: ['a'], prediction: 'a', correct: true };
  const endless = {
    'endless.jsonl': `${JSON.stringify({ ...alpacaRow(cleanText), question: 'q', answer: 'a' })}\n`.repeat(
      500,
    ),
    'passages.jsonl': `${JSON.stringify({ id: 'a', contents: 'b\nc' })}\n`.repeat(2_000),
    'answers.jsonl': `${JSON.stringify(answer)}\n`.repeat(2_000),
    'endless.csv': `question,answer\n${'why,so\n'.repeat(20_000)}`,
  };
  for (const [name, text] of Object.entries(endless)) {
    writeFileSync(join(cwd, name), text);
    // Holes take no room on the disk, and hours to read.
    truncateSync(join(cwd, name), 2 ** 40);
  }
  const config = (file: string, base: string) => ({
    tasks: { sources: [{ file, profile: 'mhqa', domain: 'qa' }] },
    tools: { wiki_search: { url: `${base}/retrieve` } },
    teacher: { model: { model: 'm', endpoint: { base_url: `${base}/v1`, api_key_env: '' } } },
    ...(file === 'endless.jsonl' && {
      evaluation: { benchmarks: [{ name: 'b', file, profile: 'mhqa', domain: 'qa' }] },
    }),
  });
  writeFileSync(join(cwd, 'one.jsonl'), '{"question":"q","answer":"a"}\n');
  writeFileSync(join(cwd, 'endless.yaml'), JSON.stringify(config('endless.jsonl', address)));
  const { tools, teacher } = config('one.jsonl', address);
  const synthesize = { corpus: { passages: 'passages.jsonl' }, profile: 'mhqa', ...teacher };
  writeFileSync(join(cwd, 'passages.yaml'), JSON.stringify({ tools, synthesize }));
  writeFileSync(join(cwd, 'silent.yaml'), JSON.stringify(config('one.jsonl', address)));
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
  rmSync(cwd, { recursive: true, force: true });
});

test('each command is told of', () => {
  expect([...new Set(Object.keys(reads).map((name) => name.split(' ')[0]))].sort()).toEqual(
    [...commandNames].sort(),
  );
});

const commands = Object.entries(reads).flatMap(([name, args]) =>
  typeof args === 'string' ? [] : (['SIGTERM', 'SIGINT'] as const).map((signal) => ({ name, args, signal })),
);

test.each(commands)('$name ends within 2 s of $signal, whatever it reads', async ({ args, signal }) => {
  const env = { HF_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
  const child = startCli(args, { cwd, env });
  child.stdin!.end();
  const ended = finished(child);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  // What reads from a server, or when it is asked to, is at work by then.
  const latestMs = performance.now() + 6_000;
  await expect.poll(() => hasEnded || performance.now() > latestMs || isReading(child.pid!)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  if (!hasEnded) child.kill(signal);
  const toldMs = performance.now();
  const { code, stderr } = await ended;
  // Twice as long for a machine under load.
  expect(performance.now() - toldMs, stderr).toBeLessThan(4_000);
  const byDefault = child.signalCode === signal;
  expect(byDefault || code === (signal === 'SIGTERM' ? 143 : 130), `${code} ${stderr}`).toBe(true);
});

/** Whether a process has one of the files open, or a connection. */
function isReading(pid: number): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((name) => {
    try {
      const target = readlinkSync(join(folder, name));
      return target.startsWith(cwd);
    } catch {
      return false;
    }
  });
}
