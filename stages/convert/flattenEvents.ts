import { RecordFailure } from '../../contract/errors.ts';
import type { AgentCallEvent, TraceEvent } from '../../schemas/trace.ts';

/** An event in its place with the agent that caused it. */
interface PlacedEvent {
  readonly event: TraceEvent;
  /** Nearest agent call among its ancestors: for a tool call the calling agent. Null without one. */
  readonly asker: AgentCallEvent | null;
}

/**
 * Linearises a trace's tree. An agent's effects follow it: its tool calls, the whole work of each sub-agent, and the
 * next agent. They are ordered by their last events, the order in which they became visible: tool calls as listed,
 * concurrent sub-agents one after the other by their ends. A trace without overlap keeps its order.
 * @throws RecordFailure (`inexpressible`) for an event whose parent does not come before it
 */
export function flattenEvents(events: readonly TraceEvent[]): PlacedEvent[] {
  const askers = placesOfAskers(events);
  const lasts = placesOfLastEvents(askers);
  const caused = Map.groupBy(askers.keys(), (at) => askers[at] ?? null);
  const latestFirst = (asker: number | null) =>
    (caused.get(asker) ?? []).sort((a, b) => lasts[b]! - lasts[a]!);
  const line: PlacedEvent[] = [];
  // Explicit stack: a long trace is a deep tree.
  const waiting = [...latestFirst(null)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const asker = askers[at]!;
    line.push({ event: events[at]!, asker: asker === null ? null : (events[asker] as AgentCallEvent) });
    for (const next of latestFirst(at)) waiting.push(next);
  }
  return line;
}

function placesOfAskers(events: readonly TraceEvent[]): (number | null)[] {
  const places = new Map<string, number>();
  const askers: (number | null)[] = [];
  for (const [at, { id, parent }] of events.entries()) {
    const place = parent === null ? null : places.get(parent);
    if (place === undefined) throw inexpressible(id, `its parent ${parent} is not an event before it`);
    askers.push(place === null || events[place]!.type === 'agent_call' ? place : askers[place]!);
    places.set(id, at);
  }
  return askers;
}

/** For each event the index of the last event that it caused, itself included. */
function placesOfLastEvents(askers: readonly (number | null)[]): number[] {
  const lasts = [...askers.keys()];
  for (let at = askers.length - 1; at >= 0; at--) {
    const asker = askers[at]!;
    if (asker !== null) lasts[asker] = Math.max(lasts[asker]!, lasts[at]!);
  }
  return lasts;
}

/** Failure of a trace that no trajectory can express; names the event, null for a trace without any. */
export function inexpressible(event: string | null, why: string): RecordFailure {
  return new RecordFailure('inexpressible', `${why} (event ${event})`, { event, why });
}
