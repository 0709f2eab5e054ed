import { z } from 'zod';
import type { operationNames } from '../synthesis/candidate.ts';
import { endpointSchemaOf } from './endpoint.ts';
import { inputPath, key, keyOf, plainText, positiveInt, share } from './keyMeaning.ts';
import { samplingSchemaOf } from './sampling.ts';

/** The roles that models play in synthesis, each with the stages that its answers shape. */
const roleStages = {
  propose: ['facts'],
  link: ['grow'],
  write: ['grow'],
  check: ['check'],
  solve: ['grow', 'check'],
} as const;
export type SynthesisRole = keyof typeof roleStages;
export const synthesisRoles = Object.keys(roleStages) as SynthesisRole[];

const documentsKey = keyOf('documents');
const growKey = keyOf('grow');
const checkKey = keyOf('check');
const chooseKey = keyOf('choose');
const askedKey = keyOf('facts', 'grow', 'check');
const rate = share.default(0);

function roleSchema(role: SynthesisRole) {
  const roleKey = keyOf(...roleStages[role]);
  return z
    .strictObject({
      model: roleKey(plainText.optional(), "Model of the role; absent: synthesize.model's"),
      endpoint: endpointSchemaOf(...roleStages[role])
        .optional()
        .describe("Endpoint of the role; absent: synthesize.endpoint's"),
      sampling: samplingSchemaOf(...roleStages[role])
        .optional()
        .describe("Sampling of the role; absent: synthesize.sampling's"),
    })
    .optional()
    .describe(`Model, endpoint or sampling of the role ${role}`);
}

const corpusSchema = z.strictObject({
  site: documentsKey(inputPath.optional(), 'Folder of HTML pages; absent: none'),
  passages: documentsKey(
    inputPath.optional(),
    'File of passages (JSONL with id and contents, as tools.wiki_search reads); absent: none',
  ),
  pages: documentsKey(
    inputPath.optional(),
    'File of addresses, one a line, each read as tools.crawl_page says; absent: none',
  ),
});

const seedsSchema = z.strictObject({
  per_document: keyOf('facts')(positiveInt.default(20), 'Most facts asked for of one document'),
  limit: documentsKey(positiveInt.optional(), 'Most documents that are read; absent: all'),
});

const weight = (text: string, usual: number) =>
  growKey(z.number().nonnegative().default(usual), `${text}, as a weight among the operations`);
const operationsSchema = z.strictObject({
  depth: weight('How often a name is replaced by a fact that gives it alone', 4),
  intersect: weight('How often a name is replaced by two facts that give it together', 2),
  compare: weight('How often a name is replaced by the larger or earlier of two', 1),
  count: weight('How often it is asked how many things a fact holds of', 1),
  blur: weight('How often a value is replaced by a range or class', 2),
} satisfies Record<Exclude<(typeof operationNames)[number], 'atomic'>, z.ZodType>);

const growSchema = z.strictObject({
  hops: z
    .strictObject({
      min: growKey(positiveInt.default(2), 'Fewest documents whose stated facts give the answer'),
      max: growKey(positiveInt.default(4), 'Most such documents'),
    })
    .refine(({ min, max }) => min <= max, { path: ['min'], message: 'expected at most max' })
    .prefault({})
    .describe('Hops of a task; each task aims at a number of them drawn by seed'),
  attempts: growKey(positiveInt.default(4), 'Steps tried for one that stays, before growing ends'),
  max_steps: growKey(positiveInt.default(10), 'Most steps of one candidate'),
  operations: operationsSchema.prefault({}).describe('Which steps are tried how often'),
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
      noise: checkKey(z.int().min(0).max(50).default(4), 'Passages of other documents among the evidence'),
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
  alternatives: z
    .strictObject({
      votes: tries(3, 'Times that a wrong answer is asked about; more than half must say that it fits'),
    })
    .prefault({})
    .describe('Whether a wrong answer of a try with tools meets every clue too'),
  min_recall: checkKey(
    share.default(0.9),
    'Lowest share of planted faults that the role check finds before it is trusted; below: the run ends',
  ),
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

/** Rates at which the embedded model plants faults; each candidate gets at most one. */
const plantedSchema = z.strictObject({
  faults: askedKey(rate, 'Share of the answers with a planted fault, kinds in turn'),
});

/** The `synthesize` section: tasks made from documents. Only `coa-distill synthesize` reads it. */
export const synthesizeConfigSchema = z.strictObject({
  corpus: corpusSchema.prefault({}).describe('Documents that tasks are made from'),
  backend: askedKey(
    z.enum(['openai', 'embedded']).default('openai'),
    'openai: any OpenAI-compatible endpoint; embedded: a scripted server on the loopback that reads the bundled world',
  ),
  model: askedKey(plainText.default('scripted-proposer'), 'Name of the model, as the endpoint knows it'),
  endpoint: endpointSchemaOf('facts', 'grow', 'check').prefault({}).describe('Where the model is asked'),
  sampling: samplingSchemaOf('facts', 'grow', 'check').prefault({}).describe('How answers are sampled'),
  roles: z
    .strictObject({
      propose: roleSchema('propose'),
      link: roleSchema('link'),
      write: roleSchema('write'),
      check: roleSchema('check'),
      solve: roleSchema('solve'),
    } satisfies Record<SynthesisRole, z.ZodType>)
    .prefault({})
    .describe(
      'Model, endpoint or sampling of single roles; the checker should be another model than the writer',
    ),
  seeds: seedsSchema.prefault({}).describe('Facts that are asked for'),
  grow: growSchema.prefault({}).describe('How a fact becomes a question of several hops'),
  check: checkSchema.prefault({}).describe('What a candidate must pass'),
  choose: chooseSchema.prefault({}).describe('Which of the good candidates become tasks'),
  profile: askedKey(plainText.default('web'), 'Agent profile of the tasks'),
  target: chooseKey(positiveInt.optional(), 'Most tasks; absent: all'),
  planted: plantedSchema.prefault({}).describe('Faults that the embedded model plants'),
  concurrency: key(positiveInt.optional(), 'Candidates worked on at once; absent: enough for the endpoints'),
});
export type SynthesizeConfig = z.infer<typeof synthesizeConfigSchema>;

/** Whether the role solve is given tools. */
export function solvesWithTools({ check, grow }: Pick<SynthesizeConfig, 'check' | 'grow'>): boolean {
  return check.tools !== undefined || grow.until === 'solver_fails';
}
