import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { passAtK } from '../../../base/statistics/passAtK.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import { createTrajectoryPrompt } from '../../../output/dataset/createTrajectoryPrompt.ts';
import { renderRow } from '../../../output/dataset/renderRow.ts';
import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { judgeConfigSchema } from '../../../schemas/config/judge.ts';
import { createRolloutStage } from '../../../stages/createRolloutStage.ts';
import { createDecontaminateStage } from '../../../stages/dedup/createDecontaminateStage.ts';
import { createJudgeStage } from '../../../stages/judge/createJudgeStage.ts';
import { answerVerdictSchema, readVerdict } from '../../../stages/judge/judgeQuestion.ts';
import { writeModelTokenizer } from '../../output/support/modelTokenizers.ts';
import { rowSettings } from '../../output/support/rowSettings.ts';
import { everySampling } from '../../support/everySampling.ts';
import { runCorpusStage, runRecordStage } from '../../support/runStage.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { goesOn, playerAt } from '../support/player.ts';
import { rejects, startTinyServer } from '../support/startTinyServer.ts';
import { allTools, taskOf } from '../support/team.ts';
import { answer, countedTools, opening, playAgainst, search, textOf } from './support/playAgainst.ts';
import { students } from './support/replayAll.ts';

// The faults of AFM's released evaluation, each of which the player must not have.

test.each(Object.entries(students))(
  '1. the ids of every prompt are those of the training row (%s)',
  async (_, student) => {
    const dataset = datasetConfigSchema.parse(await student());
    const prompt = await createTrajectoryPrompt(dataset);
    const steps = [opening, search('the founder of Vell'), answer('Bo Ferrin')];
    const { requests, trajectory } = await playAgainst(
      ({ body }, count) =>
        goesOn(steps[count]!, { stop_reason: '</wiki_search>' }, (body.prompt as number[]).length),
      { prompt, player: { server: 'vllm' } },
    );
    const tokenizer = await loadTokenizer(dataset.tokenizer);
    const row = await renderRow(trajectory, builtinProfile('mhqa')!, await rowSettings(tokenizer, dataset));
    expect(requests).toHaveLength(3);
    for (const { body } of requests) {
      const ids = body.prompt as number[];
      expect([...row.inputIds.slice(0, ids.length)]).toEqual(ids);
      const before = await tokenizer.decode(Uint32Array.from(ids));
      expect(before).toMatch(/(?:assistant\n|<\|end_header_id\|>\n\n|<\/observation>\n\n)$/);
    }
  },
);

test('1. a server that closes the turn counts other tokens than training, and is refused', async () => {
  const prompt = await createTrajectoryPrompt(datasetConfigSchema.parse({}));
  const closes = ({ body }: { readonly body: { readonly prompt?: unknown } }) =>
    goesOn(opening, {}, (body.prompt as number[]).length + 5);
  const { failure, requests } = await playAgainst(closes, { prompt, player: { server: 'vllm' } });
  expect(failure).toMatchObject({ cause: 'endpoint_rejected', retryable: false });
  expect(failure.message).toMatch(/reads \d+ tokens where training has \d+/);
  expect(requests).toHaveLength(1);
});

test('1. a text prompt leaves out the token that servers put before any text themselves', async () => {
  const tokenizer = await writeModelTokenizer(temporaryFolder(), 'llama3');
  const bos = '<|begin_of_text|>';
  const adds = {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: bos } }, { Sequence: { id: 'A' } }],
  };
  const json = JSON.parse(readFileSync(tokenizer, 'utf8'));
  const processors = [{ type: 'ByteLevel' }, adds];
  writeFileSync(tokenizer, JSON.stringify({ ...json, post_processor: { type: 'Sequence', processors } }));
  const prompt = await createTrajectoryPrompt(
    datasetConfigSchema.parse({ tokenizer, chat_template: 'llama3' }),
  );
  const { prompts } = await playAgainst([opening, answer('x')], { prompt });
  for (const text of prompts) expect(text.startsWith('<|start_header_id|>system')).toBe(true);
});

test('2. thinking is not forced, not after a failed request either, and observations end with two line feeds', async () => {
  const { prompts, trajectory } = await playAgainst([
    goesOn(opening),
    rejects(503, 'overloaded'),
    goesOn(answer('Bo Ferrin')),
  ]);
  expect(prompts[0]).not.toContain('<think>I');
  expect(prompts[0]!.endsWith('<think>')).toBe(false);
  expect(prompts[2]).toBe(prompts[1]);
  expect(prompts[1]!.endsWith('\n</observation>\n\n')).toBe(true);
  expect(textOf(trajectory)).toContain('</wiki_search>\n<observation>\n"Vell"');
});

test('3. a trajectory that is too long ends play; nothing is cut or moved', async () => {
  const { prompts, failure } = await playAgainst(
    (_, count) => goesOn(count === 0 ? opening : search(`number ${count}`)),
    { player: { max_context_tokens: 2_000 } },
  );
  expect(failure).toMatchObject({ cause: 'context_exceeded' });
  expect(prompts.length).toBeGreaterThan(3);
  for (const [at, prompt] of prompts.slice(1).entries()) expect(prompt.startsWith(prompts[at]!)).toBe(true);
});

