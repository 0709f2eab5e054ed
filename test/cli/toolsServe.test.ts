import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createProject } from './support/project.ts';
import { finished, runCli, startCli } from './support/runCli.ts';

/** A folder with a configuration that holds nothing but tools. */
function toolsFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'passages.jsonl'), '{"id": "1", "contents": "\\"Kessa\\"\\nAn island."}\n');
  writeFileSync(join(folder, 'tools.yaml'), 'tools:\n  wiki_search: { corpus: passages.jsonl }\n');
  return folder;
}

async function serving(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const child = startCli(['serve', 'tools', ...args, '--port', 'wiki_search=0'], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  let printed = '';
  child.stdout!.on('data', (chunk) => (printed += String(chunk)));
  await waitUntil('the addresses', () => printed.includes('Ctrl-C'), { child });
  return { child, ended, url: /POST (\S+)/.exec(printed)![1]! };
}

const ask = (url: string) =>
  fetch(url, { method: 'POST', body: '{"queries": ["Kessa"]}' }).then((answer) => answer.json());

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('serves a configuration of tools alone until %s', async (signal, code) => {
  const { child, ended, url } = await serving(['--config', 'tools.yaml'], toolsFolder());
  expect(await ask(url)).toEqual({ result: [[{ id: '1', contents: '"Kessa"\nAn island.' }]] });
  child.kill(signal);
  expect(await ended).toMatchObject({ code });
});

test('serves the tools of a run’s configuration, at a port of the command line', async () => {
  const args = ['wiki_search', '--host', '127.0.0.2'];
  const { url } = await serving(args, createProject());
  expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+\/retrieve$/);
  expect(await ask(url)).toEqual({ result: [[]] });
});

test('logs a line a request, without what was asked', async () => {
  const { child, ended, url } = await serving(['--config', 'tools.yaml'], toolsFolder());
  await ask(url);
  child.kill('SIGTERM');
  const { stderr } = await ended;
  expect(stderr.split('\n').filter((line) => line.startsWith('{'))).toHaveLength(1);
  expect(stderr).not.toContain('Kessa');
});

test('warns of servers that others reach and that ask for no key', async () => {
  const open = await serving(['--config', 'tools.yaml', '--host', '0.0.0.0'], toolsFolder());
  open.child.kill('SIGTERM');
  expect((await open.ended).stderr).toMatch(/^warning: .*0\.0\.0\.0/);
  const locked = await serving(['--config', 'tools.yaml', '--host', '0.0.0.0'], toolsFolder(), {
    COA_TOOLS_KEY: 'k',
  });
  expect(await ask(locked.url.replace('0.0.0.0', '127.0.0.1'))).toMatchObject({ detail: expect.any(String) });
  locked.child.kill('SIGTERM');
  expect((await locked.ended).stderr).not.toContain('warning');
  const here = await serving(['--config', 'tools.yaml', '--host', 'localhost'], toolsFolder());
  here.child.kill('SIGTERM');
  expect((await here.ended).stderr).not.toContain('warning');
});

describe('a mistake is one line and exit code 2', () => {
  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const args = ['--config', 'tools.yaml', '--port', `wiki_search=${port}`];
    const { code, stderr } = await runCli(['serve', 'tools', ...args], { cwd: toolsFolder() });
    expect(stderr).toMatch(
      new RegExp(`^error: wiki_search can't be served on 127.0.0.1, port ${port}: .*\n$`),
    );
    expect(code).toBe(2);
  });
});

describe('tools call', () => {
  test('needs no tasks, and says what is configured', async () => {
    const cwd = toolsFolder();
    const call = await runCli(
      ['tools', 'call', 'wiki_search', '--config', 'tools.yaml', '--input', '{"query": "Kessa"}'],
      { cwd },
    );
    expect(call).toMatchObject({ code: 0, stdout: 'Doc 1 (Title: "Kessa")\nAn island.\n' });
  });

  test('runs as its help prints it, where the configuration has what the help says', async () => {
    const cwd = temporaryFolder();
    const page = { title: 'Lights', link: 'http://a.example/', snippet: 'Lighthouses.' };
    writeFileSync(
      join(cwd, 'passages.jsonl'),
      `${JSON.stringify({ id: '0', contents: '"L"\nA lighthouse.' })}\n`,
    );
    const engine = createServer((_, response) => {
      const results = [{ title: page.title, url: page.link, content: page.snippet }];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ results }));
    });
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void engine.close());
    const { port } = engine.address() as AddressInfo;
    const sections = toolNames
      .map((name) => [name, toolFactsOf(name).leastSettings] as const)
      .filter(([, least]) => least !== undefined)
      .map(([name, least]) => `  ${name}: ${least!.replace('127.0.0.1:8080', `127.0.0.1:${port}`)}\n`);
    writeFileSync(join(cwd, 'coa.yaml'), `tools:\n${sections.join('')}`);
    const help = (await runCli(['tools', 'call', '--help'], { cwd })).stdout;
    const printed = [
      ...help.matchAll(/tools call (web_search|wiki_search) --config coa\.yaml --input '(.*?)'/g),
    ];
    expect(printed).toHaveLength(2);
    for (const [, name, input] of printed) {
      const args = ['tools', 'call', name!, '--config', 'coa.yaml', '--input', input!];
      const call = await runCli(args, { cwd });
      expect(call, call.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/lighthouse/i) });
    }
  });

  test('ends with 1 when the tool’s service fails', async () => {
    const cwd = temporaryFolder();
    writeFileSync(
      join(cwd, 'coa.yaml'),
      'tools: { web_search: { base_url: "http://127.0.0.1:9", api_key_env: "", max_retries: 0 } }\n',
    );
    const { code, stderr } = await runCli(['tools', 'call', 'web_search', '--input', '{"query": "a"}'], {
      cwd,
    });
    expect(stderr).toMatch(/^error: web_search: .*\n$/);
    expect(code).toBe(1);
  });
});
