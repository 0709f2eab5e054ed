import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { createSession } from '../../../pipeline/createSession.ts';
import type { RlNextAnswer } from '../../../rl/records/next.ts';
import type { RlSegment } from '../../../rl/records/rlTrajectory.ts';
import type { RlScoreAnswer } from '../../../rl/records/score.ts';
import type { RlStatus } from '../../../rl/records/status.ts';
import { sourceOfConfig } from '../../../rl/server/environmentSource.ts';
import { type OpenedEnvironment, openEnvironment } from '../../../rl/server/openEnvironment.ts';
import { serveEnvironment } from '../../../rl/server/serveEnvironment.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { postJson } from '../../tools/servers/support/postJson.ts';

/** The questions that a test's environment has, by domain. */
export const questions = {
  qa: { question: 'In which town was the founder born?', answer: 'Zelderhaven' },
  math: { question: 'What is 6 times 7?', answer: '42' },
};

/** An environment that is served for a test. */
export interface ServedEnvironment {
  readonly url: string;
  readonly environment: OpenedEnvironment;
  /** Id of the task of a domain. */
  readonly idOf: (domain: keyof typeof questions) => string;
  /** What comes after a trajectory of the qa task; throws the whole error of another status. */
  next(segments: readonly RlSegment[], finish_reason?: 'stop' | 'length' | 'eos'): Promise<RlNextAnswer>;
  score(segments: readonly RlSegment[], more?: object): Promise<RlScoreAnswer>;
  status(): Promise<RlStatus>;
}

/** What an environment of a test is made with, beside the defaults. */
interface EnvironmentOptions {
  /** Address of the retrieval service. */
  readonly retrieval?: string;
  /** Of the service; default: 20. */
  readonly timeoutSeconds?: number;
  /** Further sections of the configuration. */
  readonly config?: object;
  readonly token?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Serves two tasks with a search and a judge until the test ends. */
export async function startEnvironment(options: EnvironmentOptions = {}): Promise<ServedEnvironment> {
  const {
    retrieval = 'http://127.0.0.1:9/retrieve',
    timeoutSeconds = 20,
    config = {},
    token,
    env = {},
  } = options;
  const folder = temporaryFolder();
  const sources = Object.entries(questions).map(([domain, task]) => {
    writeFileSync(join(folder, `${domain}.jsonl`), `${JSON.stringify(task)}\n`);
    // Both by a profile without code: sandboxes take seconds to open.
    return { file: `${domain}.jsonl`, profile: 'mhqa', domain };
  });
  const file = join(folder, 'coa.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      runs_dir: join(folder, 'runs'),
      tasks: { sources },
      tools: { wiki_search: { url: retrieval, timeout_s: timeoutSeconds } },
      ...config,
    }),
  );
  const session = createSession({ env });
  onTestFinished(() => session.resources.closeAll());
  const environment = await openEnvironment(await sourceOfConfig(file, session), session);
  const { baseUrl: url } = await serveEnvironment(
    environment,
    { host: '127.0.0.1', port: 0, token, cut: AbortSignal.abort() },
    session,
  );
  const idOf = (domain: keyof typeof questions) =>
    [...environment.tasks.values()].find((task) => task.domain === domain)!.id;
  const ask = async <T>(path: string, body: object): Promise<T> => {
    const answer = await postJson<T & { error: { message: string } }>(`${url}${path}`, {
      task_id: idOf('qa'),
      ...body,
    });
    if (answer.status !== 200) throw Object.assign(new Error(answer.json.error.message), answer);
    return answer.json;
  };
  return {
    url,
    environment,
    idOf,
    next: (segments, finish_reason = 'stop') => ask('/v1/next', { segments, finish_reason }),
    score: (segments, more) =>
      ask('/v1/score', {
        segments,
        end_reason: 'answer',
        response_tokens: 100,
        max_response_tokens: 1000,
        ...more,
      }),
    status: async () => (await fetch(`${url}/v1/status`)).json() as Promise<RlStatus>,
  };
}

/** What the model wrote. */
export function model(text: string): RlSegment {
  return { origin: 'model', text };
}

/** What the environment put behind it. */
export function environment(text: string): RlSegment {
  return { origin: 'environment', text };
}

/** A retrieval service: `found` gives the text of the nth call, or a status, or waits; closed at the test's end. */
export async function startRetrieval(
  found: (query: string, nth: number) => string | number | Promise<string>,
): Promise<{ readonly url: string; readonly server: Server; calls: number }> {
  const server = createServer(async (request, response) => {
    const { queries } = (await json(request)) as { queries: string[] };
    const said = await found(queries[0]!, ++service.calls);
    if (typeof said === 'number') {
      response.writeHead(said).end('planted');
      return;
    }
    const result = [[{ document: { id: '1', contents: said }, score: 1 }]];
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/retrieve`,
    server,
    calls: 0,
  };
  return service;
}
