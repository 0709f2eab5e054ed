import { connectives } from './connectives.ts';
import type { Words } from './thoughtOf.ts';

/** Whether a profile wants thinking before an action, takes it where there is some, or has no place for it. */
export type ThinkingPlace = 'needed' | 'optional' | 'none';

/** A tool call as far as the thinking before it goes. */
export interface Attempt {
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

/** What stands before a tool call. */
export interface ToolThinking {
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
