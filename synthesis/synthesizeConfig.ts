import { z } from 'zod';
import { type Config, registerSection } from '../schemas/config/config.ts';
import { inputPath, key, keyOf, plainText, positiveInt, share } from '../schemas/config/keyMeaning.ts';
import { modelKey } from '../schemas/config/models.ts';
import { askedModel, type SectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { type SynthesisRole, synthesisRoles } from '../schemas/taskSynthesis.ts';

const documentsKey = keyOf('documents');
const growKey = keyOf('grow');
const checkKey = keyOf('check');
const chooseKey = keyOf('choose');
const rate = share.default(0);

const askingStages = ['facts', 'grow', 'check'] as const;
const askedKey = keyOf(...askingStages);
const askedModelKey = modelKey('chat', ...askingStages);

const corpusSchema = z.strictObject({
  site: documentsKey(inputPath.optional(), 'Folder of HTML pages; absent: none'),
  passages: documentsKey(
    inputPath.optional(),
    'File of passages (JSONL with id and contents, as tools.wiki_search reads); absent: none',
  ),
  pages: documentsKey(
    z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .meta({ path: 'input', secret: false })
      .optional(),
    'Addresses, or a file with one a line, each read as tools.crawl_page says; absent: none',
  ),
  tasks: keyOf('documents', 'seeds')(
    inputPath.optional(),
    'File of tasks with answers, read as tasks.sources reads one, each with its evidence (texts) or url: facts of these that have such an answer become questions, and the other documents help to make them harder; absent: all facts become questions',
  ),
});

const seedsSchema = z.strictObject({
  per_document: keyOf('facts')(positiveInt.default(20), 'Most facts asked for of one document'),
  limit: documentsKey(positiveInt.optional(), 'Most documents that are read; absent: all'),
  candidates: keyOf('seeds')(
    positiveInt.optional(),
    'Most facts that become questions, drawn by seed from all; absent: all',
  ),
});

/** Default weights of the operations. */
const usualWeights = { depth: 4, intersect: 2, compare: 1, count: 1, blur: 2 };
type GrowOperation = keyof typeof usualWeights;

const growSchema = z.strictObject({
  hops: z
    .strictObject({
      min: growKey(positiveInt.default(2), 'Fewest documents whose stated facts give the answer'),
      max: growKey(positiveInt.default(4), 'Most such documents'),
    })
    .refine(({ min, max }) => min <= max, { path: ['min'], message: 'expected at most max' })
    .prefault({})
    .describe('Hops of a task; each task aims at a number of them drawn by seed'),
  operations: growKey(
    z
      .partialRecord(z.enum(Object.keys(usualWeights) as [GrowOperation]), z.number().nonnegative())
      .transform((given) => ({ ...usualWeights, ...given }))
      .prefault({}),
    'How often each step is tried, as weights; absent: {depth: 4, intersect: 2, compare: 1, count: 1, blur: 2}. depth, intersect: a name is replaced by one or two facts that give it; compare: by the larger or earlier of two; count: it is asked how many things a fact holds of; blur: a value becomes a range or class',
  ),
  until: growKey(
    z.enum(['hops', 'solver_fails']).default('hops'),
    'hops: grown until it has as many as aimed at; solver_fails: until the role solve answers it with tools at most as often as check.tools.max_pass_rate says',
  ),
});

const tries = (usual: number, text: string) => checkKey(z.int().min(1).max(100).default(usual), text);
const checkSchema = z.strictObject({
  closed_book: z
    .strictObject({
      tries: tries(4, 'Times that a question is asked without tools'),
      max_pass_rate: checkKey(rate, 'Highest share of right answers; above: closed_book'),
    })
    .prefault({})
    .describe('What is known beforehand'),
  evidence: z
    .strictObject({
      tries: tries(3, 'Times that a question is asked with its evidence; more than half must be right'),
    })
    .prefault({})
    .describe('Whether the evidence gives the answer'),
  ablation: checkKey(
    z.boolean().default(true),
    "Whether a question is asked with all evidence but one hop's, for each hop: it must fail",
  ),
  read_back: checkKey(
    z.boolean().default(true),
    'Whether the words are read back into triples, which must be those of the form',
  ),
  unread_facts: checkKey(
    z.boolean().default(true),
    'Whether facts that nobody extracted and that would give another answer are asked of their documents',
  ),
  tools: z
    .strictObject({
      tries: tries(4, 'Times that a question is asked with tools'),
      min_passed: checkKey(z.int().min(0).max(100).default(1), 'Fewest right answers; below: unanswerable'),
      max_pass_rate: checkKey(share.default(0.75), 'Highest share of right answers; above: too_easy'),
    })
    .refine(({ tries: most, min_passed }) => min_passed <= most, {
      path: ['min_passed'],
      message: 'expected at most tries',
    })
    .optional()
    .describe('Whether it is solved with tools, and how often; absent: not asked'),
});
export type CheckConfig = z.infer<typeof checkSchema>;

const chooseSchema = z.strictObject({
  per_document: chooseKey(
    positiveInt.optional(),
    'Most tasks whose chain has the same document; absent: any',
  ),
  per_entity: chooseKey(positiveInt.optional(), 'Most tasks with the same answer; absent: any'),
  by_hops: chooseKey(
    z.record(z.string().regex(/^[1-9]\d*$/), share).optional(),
    'Share of the tasks by hops, such as {2: 0.5, 3: 0.5}; absent: as they come',
  ),
  held_out_share: chooseKey(
    rate,
    'Share of the answers whose tasks go into held_out.jsonl: no other task has such an answer',
  ),
});

/** The `synthesize` section, read only by `coa-distill synthesize`. */
export const synthesizeConfigSchema = z.strictObject({
  corpus: corpusSchema.prefault({}).describe('Documents that tasks are made from'),
  backend: askedKey(
    z.enum(['openai', 'embedded']).default('openai'),
    'openai: any OpenAI-compatible endpoint; embedded: a scripted server on the loopback that reads the bundled world',
  ),
  model: askedModelKey('Model that is asked').prefault({ model: 'scripted-proposer' }),
  roles: z
    .partialRecord(z.enum(synthesisRoles), askedModelKey('Model of the role; absent: synthesize.model'))
    .prefault({})
    .describe(
      'Models of single roles (propose, link, write, check, solve); the checker should be another model than the writer',
    ),
  seeds: seedsSchema.prefault({}).describe('Facts that are asked for'),
  grow: growSchema.prefault({}).describe('How a fact becomes a question of several hops'),
  check: checkSchema.prefault({}).describe('What a candidate must pass'),
  choose: chooseSchema.prefault({}).describe('Which of the good candidates become tasks'),
  profile: askedKey(plainText.default('web'), 'Agent profile of the tasks'),
  target: chooseKey(positiveInt.optional(), 'Most tasks; absent: all'),
  concurrency: key(positiveInt.optional(), 'Candidates worked on at once; absent: enough for the endpoints'),
});
export type SynthesizeConfig = z.infer<typeof synthesizeConfigSchema>;

declare module '../schemas/config/config.ts' {
  interface CapabilitySections {
    readonly synthesize?: SynthesizeConfig | undefined;
  }
}
registerSection(
  'synthesize',
  synthesizeConfigSchema
    .optional()
    .describe('Tasks that coa-distill synthesize makes from documents; a run leaves it alone'),
);

/** Model of a role of `synthesize`, which must be configured; as {@link sectionModel}. */
export function synthesisModel(config: Config, role: SynthesisRole): SectionModel {
  const { roles, model } = config.synthesize!;
  const own = roles[role];
  return askedModel(own ?? model, own ? `synthesize.roles.${role}` : 'synthesize.model', config);
}

export function solvesWithTools({ check, grow }: Pick<SynthesizeConfig, 'check' | 'grow'>): boolean {
  return check.tools !== undefined || grow.until === 'solver_fails';
}
