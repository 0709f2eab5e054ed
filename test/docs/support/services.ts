import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { hubToken, startHub } from '../../calls/hub/support/startHub.ts';
import { startEmbeddingServer } from '../../support/startEmbeddingServer.ts';
import { startJudgeServer, verdict } from '../../support/startJudgeServer.ts';
import { startTinyServer } from '../../teachers/support/startTinyServer.ts';
import { sampleImages } from '../../tools/visualInspector/support/sampleImages.ts';

/** What stands in for a service of others. */
export interface Service {
  /** Variables by which a command finds it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Its address, for pages that name the port of such a service. */
  readonly url?: string;
}

/** Starts a service by its name, with the files of a page's project that belong to it; it ends with the test. */
export async function startService(name: string, folder: string): Promise<Service> {
  const start = services[name];
  if (!start) throw new Error(`no service "${name}"`);
  return start(folder);
}

const services: Readonly<Record<string, (folder: string) => Promise<Service>>> = {
  hub: async (folder) => {
    const content = Buffer.from('{"instruction": "", "input": "q", "output": "a"}\n');
    const rows = { 'data/train.jsonl': { content, isLarge: true } };
    const hub = await startHub({ 'datasets/PersonalAILab/AFM-WebAgent-SFT-Dataset': rows });
    const env = { HF_ENDPOINT: hub.url, HF_HOME: join(folder, '.hf'), HF_TOKEN: hubToken };
    return { env };
  },
  judge: async () => {
    const server = await startJudgeServer(({ data }) =>
      verdict(String(data.candidate).includes('Aske') ? 'correct' : 'incorrect'),
    );
    return { env: { OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'any-text' } };
  },
  eyes: async (folder) => {
    mkdirSync(join(folder, 'images'));
    writeFileSync(join(folder, 'images/box.png'), sampleImages.png);
    writeFileSync(join(folder, 'images/notes.txt'), 'no image');
    const message = { role: 'assistant', content: 'A red box in a grey frame.' };
    const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const server = await startTinyServer(() => ({ body: { object: 'chat.completion', choices, usage } }));
    onTestFinished(() => server.close());
    return { url: server.baseUrl };
  },
  embeddings: async () => ({ url: (await startEmbeddingServer()).baseUrl }),
};
