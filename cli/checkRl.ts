import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { parseJson } from '../base/json.ts';
import { printable } from '../base/printable.ts';
import { openRowFile } from '../base/rows/openRowFile.ts';
import { UserError } from '../base/userError.ts';
import { type OpenedEnvironment, openEnvironment } from '../operations/rl/openEnvironment.ts';
import { serveEnvironment } from '../operations/rl/serveEnvironment.ts';
import { rlProgramPath } from '../output/rl/rlFiles.ts';
import { createSession } from '../pipeline/createSession.ts';
import { rlConfigSchema } from '../schemas/config/rl.ts';
import { sourceOf } from './serveRl.ts';
import { stopOnSignals } from './stopOnSignals.ts';

/** A row of `verl_rl`, as far as a check reads it. */
const rlRowSchema = z.object({
  prompt: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  extra_info: z.object({
    index: z.string(),
    profile: z.string().nullish(),
    question: z.string().nullish(),
  }),
});
type RlRow = z.infer<typeof rlRowSchema>;

const playedSchema = z.object({
  task_id: z.string(),
  prompt_tokens: z.int().nonnegative(),
  /** Text of each token behind the prompt, and its mask: 1 is trained. */
  tokens: z.array(z.tuple([z.string(), z.union([z.literal(0), z.literal(1)])])),
  end: z.string(),
  answer: z.string().nullable(),
  score: z.number(),
  parts: z.record(z.string(), z.number().nullable()),
  calls: z.int().nonnegative(),
  failure: z.undefined().optional(),
});

/** What `coa_check.py` says of a task: what would be trained, or why there is nothing. */
const playedRolloutSchema = z.union([playedSchema, z.object({ task_id: z.string(), failure: z.string() })]);
type PlayedRollout = z.infer<typeof playedRolloutSchema>;
type FinishedRollout = z.infer<typeof playedSchema>;

interface CheckRlOptions {
  readonly model?: string;
  readonly sample?: true;
  readonly tasks: number;
  readonly python?: string;
  readonly config?: string;
  readonly json?: true;
}

/**
 * Plays the first tasks of an RL dataset by the very loop that trainers use, against the tools and judges of its run, and
 * prints every token with whether it would be trained.
 *
 * @returns the exit code: 1 where a rollout failed
 */
export async function checkRl(what: string, options: CheckRlOptions): Promise<number> {
  using stop = stopOnSignals();
  await using session = createSession({ log: (line) => console.error(line) });
  const source = await sourceOf(what, options, session);
  const rows = await firstRows(join(source.runFolder, 'dataset', 'verl_rl'), options.tasks);
  const environment = await openEnvironment(source, session);
  const configured = rlConfigSchema.parse(source.config.rl ?? {});
  const serve = { ...configured.serve, host: '127.0.0.1', port: 0 };
  const server = await serveEnvironment(environment, { serve, token: undefined, cut: stop.signal }, session);
  const { training } = source.config;
  const model = options.model ?? training.model;
  const failed = await play({
    python: options.python ?? training.python ?? 'python3',
    url: server.baseUrl,
    request: requestOf(rows, environment, model, options.sample === true),
    signal: stop.signal,
    show: (rollout) => console.log(options.json ? JSON.stringify(rollout) : playedLines(rollout).join('\n')),
  });
  return failed === 0 ? 0 : 1;
}

async function firstRows(folder: string, count: number): Promise<RlRow[]> {
  const file = ['train.parquet', 'train-00000-of-00001.parquet']
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  if (file === undefined)
    throw new UserError(
      `${folder} has no tasks; add them with: coa-distill export ${dirname(dirname(folder))} --to verl_rl`,
    );
  const rows: RlRow[] = [];
  for await (const read of (await openRowFile(file)).columns()) {
    if (rows.length === count) break;
    rows.push(rlRowSchema.parse('value' in read && read.value));
  }
  if (rows.length === 0)
    throw new UserError(`${file} has no tasks: ${join(folder, 'ledger.jsonl')} says why each was left out`);
  return rows;
}

