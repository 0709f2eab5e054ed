import type { ConvertConfig } from '../../schemas/config/convert.ts';
import type { AgentCallEvent } from '../../schemas/trace.ts';

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
