import { expect, test } from 'vitest';
import { benchmarkRow, benchmarkRows } from '../../evaluation/benchmarkTable.ts';
import { expectSourced, type SourcedFigure } from '../support/sourcedFigures.ts';

const web = /^(gaia|webwalkerqa|browsecomp|hle)/;
const multiHop = /^(nq|triviaqa|popqa|hotpotqa|2wikimultihopqa|musique|bamboogle)$/;
const reasoning = /^(aime24|aime25|amc23|math500|olympiadbench|livecodebench|code_contests)/;
const contest = /^(aime24|aime25|amc23)$/;
const once = /^(math500|olympiadbench|livecodebench|code_contests)$/;
const plain = (names: RegExp) => new RegExp(`${names.source}$`);
const script = (names: RegExp) => new RegExp(`${names.source}-script$`);

const driver = 'AFM/evaluation/web_agent/inference_web_agent.py';
const mhqa = 'AFM/evaluation/mhqa_agent/eval_mhqa_agent.sh';
const code = 'AFM/evaluation/code_agent/eval_code_agent.sh';
const trainer = 'verl/verl/trainer/config/ppo_trainer.yaml';
const rollout = 'verl/verl/workers/rollout/sglang_rollout/sglang_rollout.py';

/** Figures of the rows whose names fit. */
const sources: readonly (readonly [rows: RegExp, ...SourcedFigure])[] = [
  [plain(web), 'samples', 3, 'README.md:44'],
  [script(web), 'samples', 5, `${driver}:64`],
  [web, 'sampling.temperature', 1, `${driver}:55`],
  [web, 'sampling.top_p', 0.9, `${driver}:56`],
  [web, 'alone.maxTokens', 4096, `${driver}:59`],
  [web, 'alone.maxSteps', 36, `${driver}:62`],
  [multiHop, 'samples', 1, `${trainer}:478`],
  // `do_sample=false` (eval_mhqa_agent.sh:87) becomes this.
  [multiHop, 'sampling.temperature', 0, `${rollout}:956`],
  [multiHop, 'alone.maxTokens', 1024 * 8, `${mhqa}:24`],
  [multiHop, 'alone.maxSteps', 8, `${mhqa}:106`],
  [contest, 'samples', 16, 'paper (arXiv 2508.13167), avg@16'],
  [once, 'samples', 1, 'paper (arXiv 2508.13167), Pass@1'],
  [script(reasoning), 'samples', 1, `${trainer}:478`],
  [plain(reasoning), 'sampling.temperature', 0.6, `${code}:91`],
  // The script leaves `do_sample` at False (ppo_trainer.yaml:481), which becomes this.
  [script(reasoning), 'sampling.temperature', 0, `${rollout}:956`],
  [reasoning, 'alone.maxTokens', 1024 * 28, `${code}:20`],
  [reasoning, 'alone.maxSteps', 12, `${code}:110`],
];

test.each([...benchmarkRows])('%s: every figure has its source', (name, { samples, sampling, alone }) => {
  const own = sources.filter(([rows]) => rows.test(name));
  expectSourced(
    { samples, sampling, alone },
    own.map(([, ...figure]) => figure),
  );
});

test.each([
  ['gaia-dev', 'gaia'],
  ['gaia-script-2', 'gaia-script'],
  ['aime24-script', 'aime24-script'],
  ['nq-script', 'nq'],
  ['aime', undefined],
  ['mine-gaia', undefined],
])('%s is played as %s', (name, known) => {
  expect(benchmarkRow(name)).toBe(known && benchmarkRows.get(known));
});