function requestOf(rows: readonly RlRow[], environment: OpenedEnvironment, model: string, samples: boolean) {
  const { profiles, limits } = environment.description;
  return {
    tokenizer: existsSync(model) ? resolve(model) : model,
    model: samples ? resolve(model) : null,
    max_response_tokens: limits.max_response_tokens,
    tasks: rows.map(({ prompt, extra_info: about }) => {
      const tools = (about.profile && profiles[about.profile]?.tools) || [];
      const tool = tools.find((name) => name.includes('search')) ?? tools[0];
      const [answer = ''] = environment.tasks.get(about.index)?.answers ?? [];
      const calls = tool === undefined ? [] : [`<${tool}>${about.question ?? 'test'}</${tool}>`];
      return {
        task_id: about.index,
        profile: about.profile ?? null,
        prompt,
        turns: [...calls, `<answer>${answer}</answer>`],
      };
    }),
  };
}

interface PlayOptions {
  readonly python: string;
  readonly url: string;
  readonly request: object;
  readonly signal: AbortSignal;
  show(rollout: PlayedRollout): void;
}

/** Runs the loop. Returns how many rollouts failed. */
async function play({ python, url, request, signal, show }: PlayOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'coa-rl-check-'));
  try {
    const file = join(folder, 'request.json');
    await writeFile(file, JSON.stringify(request));
    const program = rlProgramPath('coa_check.py');
    const child = spawn(python, [fileURLToPath(program), file], {
      env: { ...process.env, COA_RL_URL: url, COA_RL_TOKEN: '', PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    let said = '';
    child.stderr.on('data', (bytes: Buffer) => {
      said = (said + bytes.toString('utf8')).slice(-2_000);
    });
    let failed = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith('{"task_id"')) continue;
      const rollout = playedRolloutSchema.parse(parseJson(line));
      if (rollout.failure !== undefined) failed++;
      show(rollout);
    }
    const [code] = await ended;
    if (code !== 0) throw new UserError(`${python} ended with ${code}: ${whyItEnded(said)}`);
    return failed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new UserError(`--python ${python}: no such program`, { cause: error });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of what Python printed: what was wrong, and what to do where a package is missing. */
export function whyItEnded(printed: string): string {
  const advice = "name the Python of the trainer's environment with --python";
  const last = printed.trimEnd().split('\n').at(-1) ?? '';
  const missing = /^ModuleNotFoundError: No module named '([\w.]+)'$/.exec(last)?.[1];
  if (missing !== undefined) return `the package ${missing} is not installed there; ${advice}`;
  return last || `it printed nothing; ${advice}`;
}

/**
 * A rollout for people: each stretch of tokens on a line of its own that says whether it is trained, its tokens with
 * bars between them.
 */
export function playedLines(rollout: PlayedRollout): string[] {
  if (rollout.failure !== undefined)
    return [`${rollout.task_id}: no result, left out of training: ${printable(rollout.failure)}`, ''];
  const { tokens } = rollout;
  const trained = tokens.filter(([, mask]) => mask === 1).length;
  return [
    `${rollout.task_id}: ${tokens.length} tokens behind a prompt of ${rollout.prompt_tokens}, ${trained} trained · ${rollout.calls} calls · ended by ${rollout.end} · score ${rollout.score} (${partsText(rollout)})`,
    ...stretches(tokens).map(
      ({ mask, texts }) =>
        `  ${mask === 1 ? 'trained' : 'masked '} ${String(texts.length).padStart(5)}  |${texts.map(shown).join('|')}|`,
    ),
    '',
  ];
}

function partsText({ parts }: FinishedRollout): string {
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${value === null ? 'not known' : Number(value.toFixed(3))}`)
    .join(', ');
}

/** Neighbouring tokens with the same mask. */
function stretches(tokens: FinishedRollout['tokens']): { mask: 0 | 1; texts: string[] }[] {
  const found: { mask: 0 | 1; texts: string[] }[] = [];
  for (const [text, mask] of tokens) {
    const last = found.at(-1);
    if (last?.mask === mask) last.texts.push(text);
    else found.push({ mask, texts: [text] });
  }
  return found;
}

function shown(text: string): string {
  return printable(text.replaceAll('\n', '⏎').replaceAll('\t', '⇥'));
}
