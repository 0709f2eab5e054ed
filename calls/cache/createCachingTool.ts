import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import type { Tool, ToolResult } from '../../contract/tool.ts';
import { cachedDefinitionSchema, cachedToolAnswerSchema } from '../../schemas/run/cachedAnswer.ts';
import { notCached, ProviderAnswers, RequestNumbers, requestHashOf } from './providerAnswers.ts';
import { SingleFlight } from './singleFlight.ts';

export interface CachingToolOptions {
  readonly tool: Tool;
  readonly cache: AnswerCache;
  /** Address of the service without secrets; `local` for tools on this machine. */
  readonly provider: string;
  /** Settings that affect the tool's results besides its input. */
  readonly settings: JsonObject;
  /** Never calls the tool: a missing result fails the record with `not_cached`. */
  readonly offline: boolean;
  readonly clock: Clock;
}

/**
 * Adds the cache to a tool, including local ones: a replayed conversation must see the same results, or later
 * requests would differ. Failures are never stored.
 */
export function createCachingTool(options: CachingToolOptions): Tool {
  const { tool, settings, offline } = options;
  const underWay = new SingleFlight<ToolResult>();
  const numbers = new RequestNumbers();
  const answers = new ProviderAnswers({ ...options, name: tool.name });

  return {
    ...tool,
    parseInput: (input) => tool.parseInput(input),
    async call(input, signal, work, goal) {
      const shaping = { kind: 'tool', tool: tool.name, settings, input, ...(tool.dependsOnGoal && { goal }) };
      const numbered = numbers.next(shaping, work);
      const { request, task_id } = numbered;
      let asked = false;
      const result = await underWay.run(request, signal, () =>
        answers.alone(request, signal, async () => {
          const kept = cachedToolAnswerSchema.safeParse(await answers.find(request));
          if (kept.success) return kept.data;
          const what = `a call of ${tool.name} for ${task_id}`;
          if (offline) throw notCached(what, request, { tool: tool.name, task_id });
          asked = true;
          const { observation, raw } = await tool.call(input, signal, work, goal);
          const own = { observation, raw };
          const first = await answers.store({ kind: 'tool', ...numbered }, own);
          // Another process may have stored a result meanwhile, which restarted work will use.
          return first === own ? own : (cachedToolAnswerSchema.safeParse(first).data ?? own);
        }),
      );
      return { ...result, cached: !asked };
    },
  };
}

/** A tool defined by its server. */
interface DefinedElsewhere {
  readonly name: string;
  /** Address of the server without secrets; `local` for a program on this machine. */
  readonly provider: string;
  /** Settings that affect the tool's results besides its input. */
  readonly settings: JsonObject;
}

/** Storage of tool definitions. */
interface KeptDefinitions {
  readonly cache: AnswerCache;
  /** Definitions come from the cache only. */
  readonly offline: boolean;
  readonly clock: Clock;
  /** Called if the server's definition has changed. */
  readonly log: (line: string) => void;
}

/**
 * Definition under which a tool was first called, so that all conversations of a run offer the same tool and a replay
 * finds its answers. The server's current definition is stored if there is none yet.
 * @param ask asks the server; never called offline
 * @throws RecordFailure `not_cached` offline, where no definition was kept; whatever `ask` throws
 */
export async function keepDefinition(
  tool: DefinedElsewhere,
  { cache, offline, clock, log }: KeptDefinitions,
  ask: () => Promise<ToolDefinition>,
): Promise<ToolDefinition> {
  const { name, provider, settings } = tool;
  const answers = new ProviderAnswers({ cache, offline, clock, provider, name });
  const request = requestHashOf({ kind: 'definition', tool: name, settings });
  const kept = cachedDefinitionSchema.safeParse(await answers.find(request)).data;
  if (offline) {
    if (kept) return { name, ...kept };
    throw notCached(`what ${name} is`, request, { tool: name });
  }
  const { description, parameters } = await ask();
  const said = { description, parameters };
  if (!kept) {
    const first = await answers.store({ kind: 'definition', request, sample: 0, task_id: '' }, said);
    return { name, ...(cachedDefinitionSchema.safeParse(first).data ?? said) };
  }
  if (requestHashOf(kept) !== requestHashOf(said)) {
    log(
      `${name}: the server has changed its description; the run keeps the first one (set another cache.file to take the new one)`,
    );
  }
  return { name, ...kept };
}
