import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Resources } from '../../base/resources.ts';
import {
  datasetStageNames,
  hasStage,
  type StageName,
  stageRow,
  stagesAfter,
  stagesBefore,
  stagesWhere,
  synthesisStageNames,
} from '../../contract/stageTable.ts';
import { type LoadedConfig, loadConfig } from '../../pipeline/config/loadConfig.ts';
import { openTestStore } from '../../pipeline/run/openTestStore.ts';
import { openStage, stagesOfConfig } from '../../pipeline/stages/stageOpeners.ts';
import type { StageServices } from '../../pipeline/stages/stageParts.ts';
import type { Config } from '../../schemas/config/config.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { traceSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';
import { candidateSchema } from '../../synthesis/records/candidate.ts';
import { documentSchema, factRecordSchema } from '../../synthesis/records/fact.ts';
import { chosenSchema } from '../../synthesis/stages/createChooseStage.ts';
import { synthesizeConfigSchema } from '../../synthesis/synthesizeConfig.ts';

/** The schema of each kind of record that passes from stage to stage. */
const recordSchemas = {
  task: taskSchema,
  trace: traceSchema,
  trajectory: trajectorySchema,
  sample: sampleSchema,
  document: documentSchema,
  fact: factRecordSchema,
  candidate: candidateSchema,
} as const;

const unasked = () => Promise.reject(new Error('nothing is asked here'));
const services: StageServices = {
  openTeacher: unasked,
  sandbox: undefined,
  openJudgeModel: unasked,
  openProbedModel: unasked,
  openEmbeddings: unasked,
  openRoles: unasked,
  openCorpus: unasked,
  openPages: unasked,
};

/** Every optional stage is asked for. */
const everyStage = {
  decontaminate: { benchmarks: [{ path: 'b.jsonl' }] },
  probe: { model: { model: 'p', endpoint: { concurrency: 1 } }, tries: 2 },
  select: { best_of: { rollouts: 1 } },
  balance: { rules: [] },
} as unknown as Partial<Config>;

const synthesize = synthesizeConfigSchema.parse({ corpus: { site: 'pages' } });

/** The two kinds of runs, each with all of its stages. */
const kinds = [
  ['makes a dataset', datasetStageNames, everyStage, {}],
  ['makes tasks', synthesisStageNames, { synthesize }, { synthesis: true }],
] as const;

async function partsWith(changed: Partial<Config>, kind: Partial<LoadedConfig> = {}) {
  const loaded = await loadConfig(resolve('examples/quickstart.yaml'), {});
  return {
    loaded: { ...loaded, config: { ...loaded.config, ...changed }, reviews: new Map(), ...kind },
    runFolder: tmpdir(),
    testStore: openTestStore(tmpdir(), { writes: false }),
    spillFolder: () => tmpdir(),
    configHash: '',
    resources: new Resources(),
    log: () => {},
  };
}

describe('the stage table', () => {
  test.each(kinds)(
    'says of each stage of a run that %s what the opened stage is',
    async (_, names, changed, kind) => {
      const parts = { ...(await partsWith(changed, kind)), services };
      expect(stagesOfConfig(parts.loaded)).toEqual(names);
      for (const name of names) {
        const { stage } = openStage(name, parts);
        const { reads, writes, kind } = stageRow(name);
        const found = 'concurrency' in stage ? 'record' : 'input' in stage ? 'corpus' : 'source';
        expect({ name: stage.name, kind: found }).toEqual({ name, kind });
        const schemaOf = (kind: keyof typeof recordSchemas) => [
          recordSchemas[kind],
          ...(kind === 'candidate' ? [chosenSchema] : []),
        ];
        expect(schemaOf(writes), name).toContain(stage.output);
        expect(reads ? schemaOf(reads) : [null], name).toContain('input' in stage ? stage.input : null);
      }
    },
  );

  test.each(kinds)('hands each stage of a run that %s the records that one before it writes', (_, names) => {
    for (const [place, name] of names.entries()) {
      const before = names[place - 1];
      expect(stagesBefore(name)).toEqual(names.slice(0, place));
      expect(stagesAfter(name)).toEqual(names.slice(place + 1));
      expect(stageRow(name).reads, name).toBe(before === undefined ? null : stageRow(before).writes);
    }
  });

  test('leaves out a stage that hands on no other kind of record', () => {
    for (const name of stagesWhere(({ askedBy }) => askedBy !== undefined)) {
      expect(stageRow(name).reads, name).toBe(stageRow(name).writes);
      expect(hasStage(name, {}), name).toBe(false);
    }
  });

  test.each(kinds)(
    'names an endpoint of the stages of a run that %s where they ask one',
    async (_, _names, changed, kind) => {
      const parts = await partsWith('synthesize' in changed ? changed : {}, kind);
      const opened = (name: StageName) => () => openStage(name, parts);
      for (const name of stagesOfConfig(parts.loaded)) {
        const { endpoint, decides, repeatable } = stageRow(name);
        if (endpoint)
          expect({ name, decides, repeatable }).toEqual({ name, decides: false, repeatable: false });
        if (endpoint) expect(opened(name), name).toThrow(/asks models/);
        else expect(opened(name), name).not.toThrow();
      }
    },
  );
});
