import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { alpacaRow, cleanText } from '../support/datasetRows.ts';
import { createProject, jsonLines, type ProjectOptions, sampleTasks } from './support/project.ts';
import { launcher, runCli } from './support/runCli.ts';

/** A command line that a user got wrong, in a project that may be wrong itself. */
interface Mistake extends ProjectOptions {
  /** Its words, those with spaces in quotes. */
  readonly args: string;
  readonly files?: Readonly<Record<string, string>>;
}

const label = { question: 'q', answers: ['a'], prediction: 'p' };

const webTools =
  '  site: { folder: . }\n  crawl_page: {}\n  web_search: { base_url: "http://127.0.0.1:9" }\n';

const row = JSON.stringify(alpacaRow(cleanText));
const rowFiles = {
  'in.jsonl': `${row}\n`,
  'list.json': `[${row}]`,
  'empty.json': '',
  'binary.json': 'PK\u0003\u0004\0',
  'strange.jsonl': '{"a": 1}\n',
  'torn.jsonl': `${row}\n{"a`,
  'torn.json': `[${row},{"x\``,
  'bad.jsonl': `${row}\n{"a\n${row}\n`,
  'manifest/manifest.json': '{"segments_encoded": 1}',
};
/** What commands on files of rows are given wrongly. */
const rowMistakes = [
  'check empty.json',
  'check strange.jsonl',
  'check binary.json',
  'check torn.json',
  'check list.json --profile mqha',
  'check list.json --tokenizer no.json',
  'check list.json --tokenizer strange.jsonl',
  'check list.json --sample 0',
  'check list.json --observation-tag <x>',
  'check manifest',
  'filter in.jsonl',
  'filter nowhere.jsonl --out o.jsonl',
  'filter torn.jsonl --out o.jsonl',
  'filter bad.jsonl --out o.jsonl',
  'filter in.jsonl --out no/o.jsonl',
  'filter in.jsonl --out o.parquet',
  'filter in.jsonl --out o.jsonl --ledger o.jsonl',
  'filter in.jsonl --out o.jsonl --ledger ./in.jsonl',
  'filter in.jsonl --out o.jsonl --ledger o.jsonl.sampling.jsonl',
  'filter in.jsonl --out o.jsonl --profile mqha',
  'filter in.jsonl --out o.jsonl --set filters.min=1',
  'filter in.jsonl --out o.jsonl --set filters',
  'filter in.jsonl --out o.jsonl --set filters.secrets.action=mask',
  'filter - - --out o.jsonl',
  'balance in.jsonl --out o.jsonl',
  'balance in.jsonl --by size --cap 1 --out o.jsonl',
  'decontaminate in.jsonl --out o.jsonl',
  'dedup in.jsonl --out .',
  'dedup in.jsonl --shingle words:5 --out o.jsonl',
].map((args): Mistake => ({ args, files: rowFiles }));

