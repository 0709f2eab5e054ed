import type { JsonObject } from '../../../base/json.ts';
import { type ActionRule, roleOfAction } from '../../../schemas/interchange/actionAnswer.ts';
import type { Role } from '../../../schemas/trace.ts';
import type { ForeignTurn } from './foreignRun.ts';
import type { ImportRecorder } from './importRecorder.ts';

/** What came back from a call that is no tool call here. */
export type UnheldResult = {
  /** Place of the call among the turn's calls. */
  readonly call: number;
  readonly observation: string;
};

/** One turn while it is read: the thought that waits for an action, and whether the turn has an event yet. */
export class TurnState {
  readonly turn: ForeignTurn;
  readonly #recorder: ImportRecorder;
  #thoughts: string[] = [];
  #agent: string | null = null;

  /** @param unheld results that no event will hold: they are kept with the turn */
  constructor(turn: ForeignTurn, unheld: readonly UnheldResult[], recorder: ImportRecorder) {
    this.turn = unheld.length > 0 ? { ...turn, extra: { ...turn.extra, unheld_results: unheld } } : turn;
    this.#recorder = recorder;
    this.think(turn.reasoning ?? '');
  }

  /** The event of the turn's last part; null before the first. */
  get agent(): string | null {
    return this.#agent;
  }

  /** A thought that a field and the text both hold is one. */
  think(text: string): void {
    const thought = text.trim();
    if (thought !== '' && !this.#thoughts.includes(thought)) this.#thoughts.push(thought);
  }

  acts(rule: ActionRule, answer: JsonObject): void {
    const think = this.#takeThought();
    this.#record(roleOfAction(rule.kind), rule.tag, { ...(think !== undefined && { think }), ...answer });
  }

  /** The orchestrator where it says why; otherwise just the agent whose call it is, if nothing says so yet. */
  asks(tag: string | null): void {
    const think = this.#takeThought();
    if (think !== undefined)
      this.#record('orchestrator', tag, tag === null ? { think } : { think, next: tag });
    else if (this.#agent === null) this.#record('tool_agent', tag, null);
  }

  /** A thought that led to no action in its own turn may lead to the next one's tool call. */
  finish(): void {
    if (this.#thoughts.length > 0 || this.#agent === null) this.asks(null);
  }

  #takeThought(): string | undefined {
    const think = this.#thoughts.join('\n\n');
    this.#thoughts = [];
    return think === '' ? undefined : think;
  }

  #record(role: Role, action: string | null, answer: JsonObject | null): void {
    const opens = this.#agent === null;
    this.#agent = this.#recorder.agentCall(this.turn, { role, action, answer, opens });
  }
}
