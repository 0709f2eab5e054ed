import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { cachedDefinitionSchema } from '../../schemas/run/cachedAnswer.ts';
import { notCached, ProviderAnswers, requestHashOf } from './providerAnswers.ts';

/** A tool whose definition its server gives. */
export interface DefinedElsewhere {
  readonly name: string;
  /** The server's address without anything secret; `local` for a program on this machine. */
  readonly provider: string;
  /** What shapes the tool's results besides its input. */
  readonly settings: JsonObject;
}

/** Where definitions of tools are kept. */
export interface KeptDefinitions {
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
      `${name}: its server describes it otherwise than when this cache began; what it said then is kept to (coa-distill cache prune --name ${name} forgets it)`,
    );
  }
  return { name, ...kept };
}
