import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentYaml } from '../../rl/dataset/rlFiles.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { rlPage, type ScriptedRlServer, startRlServer } from './support/rlServer.ts';
import { pythonScript, runPython } from './support/runPython.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const programs = fileURLToPath(new URL('../../rl/dataset/', import.meta.url));
const folder = sharedFolder();
const failuresFile = path.join(folder, 'failures.jsonl');

/** A turn is a text, or texts that are encoded apart: tokens that a model may sample and no tokenizer would choose. */
type Turn = string | readonly string[];
const call = (query: string): string => `<think>look</think>\n<wiki_search>${query}</wiki_search>`;
interface Case {
  readonly turns: readonly Turn[];
  readonly prompt?: string;
  /** What the engine says of the end of each generation; default: completed. */
  readonly stopReason?: string;
}
const cases: Readonly<Record<string, Case>> = {
  plain: { turns: [call('island'), '<think>ok</think>\n<answer>Tarn</answer>'] },
  insideToken: { turns: [`${call('island')}\n`, '<answer>Tarn</answer>'] },
  oddTokens: {
    turns: [
      ['<', 'wiki', '_', 'sea', 'rch', '>', 'is', 'land', '<', '/', 'wiki', '_', 'search', '>'],
      ['<answer>T', 'a', 'r', 'n', '</answer>'],
    ],
  },
  inThought: { turns: ['<think>a </wiki_search>', ' tag</think><answer>Borg</answer>'] },
  splitCharacters: { turns: [call('Ærø 🏝 𓂀'), '<answer>Tarn 🏝</answer>'] },
  cutCharacter: { turns: ['𓂀'.repeat(40)] },
  emptyObservation: { turns: [call('EMPTY'), '<answer>Tarn</answer>'] },
  endOfTurn: { turns: ['no tags at all<|im_end|>'] },
  stepTooLong: { turns: ['word '.repeat(100)] },
  observationTooLong: { turns: [call('LONG'), '<answer>Tarn</answer>'] },
  retried: { turns: [call('TWICE'), '<answer>Tarn</answer>'] },
  toolDown: { turns: [call('FAULT'), '<answer>Tarn</answer>'] },
  control: { turns: [call('CONTROL'), '<answer>Tarn</answer>'] },
  unscored: { turns: ['<answer>UNSCORED</answer>'] },
  ignoresStops: { turns: ['<answer>Tarn</answer> and on it goes'] },
  aborted: { turns: ['<think>half of a thought'], stopReason: 'aborted' },
  abortedAtOnce: { turns: [''], stopReason: 'abort' },
  abortedTooLate: { turns: ['<answer>Tarn</answer>'], stopReason: 'aborted' },
  abortedAtLimit: { turns: ['word '.repeat(100)], stopReason: 'aborted' },
  promptTooLong: { turns: ['<answer>Tarn</answer>'], prompt: 'long '.repeat(100) },
};

interface Played {
  readonly name: string;
  readonly asked: readonly { readonly prompt_ids: readonly number[]; readonly [key: string]: unknown }[];
  readonly error?: string;
  readonly ids: readonly number[];
  readonly mask: readonly number[];
  readonly logprobs: readonly number[];
  readonly tokens: readonly string[];
  readonly turns: number;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly reward: Readonly<Record<string, number | null>>;
}

let server: ScriptedRlServer;
let played: ReadonlyMap<string, Played>;

beforeAll(async () => {
  server = await startRlServer();
  const model = path.join(folder, 'model');
  await writeModelFolder(model);
  const at = (name: string): string => path.join(folder, name);
  await writeFile(at('agent.yaml'), `${agentYaml}  retries: 2\n  pause_s: 0.01\n`);
  const request = {
    model,
    engine: 'vllm',
    agent: at('agent.yaml'),
    reward: path.join(programs, 'coa_reward.py'),
    cases: Object.entries(cases).map(
      ([name, { turns, prompt = `Question ${name}`, stopReason = 'completed' }]) => ({
        name,
        prompt,
        turns,
        stop_reason: stopReason,
      }),
    ),
  };
  await writeFile(at('request.json'), JSON.stringify(request));
  const output = await runPython({
    environment: 'trainers',
    args: [pythonScript('play_rollouts.py'), at('request.json')],
    folder,
    env: {
      PYTHONPATH: programs,
      COA_RL_URL: server.url,
      COA_RL_TOKEN: server.token,
      COA_RL_FAILURES: failuresFile,
    },
  });
  const line = output.split('\n').find((text) => text.startsWith('[{"name"'))!;
  played = new Map((JSON.parse(line) as Played[]).map((one) => [one.name, one]));
});

afterAll(() => server.close());

/** The text of the tokens with a mask. */
function textOf({ tokens, mask }: Played, wanted: 0 | 1): string {
  return tokens.filter((_, at) => mask[at] === wanted).join('');
}

const observation = `\n<observation>\n${rlPage}\n</observation>\n\n`;

test('what was sampled is trained as it is, what a tool said never', () => {
  const plain = played.get('plain')!;
  expect(plain.error).toBeUndefined();
  expect(textOf(plain, 1)).toBe((cases.plain!.turns as string[]).join(''));
  expect(textOf(plain, 0)).toBe(observation);
  expect(plain.mask).toHaveLength(plain.ids.length);
  expect(plain.logprobs.map((value, at) => value === 0 || plain.mask[at] === 1)).not.toContain(false);
  expect([...new Set(plain.logprobs)]).toEqual([-0.5, 0, -1.5]);
  expect(plain.extra).toMatchObject({ coa_answer: 'Tarn', coa_score: 1, coa_end: 'answer', coa_calls: 1 });
  expect(plain.extra).toMatchObject({ min_global_steps: 3, max_global_steps: 5 });
  expect(plain.reward).toEqual({ score: 1, calls: 1, part_correctness: 1, part_length: null });
});

