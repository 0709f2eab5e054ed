import { stringify } from 'yaml';

/** The profiles that a configuration can be made for. */
export const templateProfiles = ['web', 'mhqa', 'code', 'math'] as const;
export type TemplateProfile = (typeof templateProfiles)[number];

export interface ProjectChoices {
  readonly profile: TemplateProfile;
  /** Teacher endpoint; default: OpenAI's. */
  readonly baseUrl?: string;
  /** Teacher model; default: one of OpenAI's. */
  readonly model?: string;
  /** Task file, relative to the project's folder; default: a generated sample. */
  readonly tasks?: string;
  /** Columns of a task, as in the configuration; default: detected. */
  readonly columns?: string;
  /** Passages for the tasks, relative to the project's folder; default: those of the sample, or a placeholder. */
  readonly corpus?: string;
  /** Bundled example with a scripted teacher and tools without services. */
  readonly example?: true;
}

/** Renders the files of a new project by name. Pure. `schema` is that of `coa.yaml`. */
export function templateFiles(choices: ProjectChoices, schema: string): ReadonlyMap<string, string> {
  const { profile, tasks, example } = choices;
  return new Map([
    ['coa.yaml', configTemplate(choices)],
    ...(tasks === undefined ? ([['tasks.jsonl', sampleTasks[profile]]] as const) : []),
    ['.env.example', environmentTemplate(profile)],
    ['coa.schema.json', schema],
    ...(profile === 'mhqa' && !example && tasks === undefined
      ? ([['passages.jsonl', samplePassages]] as const)
      : []),
  ]);
}

function configTemplate({
  profile,
  baseUrl,
  model,
  tasks,
  columns,
  example,
  corpus,
}: ProjectChoices): string {
  const address = stringify(baseUrl ?? 'https://api.openai.com/v1').trimEnd();
  return `# yaml-language-server: $schema=./coa.schema.json
# Relative paths start at this file's folder. Every key that is left out has a default; editors show them.
# Check it:   coa-distill run --dry-run       what would happen
#             coa-distill doctor              what this machine still lacks
# Run it:     coa-distill run --limit 20      twenty tasks first; the same command goes on after a stop

seed: 7

tasks:
  # fail: stop at the first unusable row before anything is spent; skip: leave such rows out and say so.
  on_bad_task: fail
  sources:
    - file: ${stringify(tasks ?? 'tasks.jsonl').trimEnd()}        # JSONL, JSON, CSV, parquet, a folder, ...: docs/tasks.md
      profile: ${profile}
      # preset: afm_math       # layouts known by name: generic, afm_math, afm_livecodebench, afm_qa, ...
      ${columns ?? '# columns: { question: prompt, answers: gold } # or your own column names'}
      # limit: 100

models:                        # by a name of your choice; sections name one in their key model
  teacher:
    model: ${stringify(model ?? (example ? 'scripted-teacher' : 'gpt-4.1-mini')).trimEnd()}
    endpoint:
      # OPENAI_BASE_URL wins over base_url, --base-url over both.
      base_url: ${address}
      # The key's environment variable, never the key; "" when the endpoint asks for none. .env beside this file is read.
      api_key_env: OPENAI_API_KEY
      # concurrency: 16        # requests in flight; absent: a llama-server's slots, otherwise 16
    sampling:
      temperature: 1.0
      max_tokens: 4096
    # price: { input_usd_per_million: 0.4, output_usd_per_million: 1.6 } # for cost figures
  # careful: { extends: teacher, model: gpt-4.1, sampling: { temperature: 0 } }

teacher:
  ${example ? scriptedBackend : 'backend: openai              # any OpenAI-compatible endpoint'}
  model: teacher
  # roles: { verifier: careful } # orchestrator, planner, tool_agent, reflector, answerer, verifier
  budget:                      # of one task
    max_steps: 36
    max_tokens: 400000
    max_seconds: 1800

# budget:                      # of the whole run; --max-cost says the same
#   max_cost_usd: 20           # never passed; exit code 3 when it is spent

tools:
${profile === 'mhqa' ? wikiSearch(tasks, corpus) : example ? exampleTools[profile] : toolTemplates[profile]}
# judge:                       # measure it first: coa-distill evaluate judge FILE --model gpt-4.1-mini
#   text: rule_then_model      # answers in words: the model where the rule finds no match
#   instructions: {}           # ask it too whether instructions were followed
#   model: { extends: teacher, sampling: { temperature: 0, max_tokens: 1024 } }
#   votes: 3

filters:
  # Fewest agent-tool interactions of a kept trajectory, by profile.
  min_interactions:
    ${profile}: ${profile === 'mhqa' ? 3 : example && profile !== 'web' ? 2 : 5}
  max_redundant_tool_inputs: 0
  duplicate_questions: drop

dataset:
  tokenizer: qwen2.5           # or the path of a tokenizer.json
  cutoff_len: 32768            # longer rows are dropped, never cut

training:
  model: Qwen/Qwen2.5-7B-Instruct
  # preset: afm-web-7b         # published hyper-parameters; others: docs/training.md${
    example ? '\n  gradient_accumulation_steps: 1 # an example has few rows; 16 where this is left out' : ''
  }
`;
}