test('4. the sixth search in a row is made, and nobody scolds', async () => {
  const { inputs, tools } = countedTools();
  const steps = [opening, ...Array.from({ length: 6 }, () => search('Vell')), answer('unknown')];
  const { trajectory } = await playAgainst(steps, { tools });
  expect(inputs).toEqual(Array.from({ length: 7 }, () => ({ query: 'Vell' })));
  const environment = trajectory.segments.filter(({ origin }) => origin === 'environment');
  expect(new Set(environment.map(({ text }) => text))).toEqual(
    new Set(['<observation>\nnothing\n</observation>\n\n']),
  );
});

test.each([
  ['stop', 'malformed_answer', 'ended_in_step'],
  ['length', 'answer_truncated', 'cut_in_step'],
])(
  '5. a step that ends by %s is an end with a name, and is not asked for again',
  async (finish_reason, cause, incident) => {
    const { failure, requests, incidents } = await playAgainst([
      opening,
      goesOn('<think>I wonder', { finish_reason, stop_reason: null }),
    ]);
    expect(failure).toMatchObject({ cause, retryable: false, evidence: { incident } });
    expect(incidents).toEqual([incident]);
    expect(requests).toHaveLength(2);
  },
);

test("6. a tool's failure is no observation: the task fails with the tool's cause", async () => {
  const wiki = allTools.get('wiki_search')!;
  const call = () => Promise.reject(new RecordFailure('tool_unavailable', 'An error occurred'));
  const { failure, outcome, requests } = await playAgainst([opening], {
    tools: new Map([['wiki_search', { ...wiki, call }]]),
  });
  expect(failure.cause).toBe('tool_unavailable');
  expect(requests).toHaveLength(1);
  const failed = { type: 'tool_call', observation: null, failure: { cause: 'tool_unavailable' } };
  expect(outcome).toMatchObject({ partial: { events: [{ type: 'agent_call' }, failed] } });
});

test('7. a task without an answer is played once, and stays in the counts', async () => {
  const server = await startTinyServer(() => goesOn('I do not know.', { stop_reason: null }));
  const stage = createRolloutStage({ teacher: playerAt(server.baseUrl), concurrency: 1 });
  const outcome = await runRecordStage(stage, taskOf('mhqa'));
  expect(outcome).toMatchObject({ kind: 'fail', failure: { cause: 'malformed_answer' } });
  expect(server.requests).toHaveLength(1);
});

test('8. a judge that fails is no verdict, and one that fences its JSON is', async () => {
  const { trajectory } = await playAgainst([opening, answer('Bo Ferrin')]);
  const stage = createJudgeStage({
    config: judgeConfigSchema.parse({ text: 'model', model: { model: 'judge' } }),
    profileOf: builtinProfile,
    concurrency: 1,
    openModel: () => Promise.reject(new RecordFailure('endpoint_timeout', 'no answer')),
  });
  const judged = runRecordStage(stage, trajectory).catch((error: RecordFailure) => ({
    failure: error.failure,
  }));
  expect(await judged).not.toMatchObject({ kind: 'emit' });
  const fenced = '```json\n{"rationale": "equal", "judgement": "correct"}\n```';
  expect(readVerdict(fenced, answerVerdictSchema)).toMatchObject({
    ok: true,
    verdict: { judgement: 'correct' },
  });
});

test('9. the same game has the same ids, so that nothing is counted twice', async () => {
  const games = [await playAgainst([opening, answer('x')]), await playAgainst([opening, answer('x')])];
  const [first, second] = games.map(({ outcome }) => (outcome.kind === 'solved' ? outcome.trace.id : ''));
  expect(first).toBe(second);
  expect(games[0]!.trajectory.id).toBe(games[1]!.trajectory.id);
});

test('10. sampling is sent with every step', async () => {
  const { requests } = await playAgainst([opening, answer('x')], { sampling: everySampling });
  expect(requests).toHaveLength(2);
  const { extra_body, ...named } = everySampling;
  for (const { body } of requests) expect(body).toMatchObject({ ...named, ...extra_body });
});

test('11. pass@8 of one right sample in eight is 1', () => {
  expect(passAtK(8, 1, 8)).toBe(1);
});

test('12. all of an answer with several parts is judged, not what stands before the first bar', async () => {
  const stage = createJudgeStage({
    config: judgeConfigSchema.parse({}),
    profileOf: builtinProfile,
    concurrency: 1,
  });
  const judgementOf = async (text: string) => {
    const { trajectory } = await playAgainst([opening, answer(text)]);
    expect(trajectory.segments.at(-1)!.text).toBe(`<answer>${text}</answer>`);
    return runRecordStage(stage, trajectory);
  };
  const verdict = (judgement: string) => ({ records: [{ quality: { verdicts: [{ judgement }] } }] });
  expect(await judgementOf('Ada Torrin')).toMatchObject(verdict('correct'));
  expect(await judgementOf('Ada Torrin | Bo Ferrin')).toMatchObject(verdict('incorrect'));
});

test('13. a task that a benchmark asks is dropped before it is played', async () => {
  const file = join(temporaryFolder(), 'benchmark.jsonl');
  writeFileSync(file, `${JSON.stringify({ question: taskOf('mhqa').question })}\n`);
  const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: file }] });
  const outcomes = await runCorpusStage(createDecontaminateStage(config), [taskOf('mhqa')]);
  expect(outcomes).toMatchObject([{ outcome: { kind: 'drop', reason: 'contaminated' } }]);
});
