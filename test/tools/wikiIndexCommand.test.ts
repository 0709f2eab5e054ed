import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runCli, startCli } from '../cli/support/runCli.ts';
import { startEmbeddingServer } from '../support/startEmbeddingServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';

const passages = [
  { id: 'orne', contents: '"Orne"\nThe river flows past a town.' },
  { id: 'calder', contents: '"Calder"\nA hill of slate.' },
  { id: 'brine', contents: '"Brine Barrow"\nA company that boils salt.' },
];

function project(wiki: string, lines: readonly object[] = passages): string {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'wiki.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(path.join(folder, 'tasks.jsonl'), '');
  writeFileSync(
    path.join(folder, 'coa.yaml'),
    `tasks: { sources: [{ file: tasks.jsonl, profile: mhqa }] }\ntools:\n  wiki_search: ${wiki}\n`,
  );
  return folder;
}

const call = async (cwd: string, query: string) => {
  const called = await runCli(
    ['tools', 'call', 'wiki_search', '--json', '--input', JSON.stringify({ query })],
    { cwd },
  );
  expect(called.stderr).toBe('');
  return (JSON.parse(called.stdout) as { raw: { id: string }[] }).raw.map(({ id }) => id);
};

test('builds an index beside the corpus, which wiki_search then uses, and keeps it', async () => {
  const cwd = project('{ index: wiki.sqlite, top_k: 2 }');
  const built = await runCli(['tools', 'index', 'wiki.jsonl'], { cwd });
  expect(built).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^wiki\.sqlite: 3 passages, .* KB, .* s\n$/),
  });
  expect(await call(cwd, 'who boils salt')).toEqual(['brine']);
  const again = await runCli(['tools', 'index', 'wiki.jsonl'], { cwd });
  expect(again.stderr).toBe('wiki.sqlite: the index of this corpus is there already, 3 passages\n');
  writeFileSync(path.join(cwd, 'wiki.jsonl'), `${JSON.stringify(passages[0])}\n`);
  const replaced = await runCli(['tools', 'index', 'wiki.jsonl'], { cwd });
  expect(replaced.stderr).toMatch(/1 passages/);
});

test('adds a dense index, goes on after a failure, and searches by meaning', async () => {
  const server = await startEmbeddingServer((texts) =>
    server.requests.length === 2 && texts[0]!.startsWith('Calder')
      ? { status: 401, body: { error: { message: 'no money left' } } }
      : undefined,
  );
  const dense = `{ model: { model: tiny, endpoint: { base_url: "${server.baseUrl}", api_key_env: "", concurrency: 1 } }, batch_size: 1 }`;
  const cwd = project(`{ index: wiki.sqlite, mode: hybrid, top_k: 1, dense: ${dense} }`);
  const index = ['tools', 'index', 'wiki.jsonl', '--dense'];
  const failed = await runCli(index, { cwd });
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('what came is kept, and the same command goes on'),
  });
  const built = await runCli(index, { cwd });
  expect(built).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/wiki\.sqlite\.dense: 3 vectors of 96 dimensions/),
  });
  const texts = server.requests.flatMap(({ body }) => body.input as string[]);
  expect(texts.filter((text) => text.startsWith('Orne'))).toHaveLength(1);
  expect(await call(cwd, 'stream runs by village')).toEqual(['orne']);
  const kept = await runCli(index, { cwd });
  expect(kept.stderr).toMatch(/the dense index is there already\n$/);
  writeFileSync(
    path.join(cwd, 'coa.yaml'),
    readFileSync(path.join(cwd, 'coa.yaml'), 'utf8').replace('model: tiny', 'model: other'),
  );
  const other = await runCli(index, { cwd });
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/built with model "tiny", not "other"; delete it/),
  });
});

test.each<[string, string[], string | undefined, RegExp]>([
  ['a bad line', ['wiki.jsonl'], '{"id": "x"}\n', /^error: wiki\.jsonl:1: contents: expected a string/],
  ['no corpus', ['none.jsonl'], undefined, /^error: none\.jsonl: the passage corpus can't be read/],
  [
    'an --out that is something else',
    ['wiki.jsonl', '--out', 'coa.yaml'],
    undefined,
    /^error: --out coa\.yaml: exists and is not a passage index/,
  ],
  [
    '--dense without a model',
    ['wiki.jsonl', '--dense'],
    undefined,
    /error: --dense needs the model of the embeddings/,
  ],
])('%s is one line and exit code 2', async (_what, args, corpus, message) => {
  const cwd = project('{ corpus: wiki.jsonl }');
  const before = readFileSync(path.join(cwd, 'coa.yaml'), 'utf8');
  if (corpus !== undefined) writeFileSync(path.join(cwd, 'wiki.jsonl'), corpus);
  const ran = await runCli(['tools', 'index', ...args], { cwd });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
  expect(readFileSync(path.join(cwd, 'coa.yaml'), 'utf8')).toBe(before);
});

test('a killed build leaves no index, and the next removes what it left', async () => {
  const text = 'salt '.repeat(200);
  const many = Array.from({ length: 20_000 }, (_, at) => ({ id: at, contents: `"Lot ${at}"\n${text}${at}` }));
  const cwd = project('{ index: wiki.sqlite }', many);
  const isBuilding = () => readdirSync(cwd).some((name) => name.startsWith('.wiki.sqlite.'));
  const child = startCli(['tools', 'index', 'wiki.jsonl'], { cwd });
  const ended = once(child, 'exit');
  await waitUntil('the new index', isBuilding, { everyMs: 5, child });
  child.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(existsSync(path.join(cwd, 'wiki.sqlite'))).toBe(false);
  writeFileSync(path.join(cwd, 'wiki.jsonl'), `${JSON.stringify(passages[0])}\n`);
  expect((await runCli(['tools', 'index', 'wiki.jsonl'], { cwd })).code).toBe(0);
  expect(readdirSync(cwd).sort()).toEqual(['coa.yaml', 'tasks.jsonl', 'wiki.jsonl', 'wiki.sqlite']);
});

test('an index that is missing, or a section that says too much, is told before anything runs', async () => {
  const missing = await runCli(['tools', 'call', 'wiki_search', '--input', '{"query": "x"}'], {
    cwd: project('{ index: none.sqlite }'),
  });
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/none\.sqlite: there is no passage index; build it/),
  });
  const both = await runCli(['tools', 'call', 'wiki_search', '--input', '{"query": "x"}'], {
    cwd: project('{ corpus: wiki.jsonl, url: "http://127.0.0.1:1/retrieve" }'),
  });
  expect(both).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('wiki_search: expected one of corpus, index and url, got 2'),
  });
});
