import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';

/** Where a run names a model besides its teacher, and the configuration around such a model. */
const places: readonly [path: string, around: (model: string) => string][] = [
  ['judge.model', (model) => `judge: { text: model, model: ${model} }\n`],
  ['probe.model', (model) => `probe: { pass_rate: { max: 0.5 }, model: ${model} }\n`],
  [
    'dedup.trajectories.semantic.model',
    (model) => `dedup: { trajectories: { semantic: { model: ${model} } } }\n`,
  ],
  [
    'tools.visual_inspector.model',
    (model) => `  visual_inspector: { folder: images, model: ${model} }
  site: { folder: images }
  web_search: {}
  crawl_page: {}
  code: { allow_unsafe: true }
`,
  ],
];

const bounded = (path: string) => (path.startsWith('dedup') ? '' : ', sampling: { max_tokens: 9 }');

test.each(places)('what a run needs of %s is said before anything is spent', async (path, around) => {
  const server = await startTinyServer(() => ({ body: { data: [] } }));
  const refusalOf = async (model: string, more = '') => {
    const profile = path.startsWith('tools') ? 'afm' : 'mhqa';
    const cwd = createProject({ profile, more: `${around(model)}${more}` });
    mkdirSync(join(cwd, 'images'));
    const { code, stderr } = await runCli(['run'], { cwd });
    expect(code, stderr).toBeGreaterThan(0);
    expect(existsSync(join(cwd, 'runs/coa/rollout'))).toBe(false);
    return stderr;
  };
  const at = (baseUrl: string, key = '') => `endpoint: { base_url: "${baseUrl}", api_key_env: "${key}" }`;
  const name = new RegExp(`NO_SUCH_KEY is not set.*${path}`);
  expect(await refusalOf(`{ model: m, ${at(server.baseUrl, 'NO_SUCH_KEY')} }`)).toMatch(name);
  const priced = `{ model: m, ${at(server.baseUrl)}${bounded(path)} }`;
  const cost = 'budget: { max_cost_usd: 1 }\n';
  expect(await refusalOf(priced, cost)).toMatch(new RegExp(`no price is known of m.*${path}.price`));
  // Embeddings have no such bound, and are asked for at the start of the run anyway.
  if (bounded(path) !== '') {
    const unbounded = await refusalOf(
      `{ model: m, ${at(server.baseUrl)} }`,
      'budget: { max_tokens: 1000 }\n',
    );
    expect(unbounded).toContain(`${path}.sampling.max_tokens is not set`);
    const away = await refusalOf(`{ model: m, ${at('http://127.0.0.1:1/v1')} }`);
    expect(away).toContain("http://127.0.0.1:1/v1 can't be reached");
  }
  expect(server.requests.filter(({ path }) => path !== '/v1/models')).toEqual([]);
  await server.close();
});

const dedup = ['dedup', 'tasks.jsonl', '--of', 'trajectory', '--out', 'out.jsonl', '--config', 'coa.yaml'];

test.each([
  [['run'], 'judge: { text: model }\n', /coa\.yaml:\d+: judge\.text: expected judge\.model, the model/],
  [['run'], 'judge: { model: { model: m }, instructions: { profiles: [mhqaa] } }\n', /profiles\.0: .*"mhqa"/],
  [['run'], 'probe: { pass_rate: { max: 0.3 } }\n', /probe.*: .*model, pass_rate\.from or both/],
  [
    dedup,
    'dedup: { trajectories: { semantic: { model: { model: m } } } }\n',
    /semantic: the command dedup asks no model/,
  ],
])('%j with %j is refused', async (args, more, message) => {
  const { code, stderr } = await runCli(args, { cwd: createProject({ more }) });
  expect(stderr).toMatch(message);
  expect(code).toBe(2);
});
