import type { ConvertConfig } from '../../schemas/config/convert.ts';
import type { AgentCallEvent } from '../../schemas/trace.ts';

/**
 * Text that conversion itself adds to model segments: thoughts before a tool call, if the profile requires them and
 * the agent thought once for several calls.
 */
export const connectives = {
  /** Before a call requested in the same answer as the previous one. */
  parallel: 'This goes together with the step before: both were decided at once.',
  /** Before a retry of a failed call without new thinking. */
  retry: 'The call before this one failed, so it is tried again.',
} as const;

/** Text and its event. */
export interface Words {
  readonly text: string;
  readonly event: string;
}

/** Thought of an agent in one call; undefined without one. Never another call's text, never both kinds. */
export function thoughtOf(event: AgentCallEvent, thinking: ConvertConfig['thinking']): Words | undefined {
  const reasoned = thinking === 'verbatim' && isSaid(event.reasoning) ? event.reasoning : undefined;
  const text = reasoned ?? event.answer?.think;
  return isSaid(text) ? { text, event: event.id } : undefined;
}

function isSaid(text: unknown): text is string {
  return typeof text === 'string' && text.trim() !== '';
}

/** Requirement of a thought before an action: required, optional, or not allowed. */
export type ThinkingPlace = 'needed' | 'optional' | 'none';

/** Data of a tool call that affects its preceding thought. */
interface Attempt {
  /** Agent that made the call; undefined without one. */
  readonly asker: string | undefined;
  readonly tool: string;
  readonly failed: boolean;
}

/** A thought of the orchestrator and its calls so far. */
interface Lead {
  readonly thought: Words | undefined;
  isWritten: boolean;
  /** Last call that resulted from it. */
  last: Attempt | undefined;
}

/** Relation of an agent to a thought. */
interface Share {
  readonly lead: Lead;
  readonly isAtOnce: boolean;
}

interface ToolThinking {
  readonly words: Words | undefined;
  /** True for a call that follows another from the same thought. */
  readonly follows: boolean;
}

/** Assigns thoughts to tool calls while events pass in order. */
export class Thoughts {
  readonly #shares = new Map<string, Share>();
  readonly #leads = new Map<string, Lead>();
  #current: Lead | undefined;

  /** Records a thought of the orchestrator; an unused earlier thought is discarded. */
  orchestrator(agent: string, thought: Words | undefined): void {
    const lead: Lead = { thought, isWritten: false, last: undefined };
    this.#current = lead;
    this.#leads.set(agent, lead);
    this.#shares.set(agent, { lead, isAtOnce: true });
  }

  /**
   * Records a tool agent's thought: it works for the orchestrator that called it, or on its last thought while no
   * call of that succeeded.
   */
  toolAgent(agent: string, parent: string | null): void {
    const asked = parent === null ? undefined : this.#leads.get(parent);
    if (asked) this.#shares.set(agent, { lead: asked, isAtOnce: true });
    else if (this.#current && this.#current.last?.failed !== false) {
      this.#shares.set(agent, { lead: this.#current, isAtOnce: false });
    }
  }

  /** Records another role's action, which ends the orchestrator's thought. */
  action(): void {
    this.#current = undefined;
  }

  /** Omits a failed call: its thought is written only if it led to another call too. */
  leaveOut(attempt: Attempt): void {
    const lead = this.#shareOf(attempt)?.lead;
    if (lead) lead.last = attempt;
  }

  /** Text before a call: the thought, or a connective if the thought is already written. */
  takeFor(attempt: Attempt, place: ThinkingPlace): ToolThinking {
    const share = this.#shareOf(attempt);
    if (!share) return { words: undefined, follows: false };
    const { last } = share.lead;
    const words = place === 'none' ? undefined : wordsOf(share, attempt, place);
    share.lead.last = attempt;
    return { words, follows: last !== undefined };
  }

  /** Share of an agent: a later agent shares a used thought only to retry its call. */
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