const mistakes: readonly Mistake[] = [
  { args: 'run', tasks: '' },
  {
    args: 'run',
    tasks: jsonLines(sampleTasks.slice(0, 7)).replace('{"id":"q6"', '{"id":"q6'),
  },
  { args: 'run', tasks: '\u001b[2J{\n' },
  { args: 'run', profile: 'mqha' },
  { args: 'run', profile: 'math' },
  { args: 'run', profile: 'web', more: webTools },
  { args: 'run', more: 'filters: { duplicat_questions: keep }' },
  { args: 'run', more: 'seed: soon' },
  { args: 'run', more: 'judge: {' },
  { args: 'run', more: 'runs_dir: tasks.jsonl/runs' },
  { args: 'run', teacher: '{ backend: openai, model: { model: m } }' },
  { args: 'run tasks.jsonl' },
  { args: 'run nope.yaml' },
  { args: 'run --base-url http://me:hidden@127.0.0.1:9/v1' },
  { args: 'run --tasks gone.jsonl' },
  { args: 'run --from judge --until dedup' },
  { args: 'run --until select' },
  { args: 'run --from balance' },
  { args: 'run --until decontaminate --dry-run' },
  { args: 'run --from filtre' },
  { args: 'run --limit -3' },
  { args: 'run --workers 2 --offline' },
  { args: 'run --name ../up' },
  { args: 'synthesize nope.yaml' },
  { args: 'status nobody' },
  { args: 'status --watch' },
  { args: 'why task_0' },
  { args: 'compare one two' },
  { args: 'view nobody' },
  { args: 'view --author ada' },
  { args: 'view --review' },
  { args: 'view --tokens' },
  { args: 'view --rows q' },
  { args: 'export nobody --to LLAMA-factory' },
  { args: 'export nobody --to trll' },
  { args: 'show profile wbe' },
  {
    args: 'show profile mine --config f.yaml',
    files: { 'f.yaml': 'profiles: [{ name: mine, extends: x }]\n' },
  },
  { args: 'cache export coa --out f' },
  { args: 'cache stats none.sqlite' },
  { args: 'cache import new.sqlite none.jsonl' },
  { args: 'cache import new.sqlite tasks.jsonl' },
  { args: 'export nobody --to atif openai' },
  { args: 'export nobody --to afm --stage filter' },
  { args: 'filter nobody' },
  { args: 'refilter nobody' },
  { args: 'refilter nobody --set seed=1' },
  { args: 'dedup tasks.jsonl' },
  ...rowMistakes,
  { args: 'check gone' },
  { args: 'import afm gone.json --name x' },
  { args: 'import afm tasks.jsonl --name x --until tasks' },
  { args: 'init' },
  { args: 'init new --profile web --tasks gone.jsonl' },
  { args: 'evaluate --serve x --model m' },
  { args: 'evaluate judge' },
  { args: 'evaluate judge gone.jsonl' },
  { args: 'evaluate judge gone.jsonl --cache c' },
  { args: 'evaluate judge l.jsonl', files: { 'l.jsonl': '' } },
  { args: 'evaluate judge l.jsonl', files: { 'l.jsonl': jsonLines([label]) } },
  {
    args: 'evaluate judge l.jsonl',
    files: { 'l.jsonl': jsonLines([{ ...label, answers: [], correct: true }]) },
  },
  { args: 'train nobody' },
  { args: 'train status nobody/sft' },
  { args: 'tools call wiki_serch --input {}' },
  { args: 'tools call web_search --input {}' },
  { args: 'tools call wiki_search --input {"queri":1}' },
  { args: 'tools call wiki_search --input []' },
  { args: 'tools call wiki_search --input {' },
  { args: 'serve teacher' },
  { args: 'serve tools wiki_serch' },
  { args: 'serve tools crawl_page' },
  { args: 'serve tools --port 9000' },
  { args: 'serve tools --port wiki_search=70000' },
  { args: 'serve tools --host ""' },
  { args: 'serve tools --config none.yaml' },
  { args: 'serve tools --config e.yaml', files: { 'e.yaml': 'tools: {}\n' } },
  { args: 'serve mcp --config e.yaml', files: { 'e.yaml': 'tools: {}\n' } },
  { args: 'serve rl nobody' },
  { args: 'serve rl coa.yaml --config coa.yaml' },
  { args: 'serve rl coa.yaml --host ""' },
  { args: 'doctor nope.yaml' },
  { args: 'tarin' },
];

const wordsOf = (args: string) =>
  args.match(/"[^"]*"(?= |$)|\S+/g)!.map((word) => word.replace(/^"(.*)"$/, '$1'));

/** All texts are in one file; `vitest -u` writes it. */
test('a mistake is said in one line, ends with exit code 2 and writes nothing', async () => {
  const told: string[] = [];
  for (const { args, files = {}, ...project } of mistakes) {
    const cwd = createProject(project);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const before = readdirSync(cwd);
    const { code, stdout, stderr } = await runCli(wordsOf(args), { cwd });
    expect({ args, code, stdout, files: readdirSync(cwd) }).toEqual({
      args,
      code: 2,
      stdout: '',
      files: before,
    });
    expect(stderr, args).toMatch(/^error: /);
    expect(stderr, args).not.toMatch(/^ {4}at /m);
    expect(stderr, args).not.toContain('\u001b');
    const shown = Object.entries({ ...project, ...files }).filter(
      ([name]) => files !== rowFiles || args.includes(name.split('/')[0]!),
    );
    const changed = shown.map(([name, text]) => `# ${name}: ${JSON.stringify(text)}`);
    // A process of its own names itself by its path.
    const said = stderr.trimEnd().replaceAll(cwd, '.').replaceAll(launcher, 'coa-distill');
    told.push([...changed, `$ coa-distill ${args}`, said, ''].join('\n'));
  }
  await expect(told.join('\n')).toMatchFileSnapshot('messages.golden.txt');
});
