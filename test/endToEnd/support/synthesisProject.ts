import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import type { Player } from '../../../teachers/scripted/createChatHandler.ts';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import {
  createFaultyPlayer,
  type FaultyPlayerOptions,
  type PlantedFault,
} from '../../support/synthesis/faultyPlayer.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** A faulty model at an endpoint that makes and checks tasks, its faults, and the requests that came. It ends with the test. */
export async function startSynthesisServer(
  played: (play: Player) => Player = (play) => play,
  remembered: FaultyPlayerOptions['remembered'] = [],
) {
  const planted: PlantedFault[] = [];
  const onPlanted = (fault: PlantedFault) => void planted.push(fault);
  const script = played(createFaultyPlayer({ seed: 7, rate: 0.2, remembered, onPlanted }));
  const asked: string[] = [];
  const server = await startScriptedServer({
    script: (request) => {
      asked.push(JSON.stringify(request));
      return script(request);
    },
    latencyMs: 3,
  });
  onTestFinished(() => server.close());
  return { baseUrl: server.baseUrl, asked, planted };
}

/** What of `synthesize` has a project ask an endpoint. */
export function modelAt(base_url: string, concurrency: number) {
  return {
    backend: 'openai',
    model: {
      model: 'm',
      endpoint: { base_url, api_key_env: '', concurrency },
      sampling: { seed: 7 },
    },
  };
}

const site = fileURLToPath(new URL('../../../examples/atlas/site/', import.meta.url));

/** A folder with some pages of the bundled atlas and a configuration `coa.yaml` that makes tasks from them and solves these. */
export function synthesisProject(pages: number, synthesize: object = {}, folder = temporaryFolder()): string {
  mkdirSync(join(folder, 'site'));
  // Pages about things, not the lists of them.
  const files = readdirSync(site).filter((file) => !/^(?:all-|index)/.test(file));
  for (const file of files.slice(0, pages)) cpSync(join(site, file), join(folder, 'site', file));
  const config = {
    name: 'coa',
    seed: 7,
    tasks: { sources: [{ file: 'runs/coa/taskset/tasks.jsonl', profile: 'web' }] },
    teacher: { backend: 'scripted', script: 'script.jsonl' },
    // The answer key knows answers that its searches do not show.
    filters: { grounding: { drop: false } },
    tools: { site: { folder: 'site', host: 'atlas.example' }, web_search: {}, crawl_page: {} },
    synthesize: {
      backend: 'embedded',
      corpus: { site: 'site' },
      grow: { hops: { min: 2, max: 3 } },
      check: {
        closed_book: { tries: 1 },
        evidence: { tries: 1 },
        tools: { tries: 1, max_pass_rate: 1 },
      },
      ...synthesize,
    },
  };
  writeFileSync(join(folder, 'coa.yaml'), stringify(config));
  // `writeAnswerKey` fills it in once there are tasks.
  writeFileSync(join(folder, 'script.jsonl'), '');
  return folder;
}
