import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Resources } from '../../base/resources.ts';
import { hasStage, type StageName, stageNames, stageRow, stagesWhere } from '../../contract/stageTable.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { openTestStore } from '../../pipeline/run/openTestStore.ts';
import { openStage, stagesOfConfig } from '../../pipeline/stages/stageOpeners.ts';
import type { StageServices } from '../../pipeline/stages/stageParts.ts';
import type { Config } from '../../schemas/config/config.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { traceSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';

/** The schema of each kind of record that passes from stage to stage. */
const recordSchemas = {
  task: taskSchema,
  trace: traceSchema,
  trajectory: trajectorySchema,
  sample: sampleSchema,
} as const;

const unasked = () => Promise.reject(new Error('nothing is asked here'));
const services: StageServices = {
  openTeacher: unasked,
  sandbox: undefined,
  openJudgeModel: unasked,
  openProbedModel: unasked,
  openEmbeddings: unasked,
};

/** Every optional stage is asked for. */
const everyStage = {
  decontaminate: { benchmarks: [{ path: 'b.jsonl' }] },
  probe: { model: 'p', tries: 2, endpoint: { concurrency: 1 } },
  select: { best_of: { rollouts: 1 } },
  balance: { rules: [] },
} as unknown as Partial<Config>;

async function partsWith(changed: Partial<Config>) {
  const loaded = await loadConfig(resolve('examples/quickstart.yaml'), {});
  return {
    loaded: { ...loaded, config: { ...loaded.config, ...changed }, reviews: new Map() },
    runFolder: tmpdir(),
    testStore: openTestStore(tmpdir(), { writes: false }),
    spillFolder: () => tmpdir(),
    configHash: '',
    resources: new Resources(),
    log: () => {},
  };
}

describe('the stage table', () => {
  test('says of each stage what the opened stage is', async () => {
    const parts = { ...(await partsWith(everyStage)), services };
    expect(stagesOfConfig(parts.loaded)).toEqual(stageNames);
    for (const name of stageNames) {
      const { stage } = openStage(name, parts);
      const { reads, writes, kind } = stageRow(name);
      const found = 'concurrency' in stage ? 'record' : 'input' in stage ? 'corpus' : 'source';
      expect({ name: stage.name, kind: found }).toEqual({ name, kind });
      expect(stage.output, name).toBe(recordSchemas[writes]);
      expect('input' in stage ? stage.input : null, name).toBe(reads && recordSchemas[reads]);
    }
  });

  test('hands each stage the records that one before it writes', () => {
    for (const [place, name] of stageNames.entries()) {
      const before = stageNames[place - 1];
      expect(stageRow(name).reads, name).toBe(before === undefined ? null : stageRow(before).writes);
    }
  });

  test('leaves out a stage that hands on no other kind of record', () => {
    for (const name of stagesWhere(({ askedBy }) => askedBy !== undefined)) {
      expect(stageRow(name).reads, name).toBe(stageRow(name).writes);
      expect(hasStage(name, {}), name).toBe(false);
    }
  });

  test('names an endpoint of the stages that ask one, and of no other', async () => {
    const parts = await partsWith({});
    const opened = (name: StageName) => () => openStage(name, parts);
    for (const name of stagesOfConfig(parts.loaded)) {
      const { endpoint, decides, repeatable } = stageRow(name);
      if (endpoint)
        expect({ name, decides, repeatable }).toEqual({ name, decides: false, repeatable: false });
      if (endpoint) expect(opened(name), name).toThrow(/asks models/);
      else expect(opened(name), name).not.toThrow();
    }
  });
});
