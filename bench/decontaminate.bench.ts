/**
 * What an index of benchmark questions takes: rows (DECONTAMINATE_BENCH_ROWS, one million) of a JSONL file, from short
 * questions to programming problems, then leaks of each kind and clean questions against it.
 *
 * Goals: under 2 GB of memory for a million rows; every leak found, nothing clean flagged. Run with `make bench`.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { decontaminateConfigSchema } from '../schemas/config/decontaminate.ts';
import type { BenchmarkIndex } from '../stages/decontaminate/benchmarkIndex.ts';
import { openBenchmarks } from '../stages/decontaminate/openBenchmarks.ts';
import { generatedQuestion } from '../test/support/generatedQuestions.ts';
import { plantLeak, waysToLeak } from '../test/support/plantLeak.ts';

const rows = Number(process.env.DECONTAMINATE_BENCH_ROWS ?? 1_000_000);
const asked = 5_000;

const folder = await mkdtemp(path.join(tmpdir(), 'decontaminate-bench-'));
try {
  const file = path.join(folder, 'benchmark.jsonl');
  const bytes = await writeRows(file);
  const began = cpuSeconds();
  const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: file, preset: 'nq' }] });
  const index = await openBenchmarks(config, new AbortController().signal);
  const seconds = cpuSeconds() - began;
  console.log(
    JSON.stringify({
      rows,
      different: index.questions,
      file_mb: mb(bytes),
      build_cpu_s: Number(seconds.toFixed(1)),
      rows_per_cpu_s: Math.round(rows / seconds),
      table_mb: mb(index.tableBytes),
      peak_rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
    }),
  );
  for (const way of waysToLeak)
    print(way, index, (at) => plantLeak(way, generatedQuestion('leak', leaked(at))));
  print('clean', index, (at) => generatedQuestion('clean', at));
  index.close();
} finally {
  await rm(folder, { recursive: true });
}

/** Rows all over the file. */
function leaked(at: number): number {
  return Math.floor((at * rows) / asked);
}

function print(what: string, index: BenchmarkIndex, questionAt: (at: number) => string): void {
  const began = cpuSeconds();
  let flagged = 0;
  for (let at = 0; at < asked; at++) if (index.find(questionAt(at))) flagged += 1;
  const ms = ((cpuSeconds() - began) * 1000) / asked;
  console.log(JSON.stringify({ what, asked, flagged, cpu_ms_a_question: Number(ms.toFixed(3)) }));
}

async function writeRows(file: string): Promise<number> {
  const out = createWriteStream(file);
  for (let at = 0; at < rows; at++) {
    const line = `${JSON.stringify({ question: generatedQuestion('leak', at), answer: ['no question'] })}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
  return out.bytesWritten;
}

/** Other work on the machine does not count. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1e6);
}
