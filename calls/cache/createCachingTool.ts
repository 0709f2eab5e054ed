import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import type { Tool, ToolResult } from '../../contract/tool.ts';
import { cachedDefinitionSchema, cachedToolAnswerSchema } from '../../schemas/run/cachedAnswer.ts';
import { notCached, ProviderAnswers, RequestNumbers, requestHashOf } from './providerAnswers.ts';
import { SingleFlight } from './singleFlight.ts';

/** A tool, and the cache in front of it. */
export interface CachingToolOptions {
  readonly tool: Tool;
  readonly cache: AnswerCache;
  /** The service's address without anything secret; `local` for what runs here. */
  readonly provider: string;
  /** What shapes the tool's results besides its input. */
  readonly settings: JsonObject;
  /** Never calls the tool: a result that is missing fails the record with `not_cached`. */
  readonly offline: boolean;
  readonly clock: Clock;
}

/**
 * Puts the cache before a tool, those of this machine too: a conversation that is played again must be shown the
 * same, or the requests after it are new ones. Failures are never stored.
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
          // Another process may have been given a result meanwhile: work that begins again will meet that one.
          return first === own ? own : (cachedToolAnswerSchema.safeParse(first).data ?? own);
        }),
      );
      return { ...result, cached: !asked };
    },
  };
}

/** A tool whose definition its server gives. */
interface DefinedElsewhere {
  readonly name: string;
  /** The server's address without anything secret; `local` for a program on this machine. */
  readonly provider: string;
  /** What shapes the tool's results besides its input. */
  readonly settings: JsonObject;
}

/** Where definitions of tools are kept. */
interface KeptDefinitions {
  readonly cache: AnswerCache;
  /** Definitions come from the cache alone. */
  readonly offline: boolean;
  readonly clock: Clock;
  /** Told when a server says otherwise by now. */
  readonly log: (line: string) => void;
}

/**
 * The definition that a tool was first called by, so that all of a run's conversations offer the same tool, and a
 * replay asks for the answers that were given. What its server says by now is kept where nothing was yet.
 *
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
