import type { ConvertConfig } from '../../schemas/config/convert.ts';
import type { AgentCallEvent } from '../../schemas/trace.ts';

/**
 * All words that conversion itself puts into model segments. They stand in thinking blocks, where a profile wants
 * thinking before a tool call and the agent thought once for several calls.
 */
export const connectives = {
  /** Before a call that its agent asked for in the same answer as the one before it. */
  parallel: 'This goes together with the step before: both were decided at once.',
  /** Before a call that was made again because the one before it failed, without new thinking. */
  retry: 'The call before this one failed, so it is tried again.',
} as const;

/** Words and the event that they come from. */
export interface Words {
  readonly text: string;
  readonly event: string;
}

/** What an agent thought in one call; undefined where it said nothing. Never another call's words, never both kinds. */
export function thoughtOf(event: AgentCallEvent, thinking: ConvertConfig['thinking']): Words | undefined {
  const reasoned = thinking === 'verbatim' && isSaid(event.reasoning) ? event.reasoning : undefined;
  const text = reasoned ?? event.answer?.think;
  return isSaid(text) ? { text, event: event.id } : undefined;
}

function isSaid(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '';
}

/** Whether a profile wants thinking before an action, takes it where there is some, or has no place for it. */
export type ThinkingPlace = 'needed' | 'optional' | 'none';

/** A tool call as far as the thinking before it goes. */
interface Attempt {
  /** The agent that asked; undefined where none did. */
  readonly asker: string | undefined;
  readonly tool: string;
  readonly failed: boolean;
}

/** A thought of the orchestrator, and what has come of it. */
interface Lead {
  readonly thought: Words | undefined;
  isWritten: boolean;
  /** The last call that was made because of it. */
  last: Attempt | undefined;
}

/** An agent's share in a thought. */
interface Share {
  readonly lead: Lead;
  /** True for the orchestrator and the agents that it asked itself: what they call was decided at once. */
  readonly isAtOnce: boolean;
}

interface ToolThinking {
  readonly words: Words | undefined;
  /** True for a call in the wake of another: both go back to the same thought. */
  readonly follows: boolean;
}

/** Which thinking led to which tool call, while events pass in order. */
export class Thoughts {
  readonly #shares = new Map<string, Share>();
  readonly #leads = new Map<string, Lead>();
  #current: Lead | undefined;

  /** The orchestrator thinks; what was thought before and led to nothing is given up. */
  orchestrator(agent: string, thought: Words | undefined): void {
    const lead: Lead = { thought, isWritten: false, last: undefined };
    this.#current = lead;
    this.#leads.set(agent, lead);
    this.#shares.set(agent, { lead, isAtOnce: true });
  }

  /** A tool agent works for the orchestrator that asked it, or on its last thought while no call of that went well. */
  toolAgent(agent: string, parent: string | null): void {
    const asked = parent === null ? undefined : this.#leads.get(parent);
    if (asked) this.#shares.set(agent, { lead: asked, isAtOnce: true });
    else if (this.#current && this.#current.last?.failed !== false) {
      this.#shares.set(agent, { lead: this.#current, isAtOnce: false });
    }
  }

  /** Another role acts, which ends what the orchestrator had in mind. */
  action(): void {
    this.#current = undefined;
  }

  /** A failed call is passed over: its thinking is written only if it led to another call too. */
  leaveOut(attempt: Attempt): void {
    const lead = this.#shareOf(attempt)?.lead;
    if (lead) lead.last = attempt;
  }

  /** What stands before a call that is written now: the thought, or a connective where that stands already. */
  takeFor(attempt: Attempt, place: ThinkingPlace): ToolThinking {
    const share = this.#shareOf(attempt);
    if (!share) return { words: undefined, follows: false };
    const { last } = share.lead;
    const words = place === 'none' ? undefined : wordsOf(share, attempt, place);
    share.lead.last = attempt;
    return { words, follows: last !== undefined };
  }

  /** A later agent shares a thought that has led to a call only to make that call again. */
  #shareOf(attempt: Attempt): Share | undefined {
    const share = attempt.asker === undefined ? undefined : this.#shares.get(attempt.asker);
    const last = share?.lead.last;
    const isOther = last && !isOneTurn(share, attempt) && last.tool !== attempt.tool;
    return isOther ? undefined : share;
  }
}

function isOneTurn({ lead, isAtOnce }: Share, { asker }: Attempt): boolean {
  return isAtOnce || lead.last?.asker === asker;
}

function wordsOf(share: Share, attempt: Attempt, place: ThinkingPlace): Words | undefined {
  const { lead } = share;
  if (!lead.isWritten) {
    lead.isWritten = lead.thought !== undefined;
    return lead.thought;
  }
  if (place === 'optional' || attempt.asker === undefined) return undefined;
  const text = isOneTurn(share, attempt) ? connectives.parallel : connectives.retry;
  return { text, event: attempt.asker };
}
