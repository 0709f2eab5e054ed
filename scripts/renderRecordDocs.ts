import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { evaluationFileSchema } from '../evaluation/records/evaluationFile.ts';
import { taskResultSchema } from '../evaluation/records/sampleResult.ts';
import { checkTotalsSchema, findingSchema } from '../output/check/rules.ts';
import { rlEnvironmentSchema } from '../rl/records/environment.ts';
import { rlNextAnswerSchema, rlNextRequestSchema } from '../rl/records/next.ts';
import { playedRolloutSchema } from '../rl/records/playedRollout.ts';
import { rlErrorSchema, rlScoreAnswerSchema, rlScoreRequestSchema } from '../rl/records/score.ts';
import { rlStatusSchema } from '../rl/records/status.ts';
import { contaminationSchema } from '../schemas/contamination.ts';
import { dropReasons } from '../schemas/dropReasons.ts';
import { failureCauses } from '../schemas/failureCauses.ts';
import { filterMeasuresSchema } from '../schemas/filterMeasures.ts';
import { calibrationRowSchema } from '../schemas/judgeCalibration.ts';
import { manifestSchema } from '../schemas/manifest.ts';
import { mixedRowSchema } from '../schemas/mixedRow.ts';
import { ledgerEntrySchema, stageFailureSchema } from '../schemas/outcome.ts';
import { denseIndexMetaSchema, passageIndexMetaSchema } from '../schemas/passageIndexMeta.ts';
import { passRateLineSchema } from '../schemas/passRateLine.ts';
import { axolotlSegmentsRowSchema } from '../schemas/rows/axolotlSegments.ts';
import { msSwiftRowSchema } from '../schemas/rows/msSwift.ts';
import { llamaFactoryRowSchema } from '../schemas/rows/shareGpt.ts';
import { balanceFileSchema } from '../schemas/run/balanceTable.ts';
import { cachedAnswerSchema, keptSearchSchema } from '../schemas/run/cachedAnswer.ts';
import { eventLineSchema } from '../schemas/run/eventLine.ts';
import { recordLineSchema, retryLineSchema, spendingLineSchema } from '../schemas/run/journalLines.ts';
import { reviewLineSchema } from '../schemas/run/reviewLine.ts';
import { runFileSchema, stageFileSchema } from '../schemas/run/runFile.ts';
import { workersFileSchema } from '../schemas/run/workersFile.ts';
import { sampleSchema } from '../schemas/sample.ts';
import { samplingLineSchema } from '../schemas/samplingLine.ts';
import { taskSchema } from '../schemas/task.ts';
import { scriptEntrySchema } from '../schemas/teacherScript.ts';
import { traceSchema } from '../schemas/trace.ts';
import { afmRowSchema } from '../schemas/trainers/afmMask.ts';
import { tokenizedRowSchema, verlSftRowSchema } from '../schemas/trainers/tokenRows.ts';
import { trajectoryRowSchema } from '../schemas/trainers/trajectoryRow.ts';
import { jobRecordSchema } from '../schemas/training/jobRecord.ts';
import { rlTaskLineSchema } from '../schemas/training/taskLine.ts';
import { segmentSchema, trajectorySchema } from '../schemas/trajectory.ts';
import { verdictSchema } from '../schemas/verdict.ts';

/** Every record that a file holds, and what `serve rl` is asked and answers, by the heading that it has on the page. */
const records = {
  Task: taskSchema,
  Trace: traceSchema,
  Trajectory: trajectorySchema,
  Segment: segmentSchema,
  Verdict: verdictSchema,
  'Filter measures': filterMeasuresSchema,
  Sample: sampleSchema,
  Contamination: contaminationSchema,
  Failure: stageFailureSchema,
  'Line of records.jsonl': recordLineSchema,
  'Line of ledger.jsonl': ledgerEntrySchema,
  'Retry line of ledger.jsonl': retryLineSchema,
  'Line of events.jsonl': eventLineSchema,
  'Line of spending.jsonl': spendingLineSchema,
  'run.json': runFileSchema,
  'stage.json': stageFileSchema,
  'balance.json': balanceFileSchema,
  'Line of reviews.jsonl': reviewLineSchema,
  'workers.json': workersFileSchema,
  'job.json': jobRecordSchema,
  'evaluation.json': evaluationFileSchema,
  'Line of results/NAME.jsonl': taskResultSchema,
  'Cached answer': cachedAnswerSchema,
  'Kept search': keptSearchSchema,
  'Line of a teacher script': scriptEntrySchema,
  'Line of pass rates': passRateLineSchema,
  'Labelled answer': calibrationRowSchema,
  'Passage index': passageIndexMetaSchema,
  'Dense index': denseIndexMetaSchema,
  'Line of OUT.sampling.jsonl': samplingLineSchema,
  'manifest.json': manifestSchema,
  'Row of trajectories.jsonl': trajectoryRowSchema,
  'Row of mixed.jsonl': mixedRowSchema,
  'Row of afm': afmRowSchema,
  'Row of llama_factory': llamaFactoryRowSchema,
  'Row of tokenized': tokenizedRowSchema,
  'Row of verl': verlSftRowSchema,
  'Row of axolotl segments': axolotlSegmentsRowSchema,
  'Row of ms_swift': msSwiftRowSchema,
  'Check finding': findingSchema,
  'Check totals': checkTotalsSchema,
  'Line of verl_rl/ledger.jsonl': rlTaskLineSchema,
  'Line of train/JOB/rollouts/STEP.jsonl': playedRolloutSchema,
  'Answer of GET /v1/environment': rlEnvironmentSchema,
  'Request of POST /v1/next': rlNextRequestSchema,
  'Answer of POST /v1/next': rlNextAnswerSchema,
  'Request of POST /v1/score': rlScoreRequestSchema,
  'Answer of POST /v1/score': rlScoreAnswerSchema,
  'Error of serve rl': rlErrorSchema,
  'Answer of GET /v1/status': rlStatusSchema,
} satisfies Record<string, z.ZodType>;

