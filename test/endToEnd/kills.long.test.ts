import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createExportRun } from '../../bench/support/exportRun.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { createProject, jsonLines, riverTasks, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { cases } from '../support/cases.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { startSolver } from '../support/startSolver.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  acknowledged,
  bytesIn,
  cachedModelAnswers,
  expectUndisturbed,
  interrupt,
  type KilledCommand,
  killAtMoments,
  lostLines,
  type Undisturbed,
  undisturbed,
} from './support/killedCommand.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { startStudent } from './support/startStudent.ts';
import { startTeacherProcess, type TeacherProcess } from './support/startTeacherProcess.ts';
import { modelAt, startSynthesisServer, synthesisProject } from './support/synthesisProject.ts';

/** Times that a run is killed; COA_KILLS=100 asks for a hundred, COA_KILL_SEED for the moments of an earlier run. */
const kills = cases(8, 'COA_KILLS');
const seed = Number(process.env.COA_KILL_SEED ?? 1);
const timeoutMs = 300_000 + kills * 20_000;
/** Requests at once. */
const CONCURRENCY = 4;

describe('a team that asks an endpoint', () => {
  const TASKS = 28;
  /** Taken in windows, of which the last rows are cut off. */
  const ROWS = 14;
  /** Rolled out again while it is unsolved: which rollouts there are must not depend on when they end. */
  const ROLLOUTS = 'rollouts: { max: 3, until: first_correct }, on_wrong: hint';
  const cwd = sharedFolder();
  const run = join(cwd, 'runs/coa');
  let teacher: TeacherProcess;
  let whole: Undisturbed;
  const team: KilledCommand = {
    cwd,
    run,
    mostInFlight: CONCURRENCY,
    made: () => folderHashes(join(run, 'dataset')),
    progress: () => teacher.asked().length,
    async asked() {
      await teacher.settled();
      return teacher.asked();
    },
    clear() {
      rmSync(run, { recursive: true, force: true });
      teacher.forget();
    },
  };

  beforeAll(async () => {
    const planted = { wrong_answer: 0.3, malformed_json_once: 0.1, malformed_json: 0.55 };
    const more = `target: { rows: ${ROWS} }\nselect: { best_of: { per_task: 1 } }\n`;
    const settings = { folder: cwd, tasks: jsonLines(riverTasks(TASKS)), more };
    createProject({
      ...settings,
      teacher: `{ ${scriptedTeacher}, model: { model: m, sampling: { seed: 0 } }, ${ROLLOUTS} }`,
    });
    teacher = await startTeacherProcess(cwd, 8, { planted });
    // Two answers without JSON right after a resume would make the run ask in another format.
    const endpoint = `{ base_url: "${teacher.baseUrl}", api_key_env: "", structured_answers: openai_schema }`;
    createProject({
      ...settings,
      teacher: `{ model: { model: m, endpoint: ${endpoint}, sampling: { seed: 0 } }, concurrency: ${CONCURRENCY}, ${ROLLOUTS} }`,
    });
    const read = (file: string) => JSON.parse(readFileSync(join(run, file), 'utf8'));
    const made = () => {
      const { entered } = read('rollout/stage.json');
      const { windows } = read('target.json');
      const worked = windows.at(-1).tasks.mhqa;
      expect(windows.length).toBeGreaterThan(1);
      expect(worked).toBeLessThan(TASKS);
      expect(entered).toBeGreaterThan(worked);
      expect(entered).toBeLessThan(4 * worked);
      expect(read('dataset/manifest.json').rows).toBe(ROWS);
      expect(cachedModelAnswers(run)).toBe(teacher.asked().length);
      return team.made();
    };
    whole = await undisturbed({ ...team, made });
    return () => teacher.stop();
  });

  test.each([
    ['SIGKILL', kills],
    ['SIGTERM', Math.ceil(kills / 4)],
  ] as const)(
    `%s at %i random moments (seed ${seed}): nothing is lost, no answered call is repeated`,
    async (signal, times) => {
      team.clear();
      const inFlight = await killAtMoments(team, whole, { signal, times, seed });
      // A stop drains; a kill lands among requests at least where it waited for some.
      if (signal === 'SIGKILL') expect(inFlight).toBeGreaterThan(0);
      process.stdout.write(
        `${times} times ${signal} (COA_KILL_SEED=${seed}): ${inFlight} calls in flight were made again; an undisturbed run makes ${whole.asked.length}\n`,
      );
    },
    timeoutMs,
  );

  /** Kills a new run once it has made some of its requests. */
  async function killAt(share: number): Promise<number> {
    team.clear();
    const until = Math.ceil(share * whole.asked.length);
    const isThere = () => teacher.asked().length >= until;
    await interrupt(team, 'SIGKILL', () => waitUntil(`request ${until}`, isThere, { everyMs: 1 }));
    return (await team.asked!()).length;
  }

  test('a torn line, and a cache whose log was torn too, are pending and nothing else', async () => {
    const inFlight = (await killAt(0.3)) - cachedModelAnswers(run);
    for (const file of ['rollout/records.jsonl', 'cache.sqlite-wal']) {
      expect(existsSync(join(run, file)), file).toBe(true);
      appendFileSync(join(run, file), '{"index": 1, "torn');
    }
    await runWell(['run'], { cwd });
    await expectUndisturbed(team, whole, inFlight);
  });

  test('a cache of which nothing can be read costs the calls of unfinished tasks alone', async () => {
    const answered = await killAt(0.6);
    for (const file of ['cache.sqlite', 'cache.sqlite-wal'])
      writeFileSync(join(run, file), 'x'.repeat(5_000));
    const resumed = await runWell(['run'], { cwd });
    expect(resumed.stderr).toContain('cache.sqlite is damaged: it is kept as');
    expect(team.made()).toEqual(whole.made);
    const repeated = teacher.asked().length - whole.asked.length;
    process.stdout.write(`a lost cache: ${repeated} of ${answered} calls were made again\n`);
    expect(repeated).toBeLessThan(answered / 4);
  });

  test('a disk that is full in the middle of the rollout costs nothing that was answered', async () => {
    team.clear();
    const out = temporaryFolder();
    // A file system in memory, most of which is taken: it fills up during the rollout, then room is made.
    const script = `cp coa.yaml *.jsonl "$0" && cd "$0" && head -c ${23 << 20} /dev/zero > taken
"$@"; code=$?; cp -r runs "${out}/full"; rm taken; "$@" || exit 1; cp -r runs "${out}/runs"; exit $code`;
    const small = join(cwd, 'small');
    const through = ['bwrap', '--dev-bind', '/', '/', '--size', `${24 << 20}`, '--tmpfs', small];
    const { code, stderr } = await runCli(['run'], {
      cwd,
      through: [...through, 'bash', '-c', script, small],
    });
    expect(stderr).toMatch(/^error: cannot write .*: the disk is full \(ENOSPC\); free space/m);
    expect(code).toBe(2);
    expect(existsSync(join(out, 'full/coa/dataset'))).toBe(false);
    const answered = cachedModelAnswers(join(out, 'full/coa'));
    expect(answered).toBeGreaterThan(0);
    expect(answered).toBeLessThan(whole.asked.length);
    expect(lostLines(acknowledged(join(out, 'full/coa')), join(out, 'runs/coa'))).toEqual([]);
    expect(folderHashes(join(out, 'runs/coa/dataset'))).toEqual(whole.made);
    expect(teacher.asked().length - whole.asked.length).toBeLessThanOrEqual(CONCURRENCY);
  });
});