test('the second generation goes on behind the very tokens of the first', () => {
  const { asked, ids } = played.get('plain')!;
  const [first, second] = asked;
  const ahead = second!.prompt_ids.slice(first!.prompt_ids.length);
  expect(ahead).toEqual(ids.slice(0, ahead.length));
  expect(second!.request_id).toBe(first!.request_id);
  expect(first).toMatchObject({
    stop: ['</wiki_search>', '</answer>'],
    include_stop_str_in_output: true,
    max_tokens: 64,
  });
});

test('a stop text that ends inside a token leaves the token whole', () => {
  const one = played.get('insideToken')!;
  expect(one.tokens.filter((_, at) => one.mask[at] === 1)).toContain('>\n');
  expect(textOf(one, 0)).toBe(observation.slice(1));
});

test('tokens that no tokenizer would choose are kept', () => {
  const one = played.get('oddTokens')!;
  expect(textOf(one, 1)).toBe('<wiki_search>island</wiki_search><answer>Tarn</answer>');
  expect(one.tokens.join('|')).toContain('a|r|n|</');
  expect(one.extra.coa_score).toBe(1);
});

test('a character of several tokens is whole for the tool, and its tokens are kept', () => {
  const one = played.get('splitCharacters')!;
  expect(one.tokens).toContain('\ufffd');
  expect(server.queries).toContain('Ærø 🏝 𓂀');
  expect(textOf(one, 0)).toBe(observation);
  expect(one.extra).toMatchObject({ coa_answer: 'Tarn 🏝', coa_calls: 1 });
});

test('a step that ends inside a character ends by its length, with a text that can be sent', () => {
  const one = played.get('cutCharacter')!;
  expect(one.ids).toHaveLength(64);
  expect(one.extra).toMatchObject({ coa_end: 'length', coa_score: 0 });
  const asked = server.scored.find(({ task_id }) => task_id === 'cutCharacter')!;
  expect(asked.segments[0]!.text.isWellFormed()).toBe(true);
});

test('an observation without a text is an observation', () => {
  expect(textOf(played.get('emptyObservation')!, 0)).toBe('\n<observation>\n\n</observation>\n\n');
});

test('a tag in a thought calls nothing: sampling goes on', () => {
  const one = played.get('inThought')!;
  expect(new Set(one.mask)).toEqual(new Set([1]));
  expect(one.extra).toMatchObject({ coa_answer: 'Borg', coa_score: 0, coa_calls: 0 });
});

test('the token that ends the turn is trained and is no text', () => {
  const one = played.get('endOfTurn')!;
  expect(one.tokens.at(-1)).toBe('<|im_end|>');
  expect(one.mask.at(-1)).toBe(1);
  expect(one.extra.coa_end).toBe('no_answer');
  const asked = server.scored.find(({ task_id }) => task_id === 'endOfTurn')!;
  expect(asked.segments).toEqual([{ origin: 'model', text: 'no tags at all' }]);
});

test('limits end a trajectory, and an observation without room is left out', () => {
  expect(played.get('stepTooLong')!.ids).toHaveLength(64);
  expect(played.get('stepTooLong')!.extra.coa_end).toBe('length');
  const one = played.get('observationTooLong')!;
  expect(textOf(one, 0)).toBe('');
  expect(one.extra).toMatchObject({ coa_end: 'length', coa_score: 0 });
});

test('a tool that fails for a moment is asked again', () => {
  expect(played.get('retried')!.extra.coa_score).toBe(1);
  expect(server.queries.filter((query) => query === 'TWICE')).toHaveLength(3);
});

test.each([
  ['toolDown', 'tool (tool): the scripted tool fault'],
  ['control', 'environment (control_token): what a tool said holds <|im_end|>'],
  ['unscored', 'unscored (reward): the scripted judge fault'],
  ['ignoresStops', 'engine (ignores_stops): it sampled on behind a stop text'],
  ['aborted', 'engine (aborted): it gave a generation up after 7 tokens'],
  ['abortedAtOnce', 'engine (aborted): it gave a generation up after 0 tokens'],
  ['promptTooLong', 'prompt (too_long): '],
])('%s is raised, never scored as wrong', (name, message) => {
  expect(played.get(name)!.error).toContain(`RolloutFailure: ${message}`);
});

test('a generation that was given up when it had ended is whole', () => {
  expect(played.get('abortedTooLate')!.extra).toMatchObject({ coa_end: 'answer', coa_score: 1 });
  expect(played.get('abortedAtLimit')!.extra).toMatchObject({ coa_end: 'length', coa_score: 0 });
});

test('each failure is noted once, with its cause', async () => {
  const lines = (await readFile(failuresFile, 'utf8')).trimEnd().split('\n');
  const noted = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(noted.map(({ task_id, kind, step }) => [task_id, kind, step])).toEqual([
    ['toolDown', 'tool', 7],
    ['control', 'environment', 7],
    ['unscored', 'unscored', 7],
    ['ignoresStops', 'engine', 7],
    ['aborted', 'engine', 7],
    ['abortedAtOnce', 'engine', 7],
    ['promptTooLong', 'prompt', 7],
  ]);
});