const intro = `# Records, key by key

<!-- before: coa-distill run -->
\`\`\`console
$ head -c 60 runs/coa/tasks/records.jsonl
{"index":0,"count":1,…
\`\`\`

This page is made from the schemas by \`npm run docs\`. What each file is for: [file formats](formats.md); who asks \`serve rl\` what: [agentic RL](agentic-rl.md#what-a-loop-asks).

\`*\` stands for a place in a list, or a name. A key that may be absent has \`?\`. Behind "where" stands which of several forms has the key.
`;

/** The page `docs/records.md`: the keys of every record that a file holds. */
export function renderRecordDocs(): string {
  const sections = Object.entries(records).map(([title, schema]) => {
    const rows = keysOf('', jsonSchema(schema), '');
    return `## ${title}\n\n| key | value |\n|---|---|\n${rows.join('\n')}\n`;
  });
  return [intro, ...sections, reasonsSection(), causesSection()].join('\n');
}

function reasonsSection(): string {
  const rows = Object.entries(dropReasons).map(
    ([reason, { meaning, advice }]) => `| \`${reason}\` | ${meaning} | ${advice} |`,
  );
  return `## Reasons of drops\n\n| reason | what was found | what to do where it drops most records |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function causesSection(): string {
  const rows = Object.entries(failureCauses).map(
    ([cause, { meaning, of, retryable, advice }]) =>
      `| \`${cause}\` | ${meaning} | ${of} | ${retryable ? 'yes' : 'no'} | ${advice} |`,
  );
  return `## Causes of failures\n\nWhose it is: a failure of the player counts as a wrong answer in pass rates and scores, any other is unscored.\n\n| cause | meaning | of | may succeed later | what to do where most fail so |\n|---|---|---|---|---|\n${rows.join('\n')}\n`;
}

const titles = new Map<unknown, string>(Object.entries(records).map(([title, schema]) => [schema, title]));

/** Records inside another one are named, not told again. */
function jsonSchema(root: z.ZodType): JsonObject {
  return z.toJSONSchema(root, {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const title = (zodSchema as unknown) === root ? undefined : titles.get(zodSchema);
      if (title === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      jsonSchema.title = title;
    },
  }) as JsonObject;
}

function keysOf(prefix: string, schema: JsonValue | undefined, where: string): string[] {
  if (!isJsonObject(schema) || typeof schema.title === 'string') return [];
  const variants = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(variants)) return variantKeys(prefix, variants, where);
  if (schema.items !== undefined) return keysOf(join(prefix, '*'), schema.items as JsonValue, where);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.entries(isJsonObject(schema.properties) ? schema.properties : {}).flatMap(
    ([key, value]) => {
      const name = join(prefix, key);
      const shown = required.includes(key) ? name : `${name}?`;
      return [row(shown, value as JsonValue, where), ...keysOf(name, value as JsonValue, where)];
    },
  );
  return [...own, ...keysOf(join(prefix, '*'), schema.additionalProperties as JsonValue, where)];
}

/** Keys that all forms have alike are told once. */
function variantKeys(prefix: string, variants: readonly JsonValue[], where: string): string[] {
  const forms = variants.filter((variant) => isJsonObject(variant) && variant.type !== 'null');
  const plain = forms.map((form) => new Set(keysOf(prefix, form, where)));
  const shared = [...(plain[0] ?? [])].filter((key) => plain.every((keys) => keys.has(key)));
  const apart = forms.flatMap((form, at) => {
    const isOwn = [...plain[at]!].map((key) => !shared.includes(key));
    return keysOf(prefix, form, labelOf(form) ?? where).filter((_, place) => isOwn[place]);
  });
  return [...shared, ...apart];
}

/** What tells one form from the others: its fixed values. */
function labelOf(variant: JsonValue): string | undefined {
  if (!isJsonObject(variant) || !isJsonObject(variant.properties)) return undefined;
  const fixed = Object.entries(variant.properties).flatMap(([key, value]) =>
    isJsonObject(value) && value.const !== undefined ? [`\`${key}\` is \`${String(value.const)}\``] : [],
  );
  return fixed.length === 0 ? undefined : fixed.join(' and ');
}

function row(name: string, schema: JsonValue, where: string): string {
  const about =
    isJsonObject(schema) && typeof schema.description === 'string' ? `: ${schema.description}` : '';
  const condition = where === '' ? '' : `, where ${where}`;
  return `| \`${name}\` | ${kindOf(schema)}${cell(about)}${condition} |`;
}

const words: Record<string, string> = {
  string: 'text',
  object: 'mapping',
  boolean: 'true or false',
  integer: 'whole number',
  null: 'null',
};

function kindOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return 'any';
  const { title, enum: names, const: only, type, items } = schema;
  if (typeof title === 'string') return `[${title}](#${slug(title)})`;
  if (only !== undefined) return `\`${String(only)}\``;
  if (Array.isArray(names)) return names.map((name) => `\`${String(name)}\``).join(', ');
  const variants = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(variants)) return [...new Set(variants.map(kindOf))].join(' or ');
  if (type === 'array') return `list of ${kindOf(items as JsonValue)}`;
  if (Array.isArray(type)) return type.map((one) => words[String(one)] ?? String(one)).join(' or ');
  return words[String(type)] ?? (typeof type === 'string' ? type : 'any');
}

/** The anchor of a heading, as GitHub makes it. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}

function join(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}.${key}`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