/** A project whose run is removed to start over. */
function running(cwd: string): Pick<KilledCommand, 'cwd' | 'run' | 'made' | 'clear'> {
  const run = join(cwd, 'runs/coa');
  const made = () => folderHashes(join(run, 'dataset'));
  return { cwd, run, made, clear: () => rmSync(run, { recursive: true }) };
}

async function startProbe(): Promise<KilledCommand> {
  const solver = await startSolver(({ question, seed: nth }) => {
    const n = Number(/\d+/.exec(question)![0]);
    return `<answer>${nth < n % 5 ? `river ${n}` : 'the sea'}</answer>`;
  }, 10);
  const cwd = createProject({
    tasks: jsonLines(riverTasks(30)),
    planted: { wrong_answer: 0.2 },
    more: `probe:
  model:
    model: small
    sampling: { seed: 0 }
    endpoint: { base_url: "${solver.baseUrl}", api_key_env: "", concurrency: ${CONCURRENCY} }
  tries: 4
  pass_rate: { max: 0.5 }
target: { rows: 12 }
`,
  });
  // An answer may be on its way from the endpoint, or to the disk, while another is asked.
  const probe = { ...running(cwd), model: 'small', mostInFlight: 2 * CONCURRENCY };
  return { ...probe, ...askedAt(solver.baseUrl, () => solver.answered, probe.clear) };
}

async function startCoaStudent(): Promise<KilledCommand> {
  const student = await startStudent(5);
  onTestFinished(() => student.close());
  const endpoint = `{ base_url: "${student.baseUrl}", api_key_env: "" }`;
  const model = `{ model: my-student, endpoint: ${endpoint}, sampling: { temperature: 1, max_tokens: 512 } }`;
  const cwd = createProject({
    teacher: `{ backend: coa_model, model: ${model}, concurrency: ${CONCURRENCY}, player: { server: transformers } }`,
    more: 'judge: { text: rule }\n',
  });
  const asked = () =>
    student.requests.flatMap(({ path, body }) => (path === '/v1/completions' ? JSON.stringify(body) : []));
  const played = { ...running(cwd), mostInFlight: CONCURRENCY };
  return { ...played, ...askedAt(student.baseUrl, asked, played.clear) };
}

/** What an endpoint was asked since the run was last cleared. */
function askedAt(baseUrl: string, requests: () => readonly string[], clear: () => void) {
  let begun = 0;
  return {
    progress: () => requests().length - begun,
    async asked() {
      // Once this is answered, what was sent before has come.
      await (await fetch(`${baseUrl}/models`)).text();
      return requests().slice(begun);
    },
    clear() {
      clear();
      begun = requests().length;
    },
  };
}