const codeTool = `  code:
    backend: auto              # bubblewrap; Linux: apt-get install bubblewrap python3
    timeout_s: 7
    memory_mb: 512
`;

/** Sample passages are not used for own tasks, whose answers would come from the teacher's memory. */
function wikiSearch(tasks: string | undefined, corpus: string | undefined): string {
  const file = corpus ?? (tasks === undefined ? 'passages.jsonl' : NO_CORPUS);
  const wanted =
    file === NO_CORPUS ? '\n    # Put a file here whose passages hold what your tasks ask for.' : '';
  return `  wiki_search:
    # JSONL of {"id", "contents"}, where contents is the title in quotes, a line feed, and the passage.${wanted}
    corpus: ${stringify(file).trimEnd()}
    top_k: 3
`;
}

/** Placeholder file name, until the user names the corpus of their own tasks. */
const NO_CORPUS = 'YOUR-PASSAGES.jsonl';

const toolTemplates: Readonly<Record<Exclude<TemplateProfile, 'mhqa'>, string>> = {
  web: `  web_search:
    # A search service that speaks Serper's JSON; or provider: brave, tavily, searxng, local (docs/web-search.md).
    base_url: https://google.serper.dev
    api_key_env: SERPER_API_KEY
    num: 10
  crawl_page: {}
`,
  code: codeTool,
  math: codeTool,
};

/** Teacher of an example. To use a model: `run --base-url URL --model NAME`, or another backend here. */
const scriptedBackend = `# To use your own model: coa-distill run --base-url URL --model NAME --name mine
  backend: scripted            # plays script.jsonl without a model; some of its answers are wrong on purpose
  script: script.jsonl`;

const unsafeCode = `${codeTool}    allow_unsafe: true         # where bubblewrap is missing; not for programs that a model wrote
`;

const exampleTools: typeof toolTemplates = {
  web: `  site:                        # serves site/ on this machine, with a search over its pages
    folder: site
    host: atlas.example
  web_search: {}               # asks that site; a search service: docs/web-search.md
  crawl_page: {}
`,
  code: unsafeCode,
  math: unsafeCode,
};

function environmentTemplate(profile: TemplateProfile): string {
  const search = profile === 'web' ? '# Key of the search service.\nSERPER_API_KEY=\n' : '';
  return `# Copy to .env beside coa.yaml and fill in; keep .env out of version control.
OPENAI_API_KEY=
# OPENAI_BASE_URL=http://localhost:8000/v1
${search}`;
}

const sampleTasks: Readonly<Record<TemplateProfile, string>> = {
  web: lines([
    {
      id: 'w1',
      question: 'In which year did the country whose capital is Reykjavik become a republic?',
      answer: '1944',
    },
  ]),
  mhqa: lines([
    {
      id: 'h1',
      question: 'Which river flows past the town where the Kestrel Bridge stands?',
      answer: 'the Ammer',
    },
  ]),
  code: lines([
    {
      id: 'c1',
      question: 'Read whole numbers from standard input, one a line, and print their sum.',
      tests: { stdin: ['1\n2\n3\n', '10\n-4\n'], expected_output: ['6\n', '6\n'] },
    },
  ]),
  math: lines([
    {
      id: 'm1',
      question: 'How many whole numbers from 1 to 1000 are divisible by 6 but not by 4?',
      answer: '83',
    },
  ]),
};

const samplePassages = lines([
  { id: '1', contents: '"Kestrel Bridge"\nThe Kestrel Bridge is a stone bridge in the town of Varnholt.' },
  { id: '2', contents: '"Varnholt"\nVarnholt is a market town on the river Ammer.' },
]);

function lines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
