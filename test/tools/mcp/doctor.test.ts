import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { UserError } from '../../../base/userError.ts';
import { loadConfig } from '../../../pipeline/config/loadConfig.ts';
import { runCli } from '../../cli/support/runCli.ts';
import { sharedFolder } from '../../endToEnd/support/sharedFolder.ts';
import { programBeside } from '../support/mcpServers.ts';

const cwd = sharedFolder();
const catalogue = programBeside('mcpCatalogue.ts');
const tools = { look_up: { server: 'shelf' } };
const start = { command: process.execPath, args: [catalogue] };

/** A configuration with a section `tools.mcp`; a profile calls `look_up`. */
function writeConfig(mcp: object, more: object = {}): void {
  const profile = {
    name: 'catalogue',
    extends: 'mhqa',
    tags: [{ tag: 'look_up', kind: 'tool' }],
    follows: { plan: ['look_up', 'wiki_search'], look_up: ['reflection'] },
    think_before: ['plan', 'wiki_search', 'look_up', 'reflection', 'answer'],
  };
  const config = {
    profiles: [profile],
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'catalogue' }] },
    teacher: { backend: 'scripted', script: 'tasks.jsonl' },
    tools: { wiki_search: { corpus: 'passages.jsonl' }, mcp, ...more },
  };
  writeFileSync(join(cwd, 'coa.yaml'), stringify(config));
}

beforeAll(() => {
  writeFileSync(join(cwd, 'tasks.jsonl'), `${JSON.stringify({ question: 'Q?', answer: 'a' })}\n`);
  writeFileSync(join(cwd, 'passages.jsonl'), `${JSON.stringify({ id: '1', contents: '"A"\nb' })}\n`);
});

const doctor = async () => {
  const { stdout } = await runCli(['doctor', '--json'], { cwd });
  const checks = JSON.parse(stdout) as { what: string }[];
  return checks.filter(({ what }) => what.startsWith('MCP'));
};

test('doctor starts each server, and looks for its tools', async () => {
  const servers = {
    shelf: start,
    empty: start,
    gone: { command: '/no/such/program' },
    keyed: { ...start, env: ['NO_SUCH_VARIABLE'] },
  };
  writeConfig({ servers, tools: { look_up: { server: 'shelf', tool: 'get_product' } } });
  expect(await doctor()).toMatchObject([
    {
      what: 'MCP server shelf',
      ok: true,
      found: 'offers get_product',
      neededFor: 'the tools look_up',
      required: true,
    },
    { what: 'MCP server empty', ok: true, neededFor: 'no tool', required: false },
    {
      what: 'MCP server gone',
      ok: false,
      found: "the MCP server gone can't be started (ENOENT)",
      required: false,
    },
    {
      what: 'MCP server keyed',
      ok: false,
      found: expect.stringMatching(
        /^tools\.mcp\.servers\.keyed\.env: the environment variable NO_SUCH_VARIABLE is not set/,
      ),
    },
  ]);
});

test('doctor lists what there is instead', async () => {
  writeConfig({ servers: { shelf: start }, tools });
  expect(await doctor()).toMatchObject([
    { ok: false, found: 'offers no look_up; it offers get_product, compare, environment, end' },
  ]);
});

test('what a server calls its tools is shown so far, and does not write to the terminal', async () => {
  const args = [programBeside('hostileMcp.ts'), 'harmful-name'];
  writeConfig({ servers: { shelf: { ...start, args } }, tools });
  const { stdout } = await runCli(['doctor'], { cwd });
  const line = stdout.split('\n').find((check) => check.includes('MCP server shelf'))!;
  expect(line).toMatch(/offers no look_up; it offers \\u\{1b\}\]0;x\\u\{7\}x{94} · for the tools look_up/);
});

test.each<[string, object, object, RegExp]>([
  [
    'a server that is not there',
    { servers: { shelf: start }, tools: { look_up: { server: 'shelv' } } },
    {},
    /tools\.mcp\.tools\.look_up\.server: no server is named shelv in tools\.mcp\.servers; did you mean "shelf"\?/,
  ],
  [
    'a tag that nothing calls',
    { servers: { shelf: start }, tools: { ...tools, lookup: { server: 'shelf' } } },
    {},
    /tools\.mcp\.tools\.lookup: no profile has a tool lookup; did you mean "look_up"\?/,
  ],
  [
    'a tag of a built-in tool',
    { servers: { shelf: start }, tools: { ...tools, wiki_search: { server: 'shelf' } } },
    {},
    /wiki_search is built in/,
  ],
  [
    'a tag that has a tool',
    { servers: { shelf: start }, tools },
    { custom: { look_up: { url: 'http://127.0.0.1:9/', description: 'd' } } },
    /look_up is also in tools\.custom/,
  ],
  [
    'both ways to reach a server',
    { servers: { shelf: { ...start, url: 'http://127.0.0.1:9/' } } },
    {},
    /expected either command, for a program on this machine, or url/,
  ],
  ['neither', { servers: { shelf: {} } }, {}, /expected either command/],
  [
    'a setting of the other kind',
    { servers: { shelf: { ...start, api_key_env: 'KEY' } }, tools },
    {},
    /servers\.shelf\.api_key_env: is for a server with url/,
  ],
  [
    'a value for the name of a variable',
    { servers: { shelf: { ...start, env: ['KEY=secret'] } } },
    {},
    /the name of an environment variable/,
  ],
  [
    'an address with a key',
    { servers: { shelf: { url: 'http://127.0.0.1:9/?key=x' } } },
    {},
    /an address without user name/,
  ],
  [
    'a folder that is not there',
    { servers: { shelf: { ...start, cwd: 'nowhere' } }, tools },
    {},
    /servers\.shelf\.cwd: no such folder: .*nowhere/,
  ],
])('%s is told by its line', async (_title, mcp, more, message) => {
  writeConfig(mcp, more);
  const error = await loadConfig(join(cwd, 'coa.yaml')).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toMatch(/coa\.yaml:\d+: /);
  expect((error as UserError).message).toMatch(message);
});

test.each<[string, object, number, RegExp]>([
  [
    'does not start',
    { command: '/no/such/program' },
    1,
    /tools\.mcp\.servers\.shelf: the MCP server shelf can't be started \(ENOENT\); fix that/,
  ],
  [
    'ends at once',
    { command: process.execPath, args: ['-e', 'console.error("no licence"); process.exit(3)'] },
    1,
    /the MCP server shelf ended with status 3: no licence; fix that/,
  ],
  [
    'has no such tool',
    start,
    2,
    /tools\.mcp\.tools\.look_up\.tool: the MCP server shelf offers no tool look_up/,
  ],
  [
    'wants a value that is not there',
    { ...start, env: ['NO_SUCH_VARIABLE'] },
    2,
    /the environment variable NO_SUCH_VARIABLE is not set/,
  ],
])('a run whose server %s ends before anything is asked', async (_title, server, code, message) => {
  writeConfig({ servers: { shelf: server }, tools });
  const run = await runCli(['run'], { cwd });
  expect(run.stderr).toMatch(message);
  expect(run.code).toBe(code);
});