async function startEvaluation(): Promise<KilledCommand> {
  const rows = riverTasks(30);
  const planted = { wrong_answer: 0.4, malformed_json: 0.1 };
  const cwd = createProject({ tasks: jsonLines(rows), planted, rollouts: 3 });
  writeFileSync(join(cwd, 'halves.jsonl'), jsonLines(rows.slice(0, 15)));
  const config = `teacher: { ${scriptedTeacher} }
tools: { wiki_search: { corpus: passages.jsonl } }
evaluation:
  benchmarks:
    - { name: rivers, file: tasks.jsonl, profile: mhqa, samples: 3 }
    - { name: halves, file: halves.jsonl, profile: mhqa, samples: 2 }
`;
  writeFileSync(join(cwd, 'eval.yaml'), config);
  const results = ['evaluation.json', 'results.md', 'results/rivers.jsonl', 'results/halves.jsonl'];
  return {
    ...running(cwd),
    args: ['evaluate', 'eval.yaml'],
    run: join(cwd, 'runs/eval/rivers'),
    made: () => results.map((file) => readFileSync(join(cwd, 'runs/eval', file), 'utf8')),
    clear: () => rmSync(join(cwd, 'runs'), { recursive: true }),
  };
}

/** Tasks are made from pages by an endpoint of this process. */
async function startSynthesis(): Promise<KilledCommand> {
  const server = await startSynthesisServer();
  const cwd = synthesisProject(12, modelAt(server.baseUrl, CONCURRENCY));
  const command = {
    ...running(cwd),
    args: ['synthesize'],
    made: () => folderHashes(join(cwd, 'runs/coa/taskset')),
    mostInFlight: 2 * CONCURRENCY,
  };
  return { ...command, ...askedAt(server.baseUrl, () => server.asked, command.clear) };
}

/** A run in which everything is done but the export, and the same once more to start over with. */
async function startExport(): Promise<KilledCommand> {
  const [cwd, waiting] = [temporaryFolder(), temporaryFolder()];
  await createExportRun({
    folder: cwd,
    rows: 1_500,
    config: 'dataset: { shard_mb: 0.3, validation_share: 0.2 }\n',
  });
  cpSync(join(cwd, 'runs'), waiting, { recursive: true });
  const run = join(cwd, 'runs/coa');
  const [dataset, partial] = [join(run, 'dataset'), join(run, 'dataset.partial')];
  return {
    ...running(cwd),
    made() {
      expect(existsSync(partial)).toBe(false);
      const hashes = folderHashes(dataset);
      expect(Object.keys(hashes).filter((name) => name.endsWith('.arrow')).length).toBeGreaterThan(3);
      return [hashes, readFileSync(join(run, 'export/records.jsonl'), 'utf8')];
    },
    progress: () => bytesIn(partial) || bytesIn(dataset),
    check() {
      // What stands under the dataset's name is complete.
      if (!existsSync(dataset)) return;
      const { files } = JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8')) as Manifest;
      const hashes = folderHashes(dataset);
      for (const { path, sha256 } of files) expect(hashes[path]).toBe(sha256);
    },
    clear() {
      rmSync(run, { recursive: true });
      cpSync(waiting, join(cwd, 'runs'), { recursive: true });
    },
  };
}

/** Formats are added to a dataset of two others. */
async function startAddition(): Promise<KilledCommand> {
  const [cwd, finished] = [temporaryFolder(), temporaryFolder()];
  const config = 'dataset: { validation_share: 0.3, shard_mb: 0.1, formats: [afm, verl] }\n';
  await createExportRun({ folder: cwd, rows: 400, config });
  await runWell(['run'], { cwd });
  cpSync(join(cwd, 'runs'), finished, { recursive: true });
  const run = join(cwd, 'runs/coa');
  const dataset = join(run, 'dataset');
  const before = folderHashes(dataset);
  const isAdded = () => existsSync(join(dataset, 'axolotl'));
  return {
    ...running(cwd),
    args: ['export', 'coa', '--to', 'tokenized', 'axolotl'],
    // When it was made is in the manifest and the card.
    made: () => Object.entries(folderHashes(dataset)).filter(([name]) => !/^(?:README|manifest)/.test(name)),
    progress: () => bytesIn(`${dataset}.partial`) || bytesIn(dataset),
    check: () => isAdded() || expect(folderHashes(dataset)).toEqual(before),
    clear() {
      rmSync(run, { recursive: true });
      cpSync(finished, join(cwd, 'runs'), { recursive: true });
    },
  };
}

test.each([
  ['a probe', startProbe, 3],
  ['a student that plays alone', startCoaStudent, 3],
  ['an evaluation', startEvaluation, 3],
  ['a synthesis', startSynthesis, 3],
  ['an export', startExport, 3],
  ['an export that adds formats', startAddition, 2],
] as const)(
  `%s that is killed over and over (seed ${seed}) makes the same bytes and repeats no answered call`,
  async (_, start, full) => {
    const command = await start();
    const whole = await undisturbed(command);
    await killAtMoments(command, whole, { times: cases(full, 'COA_KILLS'), seed });
  },
  timeoutMs,
);
